"""What a value has to satisfy at once: one alternative of a schema, kind by kind.

A place of a schema is a *goal*. What several goals demand together is one value of this class, or none where they
contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any

from tokenspec_reference.fast_forward.number_texts import EVERYTHING, Range

KINDS = ("null", "boolean", "number", "string", "array", "object")
ALL_KINDS = frozenset(KINDS)

Goal = tuple[str, bool]
"""A JSON pointer, and whether the schema there must not hold."""
Goals = tuple[Goal, ...]
Span = tuple[int, int | None]
ANY_LENGTH: Span = (0, None)
NO_GOAL: Goal = ("", True)
"""What no value satisfies."""


@dataclass(frozen=True, slots=True)
class ItemRule:
    """Goals of the first items, and of all others; None has none."""

    first: tuple[Goal, ...] = ()
    rest: Goal | None = None

    def at(self, index: int) -> Goals:
        """The goals of one item."""
        if index < len(self.first):
            return (self.first[index],)
        return () if self.rest is None else (self.rest,)


@dataclass(frozen=True, slots=True)
class MemberRule:
    """Goals of properties by their name, by patterns of it, and of all others; None has none.

    ``goals`` are those of ``named``, to be looked up.
    """

    named: tuple[tuple[str, Goal], ...] = ()
    patterns: tuple[tuple[str, Goal], ...] = ()
    rest: Goal | None = None
    goals: Mapping[str, list[Goal]] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Read once: a walk over a thousand names would read them a thousand times."""
        goals: dict[str, list[Goal]] = {}
        for name, goal in self.named:
            goals.setdefault(name, []).append(goal)
        object.__setattr__(self, "goals", goals)


@dataclass(frozen=True, slots=True)
class TextRule:
    """A pattern that a string contains or a format it has, or not; and where that stands."""

    value: str
    negated: bool
    field: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A demand on values of one kind that has no grammar: only said where such values are left.

    ``decided`` says that a value at hand can be judged nevertheless.
    """

    kind: str
    field: str
    message: str
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Demands:
    """One alternative.

    Attributes:
        kinds: the kinds of values that are left.
        whole: numbers have no fraction.
        uneven: numbers have one, and it is not zero.
        values: the value is one of these; None is any.
        excluded: the value is none of these.
        patterns: regular expressions that a string contains, or does not.
        formats: formats of a string.
        lengths: how many characters a string has.
        bounds: bounds of a number.
        multiples: what a number is a multiple of.
        items: rules of items, all of which hold.
        counts: how many items there are.
        members: rules of properties, all of which hold.
        required: names of properties that are there.
        names: goals of all names.
        sizes: how many properties there are.
        unsupported: what is not understood.
    """

    kinds: frozenset[str] = ALL_KINDS
    whole: bool = False
    uneven: bool = False
    values: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()
    patterns: tuple[TextRule, ...] = ()
    formats: tuple[TextRule, ...] = ()
    lengths: Span = ANY_LENGTH
    bounds: Range = EVERYTHING
    multiples: tuple[Fraction, ...] = ()
    items: tuple[ItemRule, ...] = ()
    counts: Span = ANY_LENGTH
    members: tuple[MemberRule, ...] = ()
    required: tuple[str, ...] = ()
    names: Goals = ()
    sizes: Span = ANY_LENGTH
    unsupported: tuple[Unsupported, ...] = ()

    def together(self, other: Demands) -> Demands | None:
        """What both demand; None where no kind of value or no constant is left."""
        if other is ANYTHING or self is ANYTHING:
            return self if other is ANYTHING else other
        kinds = self.kinds & other.kinds
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            known = set(map(identity, other.values))
            values = tuple(value for value in self.values if identity(value) in known)
        if values is not None:
            values = tuple(value for value in values if kind_of(value) in kinds)
            kinds = frozenset(map(kind_of, values))
        if not kinds:
            return None
        merged: dict[str, Any] = {
            name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name)))) for name in UNITED
        }
        merged |= {name: narrower(getattr(self, name), getattr(other, name)) for name in SPANS}
        return replace(
            self,
            kinds=kinds,
            whole=self.whole or other.whole,
            uneven=self.uneven or other.uneven,
            values=values,
            excluded=(*self.excluded, *other.excluded),
            bounds=self.bounds.cut(other.bounds),
            **merged,
        )


ANYTHING = Demands()
SPANS = ("lengths", "counts", "sizes")
UNITED = tuple(
    each.name
    for each in fields(Demands)
    if each.name not in {"kinds", "whole", "uneven", "values", "excluded", "bounds", *SPANS}
)


def narrower(left: Span, right: Span) -> Span:
    """The counts of both."""
    most = left[1] if right[1] is None else right[1] if left[1] is None else min(left[1], right[1])
    return max(left[0], right[0]), most


def kind_of(value: Any) -> str:
    """The kind of a JSON value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object" if isinstance(value, Mapping) else "array"


def identity(value: Any) -> str:
    """Equal for equal values: ``1`` is ``1.0``, the order of properties does not count."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {"": [[name, _plain(item)] for name, item in sorted(value.items())]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ["number", str(Fraction(repr(value)))]
    return value
