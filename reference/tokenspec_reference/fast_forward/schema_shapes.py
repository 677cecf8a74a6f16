"""The values that satisfy goals, kind by kind, with the goals of what is in them; and which of them can be finished.

Goals are read until no new ones come up: every mistake of a schema is found before the first byte. A list or an object
may hold itself, so whether a value can be finished is a least fixed point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.fast_forward.automaton import (
    ANY_TEXT,
    Automaton,
    TooManyStates,
    of_texts,
    opposite,
)
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.number_texts import EVERYTHING
from tokenspec_reference.fast_forward.schema_alternatives import Alternatives
from tokenspec_reference.fast_forward.schema_demands import KINDS, Demands, Goals, MemberRule, Span
from tokenspec_reference.fast_forward.schema_document import MOST_LEVELS

MOST_GOALS = 20_000
MOST_PATTERNS = 6


@dataclass(frozen=True, slots=True)
class Constant:
    """One value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers; ``spellings`` is None where they are written in any way."""

    whole: bool
    spellings: Automaton | None


@dataclass(frozen=True, slots=True)
class String:
    """Strings; ``texts`` is None where only their length counts."""

    texts: Automaton | None
    lengths: Span


@dataclass(frozen=True, slots=True)
class Array:
    """Lists: goals of the first items, and of the others."""

    first: tuple[Goals, ...]
    rest: Goals
    counts: Span


@dataclass(frozen=True, slots=True)
class Object:
    """Objects: properties in order with their goals and whether they are required, and sets of other names."""

    named: tuple[tuple[str, Goals, bool], ...]
    further: tuple[tuple[Automaton, Goals], ...]
    sizes: Span


Shape = Constant | Number | String | Array | Object


class Shapes:
    """The shapes of all goals that can be reached from the root of a document."""

    def __init__(self, alternatives: Alternatives) -> None:
        self.alternatives = alternatives
        self.of: dict[Goals, list[Shape]] = {}
        layer: list[Goals] = [(("#", False),)]
        depth = 0
        while layer:
            deep = next(filter(None, layer), None)  # "any value" is nobody's level
            if depth >= MOST_LEVELS and deep is not None:
                raise SchemaError(f"nested deeper than {MOST_LEVELS} levels", field=deep[0][0])
            following: dict[Goals, None] = {}
            for goals in layer:
                shapes = self.of[goals] = list(self.shapes(goals))
                following.update((inner, None) for shape in shapes for inner in _inner(shape))
                if len(self.of) > MOST_GOALS:
                    raise SchemaError(f"has more than {MOST_GOALS} combinations of schemas", field=goals[0][0])
            layer = [goals for goals in following if goals not in self.of]
            depth += 1
        self.finished = self._finished()

    def shapes(self, goals: Goals) -> Iterator[Shape]:
        """What satisfies goals; equal constants once."""
        seen = set[str]()
        for demands in self.alternatives.of(goals):
            if demands.values is not None:
                for value in demands.values:
                    if self.alternatives.allows(value, demands) and repr(value) not in seen:
                        seen.add(repr(value))
                        yield Constant(value)
                continue
            for kind in KINDS:
                if kind in demands.kinds and self.alternatives.possible_kind(kind, demands, 1):
                    yield from self.kind(kind, demands)

    def kind(self, kind: str, demands: Demands) -> Iterator[Shape]:
        """The shape of one kind."""
        for each in demands.unsupported:
            few = each.field.endswith("/uniqueItems") and demands.counts[1] in (0, 1)
            if each.kind == kind and not few:
                raise SchemaError(each.message, field=each.field)
        if kind == "null":
            yield Constant(None)
        elif kind == "boolean":
            yield from (Constant(value) for value in (True, False) if value not in _booleans(demands))
        elif kind == "number":
            free = demands.bounds == EVERYTHING and not demands.multiples and not demands.uneven
            yield Number(demands.whole, None if free else self.alternatives.numbers(demands))
        elif kind == "string":
            texts = self.alternatives.strings(demands)
            yield String(None if texts is ANY_TEXT else texts, demands.lengths)
        elif kind == "array":
            longest, most = max((len(rule.first) for rule in demands.items), default=0), demands.counts[1]
            fixed = longest if most is None else min(longest, most)
            first = tuple(self.alternatives.item(demands, index) for index in range(fixed))
            yield Array(first, self.alternatives.item(demands, longest), demands.counts)
        else:
            yield self.object(demands)

    def object(self, demands: Demands) -> Object:
        """Declared properties in the order of the schema, then required ones, then sets of other names."""
        declared = dict.fromkeys(name for rule in demands.members for name, _ in rule.named)
        declared.update(dict.fromkeys(demands.required))
        required = set(demands.required)
        named = tuple((name, self.alternatives.member(demands, name), name in required) for name in declared)
        patterns = {pattern: goal[0] for rule in demands.members for pattern, goal in rule.patterns}
        field = next(iter(patterns.values()), "#")
        if len(patterns) > MOST_PATTERNS:
            raise SchemaError(f"more than {MOST_PATTERNS} patterns of names at once are not supported", field=field)
        if not patterns and not demands.names and any(self.closes(rule) for rule in demands.members):
            return Object(named, (), demands.sizes)
        try:
            others = opposite(of_texts(declared))
            further = list(self.names(others, list(patterns.items()), demands, ()))
        except TooManyStates as error:
            raise SchemaError(str(error), field=field) from None
        return Object(named, tuple(further), demands.sizes)

    def closes(self, rule: MemberRule) -> bool:
        """Whether it forbids all further properties; then nobody need know which names those would have."""
        return rule.rest is not None and self.alternatives.document.at(rule.rest[0]) is False

    def names(
        self, names: Automaton, patterns: list[tuple[str, str]], demands: Demands, chosen: tuple[str, ...]
    ) -> Iterator[tuple[Automaton, Goals]]:
        """Sets of names that contain the same patterns, with the goals of their values."""
        texts = self.alternatives.texts
        if not names:
            return
        if patterns:
            pattern, field = patterns[0]
            matching = self.alternatives.pattern(pattern, field)
            yield from self.names(texts.cut(names, matching, negated=False), patterns[1:], demands, (*chosen, pattern))
            yield from self.names(texts.cut(names, matching, negated=True), patterns[1:], demands, chosen)
            return
        for way in self.alternatives.of(demands.names):
            if "string" not in way.kinds:
                continue
            if way.values is not None:
                allowed = of_texts(value for value in way.values if isinstance(value, str))
            else:
                allowed = texts.strings(way.patterns, way.formats, way.lengths, ())
            own = texts.cut(names, allowed, negated=False)
            found = [goal for rule in demands.members for goal in _goals(rule, chosen)]
            if own:
                yield own, tuple(dict.fromkeys(found))

    def _finished(self) -> set[Goals]:
        """Goals that some finite text satisfies."""
        done: set[Goals] = set()
        using: dict[Goals, set[Goals]] = {}
        for goals, shapes in self.of.items():
            for shape in shapes:
                for inner in _inner(shape):
                    using.setdefault(inner, set()).add(goals)
        waiting = list(self.of)
        while waiting:
            goals = waiting.pop()
            if goals not in done and any(possible(shape, done) for shape in self.of[goals]):
                done.add(goals)
                waiting += using.get(goals, ())
        return done


def _booleans(demands: Demands) -> list[Any]:
    return [value for value in demands.excluded if isinstance(value, bool)]


def _goals(rule: Any, chosen: tuple[str, ...]) -> Goals:
    own = tuple(goal for pattern, goal in rule.patterns if pattern in chosen)
    return own or (() if rule.rest is None else (rule.rest,))


def _inner(shape: Shape) -> Iterator[Goals]:
    if isinstance(shape, Array):
        yield from shape.first
        yield shape.rest
    elif isinstance(shape, Object):
        yield from (goals for _, goals, _ in shape.named)
        yield from (goals for _, goals in shape.further)


def possible(shape: Shape, done: set[Goals]) -> bool:
    """Whether a value of a shape can be finished, given the goals that can."""
    if isinstance(shape, Array):
        return shape.counts[0] <= most_items(shape, done)
    if not isinstance(shape, Object):
        return True
    if any(required and goals not in done for _, goals, required in shape.named):
        return False
    least, most = shape.sizes
    needed = sum(required for _, _, required in shape.named)
    more = any(goals in done for _, goals in shape.further)
    there = sum(goals in done for _, goals, _ in shape.named)
    return (most is None or needed <= most) and (more or least <= there)


def most_items(shape: Array, done: set[Goals]) -> float:
    """How many items a list can have, given the goals that can be finished."""
    most = float("inf") if shape.counts[1] is None else shape.counts[1]
    for index, goals in enumerate(shape.first):
        if goals not in done:
            return min(most, index)
    return most if shape.rest in done else min(most, len(shape.first))
