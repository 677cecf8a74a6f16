"""Automata over characters: sets of texts that can be united, cut with each other and taken from each other.

Where expressions are walked as a text needs them, an automaton is built whole, so it is known of every state whether a
text can still be completed. That costs states: every construction counts them, and gives up at a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward.expression import MANY
from tokenspec_reference.fast_forward.utf8 import LAST_CODE_POINT

MOST_STATES = 20_000
MOST_EDGES = 400_000

Edge = tuple[int, int, int]
State = TypeVar("State", bound=Hashable)


class TooManyStates(TokenSpecError):
    """A set of texts needs more states than are built."""

    rejection_code = "invalid-grammar"


@dataclass(frozen=True, eq=False)
class Automaton:
    """A deterministic automaton. State 0 is the first; every state leads to an accepted text; without states no text.

    Attributes:
        edges: of each state, ranges of code points (both ends inclusive, ascending, disjoint) and where they lead.
        accepting: of each state, whether the text may end there.
    """

    edges: tuple[tuple[Edge, ...], ...]
    accepting: tuple[bool, ...]
    _counts: dict[int, int] = field(default_factory=dict, repr=False)

    def __bool__(self) -> bool:
        """Whether there is any text."""
        return bool(self.edges)

    def contains(self, text: str) -> bool:
        """Whether a text belongs to it."""
        state: int | None = 0 if self.edges else None
        for char in text:
            if state is None:
                return False
            state = next((target for low, high, target in self.edges[state] if low <= ord(char) <= high), None)
        return state is not None and self.accepting[state]

    @cached_property
    def _order(self) -> list[int] | None:
        """States, each after those it leads to; None where there is a circle."""
        waiting = [0] * len(self.edges)
        before: list[list[int]] = [[] for _ in self.edges]
        for state, edges in enumerate(self.edges):
            for target in {edge[2] for edge in edges}:
                waiting[state] += 1
                before[target].append(state)
        order = [state for state, count in enumerate(waiting) if not count]
        for state in order:
            for source in before[state]:
                waiting[source] -= 1
                if not waiting[source]:
                    order.append(source)
        return order if len(order) == len(self.edges) else None

    @cached_property
    def lengths(self) -> tuple[int, int | None]:
        """The length of the shortest text, and of the longest; None has no end."""
        shortest, layer = 0, {0}
        while self.edges and not any(self.accepting[state] for state in layer):
            layer = {edge[2] for state in layer for edge in self.edges[state]}
            shortest += 1
        if self._order is None:
            return shortest, None
        longest: dict[int, int] = {}
        for state in self._order:
            longest[state] = max((longest[edge[2]] + 1 for edge in self.edges[state]), default=0)
        return shortest, longest.get(0, 0)

    def texts(self, state: int, spellings: Callable[[int, int], int]) -> int:
        """How many texts there are from a state, at most ``MANY``; ``spellings`` counts those of a range."""
        if self._order is None:
            return MANY
        if not self._counts:
            for each in self._order:
                count = int(self.accepting[each])
                for low, high, target in self.edges[each]:
                    count += spellings(low, high) * self._counts[target]
                self._counts[each] = min(count, MANY)
        return self._counts[state]


NO_TEXT = Automaton((), ())
ANY_TEXT = Automaton((((0, LAST_CODE_POINT, 0),),), (True,))


def explored(
    start: State, moves: Callable[[State], Iterable[tuple[int, int, State]]], accepts: Callable[[State], bool]
) -> Automaton:
    """The automaton of states that are only described; ``moves`` are ascending and disjoint.

    Raises:
        TooManyStates: it has more than ``MOST_STATES``.
    """
    known: dict[State, int] = {start: 0}
    order = [start]
    edges: list[list[Edge]] = []
    total = 0
    for state in order:
        own: list[Edge] = []
        for low, high, target in moves(state):
            number = known.setdefault(target, len(order))
            if number == len(order):
                order.append(target)
            if own and own[-1][2] == number and own[-1][1] + 1 == low:
                own[-1] = (own[-1][0], high, number)
            else:
                own.append((low, high, number))
        total += len(own)
        if len(order) > MOST_STATES or total > MOST_EDGES:
            raise TooManyStates(f"needs more than {MOST_STATES} states; give it fewer counts or choices")
        edges.append(own)
    return _trimmed(edges, [accepts(state) for state in order])


def _trimmed(edges: Sequence[Sequence[Edge]], accepting: Sequence[bool]) -> Automaton:
    """Only the states from which a text can be completed: none without the first, from which all are reached."""
    before: list[list[int]] = [[] for _ in edges]
    for state, own in enumerate(edges):
        for edge in own:
            before[edge[2]].append(state)
    alive = [state for state, accepts in enumerate(accepting) if accepts]
    seen = set(alive)
    for state in alive:
        for source in before[state]:
            if source not in seen:
                seen.add(source)
                alive.append(source)
    number = {state: at for at, state in enumerate(sorted(seen))}
    return Automaton(
        tuple(
            tuple((low, high, number[target]) for low, high, target in edges[state] if target in number)
            for state in number
        ),
        tuple(accepting[state] for state in number),
    )


def both(left: Automaton, right: Automaton) -> Automaton:
    """The texts of both."""
    if left is ANY_TEXT or right is ANY_TEXT:
        return right if left is ANY_TEXT else left
    if not left or not right:
        return NO_TEXT

    def moves(pair: tuple[int, int]) -> Iterable[tuple[int, int, tuple[int, int]]]:
        ours, theirs = left.edges[pair[0]], right.edges[pair[1]]
        a = b = 0
        while a < len(ours) and b < len(theirs):
            low, high = max(ours[a][0], theirs[b][0]), min(ours[a][1], theirs[b][1])
            if low <= high:
                yield low, high, (ours[a][2], theirs[b][2])
            if ours[a][1] <= theirs[b][1]:
                a += 1
            else:
                b += 1

    return explored((0, 0), moves, lambda pair: left.accepting[pair[0]] and right.accepting[pair[1]])


def opposite(automaton: Automaton) -> Automaton:
    """Every other text."""
    if not automaton:
        return ANY_TEXT
    if automaton is ANY_TEXT:
        return NO_TEXT

    def moves(state: int) -> Iterable[tuple[int, int, int]]:
        start = 0
        for low, high, target in automaton.edges[state] if state >= 0 else ():
            if start < low:
                yield start, low - 1, -1
            yield low, high, target
            start = high + 1
        if start <= LAST_CODE_POINT:
            yield start, LAST_CODE_POINT, -1

    return explored(0, moves, lambda state: state < 0 or not automaton.accepting[state])


def of_length(least: int, most: int | None) -> Automaton:
    """Texts of ``least`` to ``most`` characters."""
    last = least if most is None else most

    def moves(count: int) -> Iterable[tuple[int, int, int]]:
        if count < last or most is None:
            yield 0, LAST_CODE_POINT, min(count + 1, last)

    return explored(0, moves, lambda count: count >= least)


def of_texts(texts: Iterable[str]) -> Automaton:
    """Exactly these texts."""
    tree: list[dict[str, int]] = [{}]
    ends: set[int] = set()
    for text in texts:
        node = 0
        for char in text:
            if char not in tree[node]:
                tree[node][char] = len(tree)
                tree.append({})
            node = tree[node][char]
        ends.add(node)
    return explored(
        0,
        lambda node: [(ord(char), ord(char), target) for char, target in sorted(tree[node].items())],
        ends.__contains__,
    )
