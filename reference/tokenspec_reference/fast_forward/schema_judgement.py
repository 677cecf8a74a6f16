"""Which values are left by demands: of a constant exactly, of a kind as far as a short look tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tokenspec_reference.fast_forward.automaton import ANY_TEXT, NO_TEXT, Automaton, TooManyStates
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.json_text import decimal_of
from tokenspec_reference.fast_forward.number_texts import common_multiple, within
from tokenspec_reference.fast_forward.schema_demands import NO_GOAL, Demands, Goal, Goals, identity, kind_of
from tokenspec_reference.fast_forward.schema_texts import TextSets, TextsRefused, texts_with

LOOKED_INTO = 3  # levels of properties that are looked into for a contradiction


class CircularSchema(SchemaError):
    """A schema that is the same schema again, with nothing between."""


class Judgement(ABC):
    """Judges values and kinds of values; how goals become alternatives is up to who inherits it."""

    def __init__(self) -> None:
        self.texts = TextSets()
        self._numbers: dict[object, Automaton] = {}

    @abstractmethod
    def options(self, goal: Goal) -> list[Demands]:
        """Every way to satisfy one goal."""

    @abstractmethod
    def together(self, parts: Sequence[list[Demands]], pointer: str) -> list[Demands]:
        """One alternative of each part, together, in every way."""

    def ways(self, goals: Goals) -> list[Demands]:
        """Every way to satisfy all goals."""
        return self.together([self.options(goal) for goal in goals], goals[0][0] if goals else "#")

    def possible(self, demands: Demands, depth: int) -> bool:
        """Whether some value may satisfy the demands; where that takes a long look it may."""
        try:
            if demands.values is not None:
                return any(self.allows(value, demands) for value in demands.values)
            return any(self.possible_kind(kind, demands, depth) for kind in demands.kinds)
        except CircularSchema:  # the look came back to what is just being read
            return True

    def possible_kind(self, kind: str, demands: Demands, depth: int) -> bool:
        """The same for values of one kind."""
        if kind == "string":
            return bool(self.strings(demands))
        if kind == "number":
            return bool(self.numbers(demands))
        if kind == "boolean":
            return {True, False} > {value for value in demands.excluded if isinstance(value, bool)}
        if kind == "null":
            return None not in demands.excluded
        least, most = demands.counts if kind == "array" else demands.sizes
        if kind == "object":
            least = max(least, len(demands.required))
        if most is not None and least > most:
            return False
        if kind == "array":
            needed = [self.item(demands, index) for index in range(min(least, LOOKED_INTO))]
        else:
            needed = [self.member(demands, name) for name in demands.required]
        return all(self.possible_goals(goals, depth - 1) for goals in needed)

    def possible_goals(self, goals: Goals, depth: int) -> bool:
        """Whether some value may satisfy the goals."""
        if not depth or not goals:
            return True
        return any(self.possible(way, depth) for way in self.ways(goals))

    def strings(self, demands: Demands) -> Automaton:
        """The strings that are left, where more than lengths is demanded."""
        least, most = demands.lengths
        if most is not None and most < least:
            return NO_TEXT
        excluded = tuple(value for value in demands.excluded if isinstance(value, str))
        for rule in demands.patterns:
            self.pattern(rule.value, rule.field)
        if not (demands.patterns or demands.formats or excluded):
            return ANY_TEXT  # lengths alone are no matter of states
        try:
            return self.texts.strings(demands.patterns, demands.formats, demands.lengths, excluded)
        except TooManyStates as error:
            rules = (*demands.patterns, *demands.formats)
            raise SchemaError(str(error), field=rules[-1].field if rules else "#") from None

    def numbers(self, demands: Demands) -> Automaton:
        """The spellings of the numbers that are left, where they have bounds or are multiples."""
        multiple = common_multiple(demands.multiples)
        key = (demands.bounds, demands.whole, demands.uneven, multiple)
        if key not in self._numbers:
            try:
                self._numbers[key] = within(demands.bounds, multiple, whole=demands.whole, uneven=demands.uneven)
            except TooManyStates as error:
                raise SchemaError(str(error), field="#") from None
        return self._numbers[key]

    def item(self, demands: Demands, index: int) -> Goals:
        """The goals of an item."""
        return tuple(dict.fromkeys(goal for rule in demands.items for goal in rule.at(index)))

    def member(self, demands: Demands, name: str) -> Goals:
        """The goals of a property, by its name and the patterns that it contains."""
        found: dict[Goal, None] = {}
        for rule in demands.members:
            matching = (goal for pattern, goal in rule.patterns if self.pattern(pattern, goal[0]).contains(name))
            own = [*rule.goals.get(name, ()), *matching]
            found.update(dict.fromkeys(own or ([] if rule.rest is None else [rule.rest])))
        if demands.names and not all(self.holds(name, (goal,)) for goal in demands.names):
            found[NO_GOAL] = None
        return tuple(found)

    def pattern(self, pattern: str, field: str) -> Automaton:
        """The names that contain a match of a pattern."""
        try:
            return texts_with(pattern)
        except TextsRefused as error:
            raise SchemaError(str(error), field=field) from None

    def holds(self, value: Any, goals: Goals) -> bool:
        """Whether a value satisfies goals."""
        return any(self.satisfies(value, way) for way in self.ways(goals))

    def satisfies(self, value: Any, demands: Demands) -> bool:
        """Whether a value satisfies demands."""
        same = identity(value)
        listed = demands.values is None or any(identity(each) == same for each in demands.values)
        return listed and self.allows(value, demands)

    def allows(self, value: Any, demands: Demands) -> bool:
        """Whether a value satisfies demands, where it is one of the values that they list, or they list none."""
        kind = kind_of(value)
        if kind not in demands.kinds:
            return False
        if demands.excluded and identity(value) in map(identity, demands.excluded):
            return False
        for each in demands.unsupported:
            if each.kind == kind and not each.decided:
                raise SchemaError(each.message, field=each.field)
        if kind in ("null", "boolean"):
            return True
        if kind in ("number", "string"):
            return self.allows_number(value, demands) if kind == "number" else self.allows_string(value, demands)
        least, most = demands.counts if kind == "array" else demands.sizes
        if not least <= len(value) <= (len(value) if most is None else most):
            return False
        if kind == "array":
            return all(self.holds(item, self.item(demands, index)) for index, item in enumerate(value))
        return all(name in value for name in demands.required) and all(
            self.holds(item, self.member(demands, name)) for name, item in value.items()
        )

    def allows_number(self, value: float, demands: Demands) -> bool:
        """The same for a number."""
        number = decimal_of(value, "#")
        is_whole = number == number.to_integral_value()
        if demands.uneven if is_whole else demands.whole:
            return False
        multiples = all((Fraction(number) / multiple).denominator == 1 for multiple in demands.multiples)
        return multiples and demands.bounds.contains(number)

    def allows_string(self, value: str, demands: Demands) -> bool:
        """The same for a string."""
        least, most = demands.lengths
        return least <= len(value) <= (len(value) if most is None else most) and self.strings(demands).contains(value)
