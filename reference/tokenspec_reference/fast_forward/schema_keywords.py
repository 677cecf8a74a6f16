"""Keywords of a schema that speak about one kind of values, each as what it demands, or demands not to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.formats import FORMATS
from tokenspec_reference.fast_forward.json_text import check_value, decimal_of, name_of
from tokenspec_reference.fast_forward.number_texts import Range, remainders
from tokenspec_reference.fast_forward.schema_demands import (
    ALL_KINDS,
    ANYTHING,
    KINDS,
    NO_GOAL,
    Demands,
    Goal,
    ItemRule,
    MemberRule,
    Span,
    TextRule,
    Unsupported,
    kind_of,
)
from tokenspec_reference.fast_forward.schema_document import escaped

MOST_COUNT = 1 << 53
MOST_REMAINDERS = 5000
TYPES = (*KINDS, "integer")

Schema = Mapping[str, Any]
Handler = Callable[[Schema, str, bool], list[Demands]]
"""Of a schema, its pointer, and whether it is negated; the alternatives, any of which has to hold."""


def _types(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    types = schema["type"]
    types = [types] if isinstance(types, str) else types
    if not isinstance(types, list) or not types or any(name not in TYPES for name in types):
        raise SchemaError(f"expected one of {', '.join(TYPES)}, or a list of them", field=f"{pointer}/type")
    whole = "integer" in types and "number" not in types
    kinds = frozenset("number" if name == "integer" else name for name in types)
    if not negated:
        return [Demands(kinds=kinds, whole=whole)]
    others = [Demands(kinds=ALL_KINDS - kinds)] if kinds < ALL_KINDS else []
    return [*others, Demands(kinds=frozenset(("number",)), uneven=True)] if whole else others


def _one_of_values(values: list[Any], field: str, *, negated: bool) -> list[Demands]:
    if not negated:
        return [Demands(values=tuple(values))]
    kinds = {kind_of(value) for value in values}
    message = "numbers, lists and objects but some have no grammar here"
    unsupported = tuple(
        Unsupported(kind, field, message, decided=True) for kind in ("number", "array", "object") if kind in kinds
    )
    return [Demands(excluded=tuple(values), unsupported=unsupported)]


def _const(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    check_value(schema["const"], f"{pointer}/const")
    return _one_of_values([schema["const"]], f"{pointer}/const", negated=negated)


def _enum(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    values = schema["enum"]
    if not isinstance(values, list) or not values:
        raise SchemaError("expected a list with at least one entry", field=f"{pointer}/enum")
    for index, value in enumerate(values):
        check_value(value, f"{pointer}/enum/{index}")
    return _one_of_values(values, f"{pointer}/enum", negated=negated)


def _count(schema: Schema, keyword: str, pointer: str) -> int:
    value = schema[keyword]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_COUNT:
        raise SchemaError(f"expected an integer from 0 to {MOST_COUNT}", field=f"{pointer}/{keyword}")
    return value


def _span(kind: str, attribute: str, keyword: str) -> Handler:
    least = keyword.startswith("min")

    def demands(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
        count = _count(schema, keyword, pointer)
        if negated:
            if least and not count:
                return []
            span: Span = (0, count - 1) if least else (count + 1, None)
            return [Demands(kinds=frozenset((kind,)), **{attribute: span})]  # type: ignore[arg-type]
        return [Demands(**{attribute: (count, None) if least else (0, count)})]  # type: ignore[arg-type]

    return demands


def _text(keyword: str, attribute: str) -> Handler:
    def demands(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
        value = schema[keyword]
        if not isinstance(value, str):
            raise SchemaError("expected text", field=f"{pointer}/{keyword}")
        if keyword == "format" and value not in FORMATS:
            return [] if negated else [ANYTHING]
        kinds = frozenset(("string",)) if negated else ALL_KINDS
        return [Demands(kinds=kinds, **{attribute: (TextRule(value, negated, f"{pointer}/{keyword}"),)})]  # type: ignore[arg-type]

    return demands


def _bound(keyword: str) -> Handler:
    low = keyword.endswith("inimum")

    def demands(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
        value, is_open = schema[keyword], keyword.startswith("exclusive")
        if is_open and isinstance(value, bool):  # draft 4: it says how to read its neighbour
            return [] if negated else [ANYTHING]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise SchemaError("expected a number", field=f"{pointer}/{keyword}")
        is_open = is_open or schema.get(f"exclusive{keyword.capitalize()}") is True
        bound = decimal_of(value, f"{pointer}/{keyword}")
        if negated:
            mirrored = Range(high=bound, high_open=not is_open) if low else Range(low=bound, low_open=not is_open)
            return [Demands(kinds=frozenset(("number",)), bounds=mirrored)]
        return [Demands(bounds=Range(low=bound, low_open=is_open) if low else Range(high=bound, high_open=is_open))]

    return demands


def _multiple(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    value, field = schema["multipleOf"], f"{pointer}/multipleOf"
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise SchemaError("expected a number above 0", field=field)
    if negated:
        return [_not_understood("number", field, "numbers that are no multiple are not understood")]
    multiple = Fraction(decimal_of(value, field))
    if remainders(multiple) > MOST_REMAINDERS:
        raise SchemaError(f"has more than {MOST_REMAINDERS} remainders", field=field)
    return [Demands(multiples=(multiple,))]


def _items(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    fixed = schema.get("prefixItems", [])
    first, rest = "prefixItems", "items"
    if isinstance(schema.get("items"), list) and "prefixItems" not in schema:  # before draft 2020-12
        fixed, first, rest = schema["items"], "items", "additionalItems"
    if not isinstance(fixed, list):
        raise SchemaError("expected a list of schemas", field=f"{pointer}/prefixItems")
    if negated:
        return [_not_understood("array", f"{pointer}/{rest if rest in schema else first}", "no negation of items")]
    goals = tuple((f"{pointer}/{first}/{index}", False) for index in range(len(fixed)))
    return [Demands(items=(ItemRule(goals, (f"{pointer}/{rest}", False) if rest in schema else None),))]


def _unique(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    field = f"{pointer}/uniqueItems"
    if not isinstance(schema["uniqueItems"], bool):
        raise SchemaError("expected true or false", field=field)
    if not schema["uniqueItems"]:
        return [] if negated else [ANYTHING]
    return [_not_understood("array", field, "items that differ have no grammar", negated=negated)]


def _members(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    for keyword in ("properties", "patternProperties"):
        if not isinstance(schema.get(keyword, {}), Mapping):
            raise SchemaError("expected an object", field=f"{pointer}/{keyword}")
    for name in schema.get("properties", ()):
        name_of(name, f"{pointer}/properties")
    named: tuple[tuple[str, Goal], ...] = tuple(
        (name, (f"{pointer}/properties/{escaped(name)}", negated)) for name in schema.get("properties", ())
    )
    if negated:
        found = [
            Demands(kinds=frozenset(("object",)), members=(MemberRule(((name, goal),)),), required=(name,))
            for name, goal in named
        ]
        found += [
            _not_understood("object", f"{pointer}/{keyword}", "no negation of further properties")
            for keyword in ("patternProperties", "additionalProperties")
            if schema.get(keyword, True) not in (True, {})
        ]
        return found
    patterns = tuple(
        (pattern, (f"{pointer}/patternProperties/{escaped(pattern)}", False))
        for pattern in schema.get("patternProperties", ())
    )
    rest = (f"{pointer}/additionalProperties", False) if "additionalProperties" in schema else None
    return [Demands(members=(MemberRule(named, patterns, rest),))]


def without(name: str) -> Demands:
    """Values that have no property of a name."""
    return Demands(members=(MemberRule(((name, NO_GOAL),)),))


def _required(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
    names = schema["required"]
    if not isinstance(names, list):
        raise SchemaError("expected a list of names", field=f"{pointer}/required")
    for index, name in enumerate(names):
        name_of(name, f"{pointer}/required/{index}")
    if negated:
        return [Demands(kinds=frozenset(("object",)), members=without(name).members) for name in names]
    return [Demands(required=tuple(names))]


def _property_names(_: Schema, pointer: str, negated: bool) -> list[Demands]:
    field = f"{pointer}/propertyNames"
    return [_not_understood("object", field, "no negation of names")] if negated else [Demands(names=((field, False),))]


def _unknown(kind: str, keyword: str) -> Handler:
    def demands(_: Schema, pointer: str, negated: bool) -> list[Demands]:
        return [_not_understood(kind, f"{pointer}/{keyword}", f"{keyword} is not supported", negated=negated)]

    return demands


def _unevaluated(kind: str, keyword: str, same: str) -> Handler:
    """Where nothing beside it evaluates anything, it is the keyword for what is left."""

    def demands(schema: Schema, pointer: str, negated: bool) -> list[Demands]:
        field = f"{pointer}/{keyword}"
        if negated or same in schema or any(other in schema for other in EVALUATING):
            return [_not_understood(kind, field, f"{keyword} beside other schemas is not supported", negated=negated)]
        if kind == "array":
            return [Demands(items=(ItemRule(_fixed(schema, pointer), (field, False)),))]
        (own,) = _members(schema, pointer, negated)[0].members
        return [Demands(members=(MemberRule(own.named, own.patterns, (field, False)),))]

    return demands


def _fixed(schema: Schema, pointer: str) -> tuple[Goal, ...]:
    return _items(schema, pointer, negated=False)[0].items[0].first


def _not_understood(kind: str, field: str, message: str, *, negated: bool = True) -> Demands:
    kinds = frozenset((kind,)) if negated else ALL_KINDS
    return Demands(kinds=kinds, unsupported=(Unsupported(kind, field, message),))


EVALUATING = {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"}
HANDLERS: dict[tuple[str, ...], Handler] = {
    ("type",): _types,
    ("const",): _const,
    ("enum",): _enum,
    ("minLength",): _span("string", "lengths", "minLength"),
    ("maxLength",): _span("string", "lengths", "maxLength"),
    ("pattern",): _text("pattern", "patterns"),
    ("format",): _text("format", "formats"),
    **{(keyword,): _bound(keyword) for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")},
    ("multipleOf",): _multiple,
    ("items", "prefixItems"): _items,
    ("minItems",): _span("array", "counts", "minItems"),
    ("maxItems",): _span("array", "counts", "maxItems"),
    ("uniqueItems",): _unique,
    ("contains",): _unknown("array", "contains"),
    ("unevaluatedItems",): _unevaluated("array", "unevaluatedItems", "items"),
    ("properties", "patternProperties", "additionalProperties"): _members,
    ("required",): _required,
    ("propertyNames",): _property_names,
    ("minProperties",): _span("object", "sizes", "minProperties"),
    ("maxProperties",): _span("object", "sizes", "maxProperties"),
    ("unevaluatedProperties",): _unevaluated("object", "unevaluatedProperties", "additionalProperties"),
}
"""Keywords that are read together, and how. Any other keyword is an annotation, or an applicator."""
BY_KEYWORD = {keyword: keywords for keywords in HANDLERS for keyword in keywords}
