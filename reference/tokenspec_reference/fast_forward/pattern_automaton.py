"""The automaton of a regular expression: Thompson's states, taken together (Rabin and Scott 1959).

Edges of the text are steps that take no character: the beginning is passed before the first one only, the end after
the last. A look-ahead is understood at the beginning of a text, where it is one more set of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tokenspec_reference.fast_forward.automaton import (
    ANY_TEXT,
    MOST_STATES,
    Automaton,
    TooManyStates,
    both,
    explored,
    opposite,
)
from tokenspec_reference.fast_forward.pattern import (
    Ahead,
    Characters,
    Choice,
    Edge,
    Pattern,
    Repeat,
)
from tokenspec_reference.fast_forward.pattern import Sequence as InOrder
from tokenspec_reference.fast_forward.utf8 import LAST_CODE_POINT, CodeRange

ANYTHING = Characters(((0, LAST_CODE_POINT),))
MOST_WORK = 3_000_000
ANY_CHARACTERS = Repeat(ANYTHING, 0, None)


class MisplacedLookAhead(TooManyStates):
    """A look-ahead somewhere else than at the beginning of the text."""


def automaton_of(pattern: Pattern, *, anywhere: bool) -> Automaton:
    """The texts that a pattern matches: as a whole, or ``anywhere`` in them.

    Raises:
        TooManyStates: the pattern counts too far, or looks ahead in the middle.
    """
    aheads, rest = _looking(pattern, anchored=not anywhere)
    result = _deterministic(rest, anywhere=anywhere)
    for ahead in aheads:
        follows = _deterministic(InOrder((Edge(at_end=False), ahead.part)), anywhere=True)
        result = both(result, opposite(follows) if ahead.negative else follows)
    return result


def _looking(pattern: Pattern, *, anchored: bool) -> tuple[list[Ahead], Pattern]:
    """The look-aheads at the beginning, and the pattern without them."""
    parts = pattern.parts if isinstance(pattern, InOrder) else (pattern,)
    aheads: list[Ahead] = []
    start = 0
    while start < len(parts):
        part = parts[start]
        if isinstance(part, Edge) and not part.at_end:
            anchored = True
        elif isinstance(part, Ahead) and anchored:
            aheads.append(part)
        else:
            break
        start += 1
    rest = parts[start:]
    return aheads, InOrder((Edge(at_end=False), *rest) if anchored else rest)


@dataclass
class _Steps:
    """Thompson's states: of each, where it leads without a character, by an edge of the text, and by a character."""

    free: list[list[int]] = field(default_factory=list)
    edge: list[tuple[bool, int] | None] = field(default_factory=list)
    take: list[tuple[Sequence[CodeRange], int] | None] = field(default_factory=list)
    work: int = 0

    def new(self) -> int:
        if len(self.free) > 4 * MOST_STATES:
            raise TooManyStates(f"needs more than {4 * MOST_STATES} steps; give it fewer counts")
        self.free.append([])
        self.edge.append(None)
        self.take.append(None)
        return len(self.free) - 1

    def add(self, pattern: Pattern, end: int) -> int:
        """Build a pattern that goes on at ``end``; its first state."""
        if isinstance(pattern, Characters):
            state = self.new()
            self.take[state] = (pattern.ranges, end)
            return state
        if isinstance(pattern, InOrder):
            for part in reversed(pattern.parts):
                end = self.add(part, end)
            return end
        if isinstance(pattern, Choice):
            options = [self.add(option, end) for option in pattern.options]
            state = self.new()
            self.free[state] += options
            return state
        if isinstance(pattern, Repeat):
            return self.repeat(pattern, end)
        if isinstance(pattern, Edge):
            state = self.new()
            self.edge[state] = (pattern.at_end, end)
            return state
        raise MisplacedLookAhead("a look-ahead is understood at the beginning of a text only")

    def repeat(self, pattern: Repeat, end: int) -> int:
        if pattern.most is None:
            state = self.new()
            self.free[state] += [self.add(pattern.part, state), end]
        else:
            state = end
            for _ in range(pattern.most - pattern.least):
                option = self.new()
                self.free[option] += [self.add(pattern.part, state), end]
                state = option
        for _ in range(pattern.least):
            state = self.add(pattern.part, state)
        return state

    def reached(self, states: Iterable[int], *, at_start: bool, at_end: bool) -> set[int]:
        """Where states lead without a character."""
        waiting = list(states)
        seen = set(waiting)
        while waiting:
            state = waiting.pop()
            edge = self.edge[state]
            more = list(self.free[state])
            if edge is not None and (at_end if edge[0] else at_start):
                more.append(edge[1])
            for target in more:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        self.work += len(seen)
        if self.work > MOST_WORK:
            raise TooManyStates(f"takes more than {MOST_WORK} steps to read; give it fewer counts or choices")
        return seen


def _deterministic(pattern: Pattern, *, anywhere: bool) -> Automaton:
    """``pattern`` without look-aheads as an automaton."""
    if anywhere:
        pattern = InOrder((ANY_CHARACTERS, pattern, ANY_CHARACTERS))
    steps = _Steps()
    final = steps.new()
    first = steps.add(pattern, final)
    # once the search has found its match, nothing after it matters
    won = next((state for state in range(len(steps.free)) if anywhere and final in steps.free[state]), None)

    def closed(states: Iterable[int], *, at_start: bool = False) -> tuple[frozenset[int], bool]:
        reached = steps.reached(states, at_start=at_start, at_end=False)
        if won is not None and won in reached:
            return frozenset((won,)), False
        return frozenset(s for s in reached if steps.take[s] or steps.edge[s] or s == final), at_start

    def moves(state: tuple[frozenset[int], bool]) -> Iterator[tuple[int, int, tuple[frozenset[int], bool]]]:
        if won is not None and won in state[0]:
            yield 0, LAST_CODE_POINT, state
            return
        changes: dict[int, list[tuple[bool, int]]] = {}
        for source in state[0]:
            taken = steps.take[source]
            for low, high in taken[0] if taken else ():
                changes.setdefault(low, []).append((True, source))
                changes.setdefault(high + 1, []).append((False, source))
        here: dict[int, int] = {}
        places = sorted(changes)
        for low, following in pairwise(places):
            for begins, source in changes[low]:
                here[source] = here.get(source, 0) + (1 if begins else -1)
                if not here[source]:
                    del here[source]
            if here:
                yield low, following - 1, closed({taken[1] for s in here if (taken := steps.take[s])})

    def accepts(state: tuple[frozenset[int], bool]) -> bool:
        return final in steps.reached(state[0], at_start=state[1], at_end=True)

    return ANY_TEXT if pattern == ANY_CHARACTERS else explored(closed((first,), at_start=True), moves, accepts)
