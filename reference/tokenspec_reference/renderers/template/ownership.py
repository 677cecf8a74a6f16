"""From what a template printed to the owner of every character.

* A character of a caller's value belongs to the message the value came from.
* Template text printed inside a loop over messages belongs to the message the loop was at.
* Template text printed outside such a loop belongs to the only message whose values were printed in the same stretch, else
  to no message (-1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .provenance import DERIVED, Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def assign_owners(pieces: Sequence[Piece], table: ValueTable) -> list[Stretch]:
    """Place the runs of all pieces and give each an owner."""
    stretches: list[Stretch] = []
    position = first = 0
    messages: set[int] = set()
    for piece in pieces:
        if piece.loop >= 0:
            _adopt(stretches, first, messages)
        for length, origin in piece.runs:
            owner = table.origins[origin].message
            if owner >= 0 and piece.loop < 0:
                messages.add(owner)
            stretches.append(
                Stretch(position, position + length, owner if owner >= 0 else piece.loop, origin)
            )
            position += length
        if piece.loop >= 0:
            first, messages = len(stretches), set()
    _adopt(stretches, first, messages)
    return stretches


def _adopt(stretches: list[Stretch], first: int, messages: set[int]) -> None:
    """Give the ownerless part of a top-level stretch to its only message."""
    if len(messages) == 1:
        (owner,) = messages
        for index in range(first, len(stretches)):
            if stretches[index].owner < 0:
                stretches[index] = stretches[index]._replace(owner=owner)


def is_body(origin: int, table: ValueTable) -> bool:
    """Whether characters of this origin are message body: a value (no key) of a body field."""
    message, path, key = table.origins[origin]
    return message >= 0 and not key and bool(path) and path[0] in BODY_FIELDS


def is_supplied(origin: int, table: ValueTable) -> bool:
    """Whether a caller typed these characters."""
    return origin != DERIVED and bool(table.origins[origin].path)
