"""What a regular expression says, read but not yet matched: characters, order, choice, repeats, edges, look-aheads."""

from __future__ import annotations

from dataclasses import dataclass

from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.utf8 import CodeRange, characters


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of ranges of code points."""

    ranges: tuple[CodeRange, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    options: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``least`` to ``most`` times; None is without end."""

    part: Pattern
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning of the text, or its end."""

    at_end: bool


@dataclass(frozen=True, slots=True)
class Ahead:
    """What has to follow, or must not; it takes no characters."""

    part: Pattern
    negative: bool


Pattern = Characters | Sequence | Choice | Repeat | Edge | Ahead
EMPTY = Sequence(())


def without_outer_edges(pattern: Pattern, *, lead: bool = True, trail: bool = True) -> Pattern:
    """The pattern without edges that say nothing, because the whole text is matched."""
    if isinstance(pattern, Edge):
        return EMPTY if (trail if pattern.at_end else lead) else pattern
    if isinstance(pattern, Choice):
        return Choice(tuple(without_outer_edges(option, lead=lead, trail=trail) for option in pattern.options))
    if not isinstance(pattern, Sequence) or not pattern.parts:
        return pattern
    parts = list(pattern.parts)
    for at in range(len(parts)):
        parts[at] = without_outer_edges(parts[at], lead=lead, trail=False)
        if parts[at] != EMPTY:
            break
    for at in reversed(range(len(parts))):
        parts[at] = without_outer_edges(parts[at], lead=False, trail=trail)
        if parts[at] != EMPTY:
            break
    return Sequence(tuple(part for part in parts if part != EMPTY))


def is_plain(pattern: Pattern) -> bool:
    """Whether it has neither edges nor look-aheads."""
    if isinstance(pattern, Edge | Ahead):
        return False
    if isinstance(pattern, Repeat):
        return is_plain(pattern.part)
    parts = pattern.parts if isinstance(pattern, Sequence) else pattern.options if isinstance(pattern, Choice) else ()
    return all(map(is_plain, parts))


def expression_of(make: Expressions, pattern: Pattern) -> Node:
    """The expression of a plain pattern."""
    if isinstance(pattern, Characters):
        return characters(make, pattern.ranges)
    if isinstance(pattern, Sequence):
        return make.sequence(expression_of(make, part) for part in pattern.parts)
    if isinstance(pattern, Choice):
        return make.choice(expression_of(make, option) for option in pattern.options)
    if isinstance(pattern, Repeat):
        return make.repeat(expression_of(make, pattern.part), pattern.least, pattern.most)
    raise TypeError("edges and look-aheads need an automaton")
