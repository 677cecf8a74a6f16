"""From what a template printed to the owner of every character.

* A character of a caller's value belongs to the message the value came from.
* Template text printed while a loop was at a message belongs to that message.
* Template text printed outside such loops belongs to the message whose values stand around it in the same passage.
  Between the values of two messages the first turn ends behind its last closing token; without one the text belongs
  to none.
* A stop token behind all loops belongs to the last message, whose turn it ends.
* A BOS token at the start, and a whole turn put before the first message, belong to no message.
"""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, NamedTuple

from tokenspec_reference.renderers.segments import OUTSIDE

from .provenance import Origin, Runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .values import ValueTable

CONTENT_FIELDS = frozenset({"content", "reasoning_content", "thinking", "reasoning"})
BODY_FIELDS = CONTENT_FIELDS | {"tool_calls"}
"""Message fields that are bodies; roles, names and ids are headers."""


class Piece(NamedTuple):
    """One output of the template: its runs, and the message the innermost loop was at (-1: none).

    ``in_part`` marks a loop over the parts of a message, at the top level.
    """

    runs: Runs
    loop: int
    in_part: bool


class Stretch(NamedTuple):
    """Consecutive characters ``[start, end)`` of one owner and one origin."""

    start: int
    end: int
    owner: int
    origin: int


def is_body(stretch: Stretch, table: ValueTable) -> bool:
    """Whether these characters are body of the message that owns them: a value of a body field, no key.

    Of a content part only its text is body; its type, its address and the like are structure.
    """
    message, path, key, _ = table.origins[stretch.origin]
    if message < 0 or message != stretch.owner or key or not path or path[0] not in BODY_FIELDS:
        return False
    in_part = path[0] == "content" and len(path) > 2 and isinstance(path[1], int)
    return not in_part or path[2] == "text"


def is_supplied(origin: int, table: ValueTable) -> bool:
    """Whether a caller typed these characters."""
    return bool(table.origins[origin].path)


def assign_owners(
    text: str, pieces: Iterable[Piece], table: ValueTable, *, bos: str = "", closers: Sequence[str] = ()
) -> list[Stretch]:
    """Place the runs of all pieces and give each an owner."""
    stretches: list[Stretch] = []
    passage: list[Stretch] = []
    position = 0
    for runs, loop, in_part in pieces:
        at_top = loop < 0 or in_part
        if passage and not at_top:
            stretches += _adopted(text, passage, closers)
            passage = []
        target = passage if at_top else stretches
        for length, origin in runs:
            owner = _owner(table.origins[origin], loop)
            target.append(Stretch(position, position + length, owner, origin))
            position += length
    stretches += _adopted(text, passage, closers)
    if bos and text.startswith(bos):
        stretches = disowned(stretches, 0, len(bos))
    return _without_injected(text, stretches, table, closers)


def with_last_closer(text: str, stretches: Sequence[Stretch], last: int, stops: Sequence[str]) -> list[Stretch]:
    """The stretches, with a stop token that the template prints behind its loops given to the last turn."""
    end = next((place for place in range(len(stretches), 0, -1) if stretches[place - 1].owner >= 0), 0)
    if end == len(stretches) or not text.startswith(tuple(stops), stretches[end].start):
        return list(stretches)
    if text[: stretches[end].start].rstrip().endswith(tuple(stops)):
        return list(stretches)  # it has its own
    return [*stretches[:end], *(stretch._replace(owner=last) for stretch in stretches[end:])]


def _owner(origin: Origin, loop: int) -> int:
    """A header field or a call that is quoted in another message's turn (the name of the tool) belongs to that turn."""
    quoted = bool(origin.path) and origin.path[0] not in CONTENT_FIELDS and loop >= 0
    return loop if quoted or origin.message < 0 else origin.message


def _without_injected(text: str, stretches: list[Stretch], table: ValueTable, closers: Sequence[str]) -> list[Stretch]:
    """Disown a whole turn the template puts before the first message while its loop is there (a default system)."""
    owned = list(dropwhile(lambda stretch: stretch.owner < 0, stretches))
    turn = list(takewhile(lambda stretch: stretch.owner == owned[0].owner, owned))
    if not turn:
        return stretches
    start, end = turn[0].start, turn[-1].end
    supplied = next((stretch.start for stretch in turn if is_supplied(stretch.origin, table)), None)
    ends = _turn_ends(text, start, end if supplied is None else supplied, closers)
    if supplied is None:
        ends = ends[:-1]  # the last one is the message's own
    return disowned(stretches, start, max(ends, default=start))


def _turn_ends(text: str, start: int, end: int, closers: Sequence[str]) -> list[int]:
    """Where turns end in ``text[start:end]``: behind a closing token and the white space after it."""
    found: list[int] = []
    for closer in closers:
        at = text.find(closer, start, end)
        while at >= 0:
            after = at + len(closer)
            found.append(end - len(text[after:end].lstrip()))
            at = text.find(closer, after, end)
    return sorted(found)


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
    border = max(_turn_ends(text, start, end, closers), default=0)
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
