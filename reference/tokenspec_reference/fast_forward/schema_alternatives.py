"""From goals to alternatives: every way to satisfy some places of a schema at once, applicators resolved.

``anyOf`` is a choice, ``allOf`` and whatever else stands in one schema hold together, ``not`` turns both around. An
alternative of ``oneOf`` excludes the others, unless no value satisfies two of them. ``if`` is a choice between what
satisfies it and what does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from tokenspec_reference.fast_forward.automaton import ANY_TEXT, NO_TEXT, Automaton, TooManyStates
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.json_text import decimal_of, utf8_of
from tokenspec_reference.fast_forward.number_texts import common_multiple, within
from tokenspec_reference.fast_forward.schema_demands import (
    ANYTHING,
    NO_GOAL,
    Demands,
    Goal,
    Goals,
    identity,
    kind_of,
)
from tokenspec_reference.fast_forward.schema_document import Document, escaped
from tokenspec_reference.fast_forward.schema_keywords import BY_KEYWORD, HANDLERS, Schema, without
from tokenspec_reference.fast_forward.schema_texts import TextSets, TextsRefused, texts_with

MOST_LEVELS = 64
MOST_ALTERNATIVES = 512
MOST_MERGES = 100_000  # of alternatives, in all of a schema
LOOKED_INTO = 3  # levels of properties that are looked into for a contradiction
APPLICATORS = {
    keyword: keyword
    for keyword in ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas", "dependencies")
}
REFUSED_REFERENCES = ("$dynamicRef", "$recursiveRef")


class CircularSchema(SchemaError):
    """A schema that is the same schema again, with nothing between."""


class Alternatives:
    """The alternatives of one document, each set of goals once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.texts = TextSets()
        self._of: dict[Goals, list[Demands]] = {}
        self._options: dict[Goal, list[Demands]] = {}
        self._open: list[Goal] = []
        self._merges = 0
        self._numbers: dict[object, Automaton] = {}

    def of(self, goals: Goals) -> list[Demands]:
        """Every way to satisfy all goals; contradictory ones are left out where that is seen."""
        known = self._of.get(goals)
        if known is None:
            ways = self.together([self.options(goal) for goal in goals], goals[0][0] if goals else "#")
            known = self._of[goals] = [way for way in ways if self.possible(way, LOOKED_INTO)]
        return known

    def options(self, goal: Goal) -> list[Demands]:
        """Every way to satisfy one goal."""
        known = self._options.get(goal)
        if known is None:
            with self.level(goal):
                known = self._options[goal] = self.read(*goal)
        return known

    @contextmanager
    def level(self, goal: Goal) -> Iterator[None]:
        """One schema in another about the same value; endless or deep ones are refused."""
        if goal in self._open:
            raise CircularSchema("a schema that refers to itself says nothing", field=goal[0])
        if len(self._open) >= MOST_LEVELS:
            raise SchemaError(f"nested deeper than {MOST_LEVELS} levels", field=goal[0])
        self._open.append(goal)
        try:
            yield
        finally:
            self._open.pop()

    def read(self, pointer: str, negated: bool) -> list[Demands]:
        """What a schema says, keyword by keyword."""
        schema = self.document.at(pointer) if pointer else True
        if isinstance(schema, bool):
            return [ANYTHING] if schema is not negated else []
        if not isinstance(schema, Mapping):
            raise SchemaError("expected an object, true or false", field=pointer)
        for keyword in schema:
            if not isinstance(keyword, str):
                raise SchemaError(f"expected text as keyword, got {keyword!r}", field=pointer)
            if keyword in REFUSED_REFERENCES:
                raise SchemaError(f"{keyword} is not supported; use $ref", field=f"{pointer}/{keyword}")
        if "$ref" in schema and not self.document.siblings_count:
            schema = {"$ref": schema["$ref"]}
        parts = list(self.parts(schema, pointer, negated))
        if not negated:
            return self.together(parts, pointer)
        return [option for part in parts for option in part]

    def together(self, parts: Sequence[list[Demands]], pointer: str) -> list[Demands]:
        """One alternative of each part, together, in every way."""
        ways = [ANYTHING]
        for part in parts:
            if len(part) == 1 and part[0] is ANYTHING:
                continue
            self._merges += len(ways) * len(part)
            ways = [together for way in ways for other in part if (together := way.together(other)) is not None]
            if len(ways) > MOST_ALTERNATIVES or self._merges > MOST_MERGES:
                raise SchemaError(f"has more than {MOST_ALTERNATIVES} combinations of alternatives", field=pointer)
        return ways

    def parts(self, schema: Schema, pointer: str, negated: bool) -> Iterator[list[Demands]]:
        """The alternatives of each keyword, in the order of the schema: it is that of the properties."""
        groups = dict.fromkeys(APPLICATORS.get(keyword, BY_KEYWORD.get(keyword)) for keyword in schema)
        for group in groups:
            if isinstance(group, tuple):
                yield HANDLERS[group](schema, pointer, negated)
            elif group is not None:
                yield from self.applied(group, schema, pointer, negated)

    def applied(self, keyword: str, schema: Schema, pointer: str, negated: bool) -> Iterator[list[Demands]]:
        """The alternatives of an applicator."""
        value, here = schema[keyword], f"{pointer}/{keyword}"
        if keyword == "$ref":
            yield self.options((self.document.target(value, pointer), negated))
        elif keyword == "not":
            yield self.options((here, not negated))
        elif keyword == "if":
            if "then" in schema or "else" in schema:
                yield self.conditional(schema, pointer, negated)
        elif keyword in ("allOf", "anyOf", "oneOf"):
            places = self.places(value, here)
            if keyword == "oneOf" and not negated:
                beside = {other: each for other, each in schema.items() if other != "oneOf"}
                yield self.one_of(places, self.together(list(self.parts(beside, pointer, negated)), pointer))
            elif keyword == "oneOf":
                yield self.not_one_of(places)
            elif (keyword == "anyOf") is not negated:
                yield [option for place in places for option in self.options((place, negated))]
            else:
                yield self.together([self.options((place, negated)) for place in places], here)
        else:
            yield from self.dependent(value, here, negated)

    def places(self, value: Any, pointer: str) -> list[str]:
        if not isinstance(value, list) or not value:
            raise SchemaError("expected a list with at least one schema", field=pointer)
        return [f"{pointer}/{index}" for index in range(len(value))]

    def one_of(self, places: Sequence[str], beside: list[Demands]) -> list[Demands]:
        """Exactly one of them: each without those that it may share a value with, given what holds beside them."""
        found: list[Demands] = []
        for place in places:
            own = self.options((place, False))
            others = [other for other in places if other != place and self.meet(own, other, beside, place)]
            found += self.together([own, *(self.options((other, True)) for other in others)], place)
        return found

    def meet(self, own: list[Demands], other: str, beside: list[Demands], pointer: str) -> bool:
        """Whether some value may satisfy an alternative and another one."""
        ways = self.together([own, self.options((other, False)), beside], pointer)
        return any(self.possible(way, LOOKED_INTO) for way in ways)

    def not_one_of(self, places: Sequence[str]) -> list[Demands]:
        """None of them, or two."""
        found = self.together([self.options((place, True)) for place in places], places[0])
        for index, left in enumerate(places):
            for right in places[index + 1 :]:
                found += self.together([self.options((place, False)) for place in (left, right)], left)
        return found

    def conditional(self, schema: Schema, pointer: str, negated: bool) -> list[Demands]:
        """``if`` and ``then``, or not ``if`` and ``else``."""
        found: list[Demands] = []
        for keyword, holds in (("then", True), ("else", False)):
            if keyword in schema or not negated:
                chosen = [self.options((f"{pointer}/if", not holds))]
                chosen += [self.options((f"{pointer}/{keyword}", negated))] if keyword in schema else []
                found += self.together(chosen, f"{pointer}/if")
        return found

    def dependent(self, value: Any, pointer: str, negated: bool) -> Iterator[list[Demands]]:
        """A property that brings others, or a schema, with it."""
        if not isinstance(value, Mapping):
            raise SchemaError("expected an object", field=pointer)
        for name, needs in value.items():
            here = f"{pointer}/{escaped(str(name))}"
            utf8_of(str(name), here)
            absent = without(str(name))
            present = Demands(kinds=frozenset(("object",)), required=(str(name),))
            if isinstance(needs, list) and not all(isinstance(need, str) for need in needs):
                raise SchemaError("expected a list of names", field=here)
            if not isinstance(needs, list):
                then = self.options((here, negated))
            else:
                then = [Demands(required=tuple(needs))] if not negated else [
                    Demands(kinds=frozenset(("object",)), members=without(need).members) for need in needs
                ]
            both = self.together([[present], then], here)
            yield both if negated else [absent, *both]

    # ---- what is left ----------------------------------------------------------------------------------------------

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
        if any(each.kind == kind and not each.decided for each in demands.unsupported):
            return True
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
        ways = self.together([self.options(goal) for goal in goals], goals[0][0])
        return any(self.possible(way, depth) for way in ways)

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
        if demands.whole and demands.uneven:
            return NO_TEXT
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
            own = [goal for known, goal in rule.named if known == name]
            own += [goal for pattern, goal in rule.patterns if self.pattern(pattern, goal[0]).contains(name)]
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

    # ---- values ----------------------------------------------------------------------------------------------------

    def holds(self, value: Any, goals: Goals) -> bool:
        """Whether a value satisfies goals."""
        ways = self.together([self.options(goal) for goal in goals], goals[0][0] if goals else "#")
        return any(self.satisfies(value, way) for way in ways)

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
