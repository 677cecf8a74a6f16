"""From what a template printed to the owner of every character.

* A character of a caller's value belongs to the message the value came from.
* Template text printed while a loop was at a message belongs to that message.
* Template text printed outside such loops belongs to the message whose values stand around it in the same passage.
  Between the values of two messages the first turn ends behind its last closing token; without one the text belongs
  to none.
* A BOS token at the start belongs to no message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokenspec_reference.renderers.segments import OUTSIDE

from .provenance import DERIVED, Runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .values import ValueTable

BODY_FIELDS = frozenset({"content", "reasoning_content", "thinking", "reasoning", "tool_calls"})
"""Message fields that are bodies; roles, names and ids are headers."""


class Piece(NamedTuple):
    """One output of the template: its runs, and the message the innermost loop was at (-1: none)."""

    runs: Runs
    loop: int


class Stretch(NamedTuple):
    """Consecutive characters ``[start, end)`` of one owner and one origin."""

    start: int
    end: int
    owner: int
    origin: int


def is_body(origin: int, table: ValueTable) -> bool:
    """Whether characters of this origin are message body: a value of a body field, no key, no type of a part."""
    message, path, key = table.origins[origin]
    if message < 0 or key or not path or path[0] not in BODY_FIELDS:
        return False
    return not (len(path) == 3 and path[0] == "content" and path[2] == "type")


def is_supplied(origin: int, table: ValueTable) -> bool:
    """Whether a caller typed these characters."""
    return origin != DERIVED and bool(table.origins[origin].path)


def assign_owners(
    text: str, pieces: Iterable[Piece], table: ValueTable, *, bos: str = "", closers: Sequence[str] = ()
) -> list[Stretch]:
    """Place the runs of all pieces and give each an owner."""
    stretches: list[Stretch] = []
    passage: list[Stretch] = []
    position = 0
    for runs, loop in pieces:
        if loop >= 0 and passage:
            stretches += _adopted(text, passage, closers)
            passage = []
        target = stretches if loop >= 0 else passage
        for length, origin in runs:
            owner = table.origins[origin].message
            target.append(Stretch(position, position + length, owner if owner >= 0 else loop, origin))
            position += length
    stretches += _adopted(text, passage, closers)
    if bos and text.startswith(bos):
        stretches = disowned(stretches, 0, len(bos))
    return stretches


def _adopted(text: str, passage: list[Stretch], closers: Sequence[str]) -> list[Stretch]:
    """Give the ownerless gaps of a top-level passage to the messages around them."""
    out: list[Stretch] = []
    gap: list[Stretch] = []
    before = OUTSIDE
    for stretch in passage:
        if stretch.owner < 0:
            gap.append(stretch)
            continue
        out += _filled(text, gap, before, stretch.owner, closers)
        out.append(stretch)
        gap, before = [], stretch.owner
    return out + [stretch._replace(owner=before) for stretch in gap]


def _filled(text: str, gap: list[Stretch], before: int, after: int, closers: Sequence[str]) -> list[Stretch]:
    """A gap between two messages (or before the first), cut behind the last closing token of the first."""
    if not gap or before == after:
        return [stretch._replace(owner=before) for stretch in gap]
    start, end = gap[0].start, gap[-1].end
    border = max((at + len(closer) for closer in closers if (at := text.rfind(closer, start, end)) >= 0), default=0)
    if not border:
        return gap if before >= 0 else [stretch._replace(owner=after) for stretch in gap]
    first = [stretch._replace(end=min(stretch.end, border), owner=before) for stretch in gap if stretch.start < border]
    rest = [stretch._replace(start=max(stretch.start, border), owner=after) for stretch in gap if stretch.end > border]
    return first + rest


def disowned(stretches: Iterable[Stretch], low: int, high: int) -> list[Stretch]:
    """The stretches, with what lies in ``[low, high)`` taken from its owner."""
    out: list[Stretch] = []
    for stretch in stretches:
        start, end = max(stretch.start, low), min(stretch.end, high)
        if start >= end:
            out.append(stretch)
            continue
        cuts = (
            stretch._replace(end=start),
            stretch._replace(start=start, end=end, owner=OUTSIDE),
            stretch._replace(start=end),
        )
        out += [cut for cut in cuts if cut.start < cut.end]
    return out
