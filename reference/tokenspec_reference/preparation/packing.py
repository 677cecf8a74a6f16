"""Several short conversations in one sequence: first-fit, none cut, boundaries kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Pack:
    """Positions of the members in the order they were given, and how many tokens they have together."""

    members: list[int] = field(default_factory=list)
    tokens: int = 0


def first_fit(lengths: Sequence[int], capacity: int) -> list[Pack]:
    """Put each length into the first pack with room for it; packs in the order of their first member.

    A length above ``capacity`` gets a pack of its own, and so does 0: a row without ids keeps its place. The first pack
    with room is found in a tree of the largest room, so that time is ``n log n``.
    """
    size = 1
    while size < max(1, len(lengths)):
        size *= 2
    room = [capacity] * (2 * size)
    packs: list[Pack] = []
    by_slot: dict[int, Pack] = {}
    for position, length in enumerate(lengths):
        if length <= 0 or length > capacity:
            packs.append(Pack([position], max(length, 0)))
            continue
        node = 1
        while node < size:
            node = 2 * node if room[2 * node] >= length else 2 * node + 1
        if node not in by_slot:
            by_slot[node] = Pack()
            packs.append(by_slot[node])
        by_slot[node].members.append(position)
        by_slot[node].tokens += length
        room[node] -= length
        while node > 1:
            node //= 2
            room[node] = max(room[2 * node], room[2 * node + 1])
    return packs
