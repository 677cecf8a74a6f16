"""From goals to alternatives: every way to satisfy some places of a schema at once, applicators resolved.

``anyOf`` is a choice, ``allOf`` and whatever else stands in one schema hold together, ``not`` turns both around. An
alternative of ``oneOf`` excludes the others, unless no value satisfies two of them. ``if`` is a choice between what
satisfies it and what does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.json_text import name_of
from tokenspec_reference.fast_forward.schema_demands import ANYTHING, Demands, Goal, Goals
from tokenspec_reference.fast_forward.schema_document import MOST_LEVELS, Document, escaped
from tokenspec_reference.fast_forward.schema_judgement import LOOKED_INTO, CircularSchema, Judgement
from tokenspec_reference.fast_forward.schema_keywords import BY_KEYWORD, HANDLERS, Schema, without

MOST_ALTERNATIVES = 512
MOST_MERGES = 100_000  # of alternatives, in all of a schema
APPLICATORS = {
    keyword: keyword
    for keyword in (
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
    )
}
REFUSED_REFERENCES = ("$dynamicRef", "$recursiveRef")


class Alternatives(Judgement):
    """The alternatives of one document, each set of goals once."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self._of: dict[Goals, list[Demands]] = {}
        self._options: dict[Goal, list[Demands]] = {}
        self._open: list[Goal] = []
        self._merges = 0

    def of(self, goals: Goals) -> list[Demands]:
        """Every way to satisfy all goals; contradictory ones are left out where that is seen."""
        known = self._of.get(goals)
        if known is None:
            known = self._of[goals] = [way for way in self.ways(goals) if self.possible(way, LOOKED_INTO)]
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
            self._merges += len(ways) * len(part)
            if self._merges > MOST_MERGES:
                raise SchemaError(f"has more than {MOST_MERGES} pairs of alternatives to combine", field=pointer)
            ways = [together for way in ways for other in part if (together := way.together(other)) is not None]
            if len(ways) > MOST_ALTERNATIVES:
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
            name_of(name, pointer)
            here = f"{pointer}/{escaped(name)}"
            absent = without(name)
            present = Demands(kinds=frozenset(("object",)), required=(name,))
            if isinstance(needs, list) and not all(isinstance(need, str) for need in needs):
                raise SchemaError("expected a list of names", field=here)
            if not isinstance(needs, list):
                then = self.options((here, negated))
            else:
                then = [without(need) for need in needs] if negated else [Demands(required=tuple(needs))]
            both = self.together([[present], then], here)
            yield both if negated else [absent, *both]
