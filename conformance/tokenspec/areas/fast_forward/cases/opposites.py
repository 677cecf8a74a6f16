"""Schemas about what does not hold, or holds only if: each beside one of the same texts that says so outright."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, schema
from tokenspec.areas.fast_forward.cases.probing import probing
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING, YES = ({"type": kind} for kind in ("integer", "string", "null", "boolean"))
VALUES = ["null", "true", "false", "1", "1.5", "-2.0", '"a"', '"ab"', "[]", "[1]", "{}", '{"a":1}']
DIGITS = list("0123456789")
LENGTHS = ["null", *(f'"{"a" * length}"' for length in range(5))]
LISTS = ["null", *(f"[{','.join('1' * length)}]" for length in range(5))]
NAMES = ["", "a", "b", "c", "ab", "ac", "bc", "abc"]
OBJECTS = ["{" + ",".join(f'"{name}":null' for name in names) + "}" for names in NAMES]
THREE = {"a": NOTHING, "b": NOTHING, "c": NOTHING}
Told = Iterator[tuple[str, Any, Any, Sequence[Any]]]


def some_of(*chosen: str) -> dict[str, Any]:
    """Objects that have exactly the letters of one of these as names, each null."""
    return {"anyOf": [closed(list(names), dict.fromkeys(names, NOTHING)) for names in chosen]}


def texts(pattern: str, **given: Any) -> dict[str, Any]:
    """Strings that a pattern describes."""
    return {**TEXT, "pattern": pattern, **given}


def opposite_kinds() -> Told:
    """``not`` beside ``type``, constants and bounds."""
    yield "kind", {"not": TEXT}, {"type": ["null", "boolean", "number", "array", "object"]}, VALUES
    others = {"type": ["null", "boolean", "string", "object"]}
    yield "kinds", {"not": {"type": ["number", "array"]}}, others, VALUES
    yield "everything-but-objects", {"type": ["null", "object"], "not": {"type": "object"}}, NOTHING, VALUES
    fraction = {"regex": r"-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9][0-9]*"}
    numbers = ["1", "1.0", "1.5", "-0.50", "0.0", "10.01", "-2.000", "1e0", "1.5e1", ".5", "01.5", "2.", ""]
    yield "whole", {"type": "number", "not": WHOLE}, fraction, numbers
    yield "whole-of-whole", {"type": ["integer", "null"], "not": WHOLE}, NOTHING, numbers
    texts_too = {"type": ["number", "string"], "not": {"type": ["integer", "string"]}}
    yield "whole-and-text", texts_too, fraction, numbers
    yield "twice", {"not": {"not": TEXT}}, TEXT, VALUES
    yield "nothing", {"type": ["null", "integer"], "not": False}, {"type": ["null", "integer"]}, VALUES
    yield "everything-in-a-choice", {"anyOf": [{"not": True}, {"not": {}}, NOTHING]}, NOTHING, VALUES
    yield "null", {"type": ["null", "boolean"], "not": {"const": None}}, YES, VALUES
    yield "true", {"type": ["null", "boolean"], "not": {"enum": [True, "x"]}}, {"enum": [None, False]}, VALUES
    yield "false", {**YES, "not": {"const": False}}, {"const": True}, VALUES
    yield "booleans", {"type": ["null", "boolean"], "not": {"enum": [True, False]}}, NOTHING, VALUES
    yield "enum-of-enum", {"enum": ["a", 1, None, [1]], "not": {"enum": [1.0, "b", [1]]}}, {"enum": ["a", None]}, VALUES
    for name, keyword, kept in (
        ("minimum", {"minimum": 3}, {"exclusiveMaximum": 3}),
        ("maximum", {"maximum": 3}, {"exclusiveMinimum": 3}),
        ("above", {"exclusiveMinimum": 3}, {"maximum": 3}),
        ("below", {"exclusiveMaximum": 3}, {"minimum": 3}),
    ):
        bounds = {"minimum": 0, "maximum": 9}
        yield name, {**WHOLE, **bounds, "not": keyword}, {**WHOLE, **bounds, **kept}, DIGITS
        of_numbers = {"type": ["string", "integer"], "not": keyword, **bounds}
        yield f"{name}-of-numbers", of_numbers, {**WHOLE, **bounds, **kept}, [*DIGITS, '"a"']
    both = {**WHOLE, "not": {"minimum": 3, "maximum": 5}}
    yield "between", both, {**WHOLE, "anyOf": [{"maximum": 2}, {"minimum": 6}]}, DIGITS


def opposite_sizes() -> Told:
    """``not`` beside counts."""
    given: dict[str, Any]
    for name, keyword, kept in (
        ("least-length", {"minLength": 2}, {"maxLength": 1}),
        ("most-length", {"maxLength": 2}, {"minLength": 3}),
        ("no-length", {"minLength": 1}, {"maxLength": 0}),
    ):
        yield name, {"type": ["string", "null"], "not": keyword}, {**TEXT, **kept}, LENGTHS
    for name, keyword, kept in (
        ("least-items", {"minItems": 2}, {"maxItems": 1}),
        ("most-items", {"maxItems": 2}, {"minItems": 3}),
    ):
        items = {"items": {"const": 1}}
        given = {"type": ["array", "null"], **items, "not": keyword}
        yield name, given, {"type": "array", **items, **kept}, LISTS
    any_names = {"additionalProperties": NOTHING}
    for name, keyword, kept in (
        ("least-members", {"minProperties": 2}, {"maxProperties": 1}),
        ("most-members", {"maxProperties": 2}, {"minProperties": 3}),
    ):
        given = {"type": ["object", "null"], **any_names, "not": keyword}
        yield name, given, {"type": "object", **any_names, **kept}, ["null", *OBJECTS]
    for least in ("minLength", "minItems", "minProperties"):
        given = {"anyOf": [NOTHING, {"not": {least: 0}}]}
        yield f"any-{least.lower()}", given, NOTHING, VALUES
    given = {"anyOf": [NOTHING, {**TEXT, "not": {"format": "other"}}]}
    yield "unknown-format", given, NOTHING, VALUES
    given = {"anyOf": [NOTHING, {"type": "array", "not": {"uniqueItems": False}}]}
    yield "any-repeats", given, NOTHING, VALUES
    given = {"type": ["array", "null"], "items": YES, "not": {"type": "array", "minItems": 1}}
    yield "empty-list-or-null", given, {"anyOf": [NOTHING, {"const": []}]}, [*LISTS, "[true]"]


def opposite_texts() -> Told:
    """``not`` beside patterns, formats and texts."""
    words = [f'"{word}"' for word in ("", "a", "b", "ab", "ba", "aa", "bb", "abc", "\\\\", '\\"', "é", "\\n")]
    yield "pattern", {**TEXT, "not": {"pattern": "a"}}, texts("^[^a]*$"), words
    yield "patterns", {**TEXT, "pattern": "b", "not": {"pattern": "a"}}, texts("^[^a]*b[^a]*$"), words
    given = {**TEXT, "maxLength": 1, "not": {"format": "hostname"}}
    yield "format", given, texts("^[^0-9A-Za-z]?$"), words
    given = {**TEXT, "maxLength": 2, "not": {"enum": ["a", "ab", "c"]}}
    yield "words", given, texts("^(?:|[^ac]|a[^b]|[^a](?s:.))$"), words
    given = {**TEXT, "not": {"const": "a"}, "pattern": "^[ab]{1,2}$"}
    yield "word-beside-a-pattern", given, texts("^(?:b|[ab]{2})$"), words
    given = {"type": ["string", "null"], "not": {"pattern": "^$"}}
    yield "pattern-of-texts-only", given, {**TEXT, "minLength": 1}, [*words[:4], "null"]


def opposite_members() -> Told:
    """``not`` beside what speaks of properties."""
    open_three = closed([], THREE)
    yield "required", {**open_three, "not": {"required": ["b"]}}, closed([], {"a": NOTHING, "c": NOTHING}), OBJECTS
    given = {**open_three, "not": {"required": ["a", "c"]}}
    yield "required-two", given, some_of("", "a", "b", "c", "ab", "bc"), OBJECTS
    either = {"a": {"type": ["null", "integer"]}, "b": NOTHING}
    probes = [*OBJECTS, '{"a":1}', '{"a":1,"b":null}']
    given = {**closed([], either), "not": {"properties": {"a": NOTHING}}}
    yield "property", given, closed(["a"], {"a": WHOLE, "b": NOTHING}), probes
    given = {**closed([], either), "not": {"required": ["a"], "properties": {"a": NOTHING}}}
    yield (
        "property-that-is-there",
        given,
        {"anyOf": [closed([], {"b": NOTHING}), closed(["a"], {"a": WHOLE, "b": NOTHING})]},
        probes,
    )
    given = {**closed([], either), "not": {"patternProperties": {}, "additionalProperties": True, "required": ["a"]}}
    yield "further-that-say-nothing", given, closed([], {"b": NOTHING}), probes
    kinds = {
        "type": ["object", "null"],
        "not": {"required": ["a"]},
        "properties": {"a": YES},
        "additionalProperties": False,
    }
    yield "required-of-objects", kinds, closed([], {}), VALUES


def opposite_applied() -> Told:
    """``not`` beside applicators."""
    small, large = {"maximum": 3}, {"minimum": 6}
    yield "any-of", {**WHOLE, "not": {"anyOf": [small, large]}}, {**WHOLE, "minimum": 4, "maximum": 5}, DIGITS
    yield (
        "all-of",
        {**WHOLE, "not": {"allOf": [{"minimum": 3}, {"maximum": 5}]}},
        {**WHOLE, "anyOf": [{"maximum": 2}, large]},
        DIGITS,
    )
    given = {**WHOLE, "not": {"$ref": "#/$defs/a"}, "$defs": {"a": small}}
    yield "reference", given, {**WHOLE, "minimum": 4}, DIGITS
    given = {**WHOLE, "not": {"oneOf": [{"maximum": 5}, {"minimum": 3}]}}
    yield "one-of", given, {**WHOLE, "minimum": 3, "maximum": 5}, DIGITS
    given = {**WHOLE, "not": {"oneOf": [{"maximum": 2}, {"minimum": 2, "maximum": 4}, {"minimum": 7}]}}
    neither = {**WHOLE, "anyOf": [{"const": 2}, {"minimum": 5, "maximum": 6}]}
    yield "one-of-three", given, neither, DIGITS
    rule = {"if": {"minimum": 5}, "then": {"maximum": 7}, "else": {"minimum": 3}}
    kept = {**WHOLE, "anyOf": [{"maximum": 2}, {"minimum": 8}]}
    yield "if", {**WHOLE, "not": rule}, kept, DIGITS
    then = {**WHOLE, "not": {"if": {"minimum": 5}, "then": {"maximum": 7}}}
    yield "if-then", then, {**WHOLE, "minimum": 8}, DIGITS
    other = {**WHOLE, "not": {"if": {"minimum": 5}, "else": {"minimum": 3}}}
    yield "if-else", other, {**WHOLE, "maximum": 2}, DIGITS
    given = {**closed([], THREE), "not": {"dependentRequired": {"a": ["b", "c"]}}}
    yield "dependent-required", given, some_of("a", "ab", "ac"), OBJECTS
    given = {**closed([], THREE), "not": {"dependentSchemas": {"a": {"required": ["b"]}}}}
    yield "dependent-schemas", given, some_of("a", "ac"), OBJECTS


def conditional() -> Told:
    """``if`` with ``then`` and ``else``."""
    large, even = {"minimum": 5}, {"maximum": 7}
    yield (
        "then-else",
        {**WHOLE, "if": large, "then": even, "else": {"minimum": 3}},
        {**WHOLE, "minimum": 3, "maximum": 7},
        DIGITS,
    )
    yield "then", {**WHOLE, "if": large, "then": even}, {**WHOLE, "maximum": 7}, DIGITS
    yield "else", {**WHOLE, "if": large, "else": {"minimum": 3}}, {**WHOLE, "minimum": 3}, DIGITS
    yield "alone", {**WHOLE, "if": large}, WHOLE, DIGITS
    yield "then-without-if", {**WHOLE, "then": NOTHING, "else": TEXT}, WHOLE, DIGITS
    by_kind = {"type": ["string", "null", "boolean"], "if": TEXT, "then": {"minLength": 2}, "else": NOTHING}
    yield "by-kind", by_kind, {"anyOf": [{**TEXT, "minLength": 2}, NOTHING]}, VALUES
    by_value = {
        **closed(["a"], {"a": {"enum": [1, 2]}, "b": NOTHING}),
        "if": {"properties": {"a": {"enum": [2]}}},
        "then": {"required": ["b"]},
    }
    ones = closed(["a"], {"a": {"const": 1}, "b": NOTHING})
    twos = closed(["a", "b"], {"a": {"const": 2}, "b": NOTHING})
    objects = ['{"a":1}', '{"a":2}', '{"a":1,"b":null}', '{"a":2,"b":null}', '{"a":3}', '{"b":null}', "{}"]
    yield "by-member", by_value, {"anyOf": [ones, twos]}, objects
    yield "never", {**WHOLE, "if": False, "then": TEXT, "else": large}, {**WHOLE, **large}, DIGITS
    yield "always", {**WHOLE, "if": True, "then": large, "else": TEXT}, {**WHOLE, **large}, DIGITS


def dependent() -> Told:
    """Properties that bring others, or a schema, with them."""
    lists, ab = {"a": ["b"]}, some_of("", "b", "c", "ab", "bc", "abc")
    yield "required", {**closed([], THREE), "dependentRequired": lists}, ab, OBJECTS
    two = {"a": ["b"], "c": ["a", "b"]}
    yield "required-several", {**closed([], THREE), "dependentRequired": two}, some_of("", "b", "ab", "abc"), OBJECTS
    yield "required-none", {**closed([], THREE), "dependentRequired": {"a": []}}, closed([], THREE), OBJECTS
    yield "schemas", {**closed([], THREE), "dependentSchemas": {"a": {"required": ["b"]}}}, ab, OBJECTS
    never = {**closed([], THREE), "dependentSchemas": {"c": False, "b": True}}
    yield "schemas-never", never, closed([], {"a": NOTHING, "b": NOTHING}), OBJECTS
    sized = {**closed([], THREE), "dependentSchemas": {"a": {"maxProperties": 2}, "b/~": {}}}
    yield "schemas-sizes", sized, some_of("", "a", "b", "c", "ab", "ac", "bc"), OBJECTS
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
    both = {**draft, **closed([], THREE), "dependencies": {"a": ["b"], "c": {"required": ["a"]}}}
    yield "dependencies", both, some_of("", "b", "ab", "abc"), OBJECTS
    yield "other-kinds", {**WHOLE, "dependentRequired": lists, "dependentSchemas": {"a": False}}, WHOLE, VALUES


def one_of() -> Told:
    """Alternatives that share values."""
    low, high = {"maximum": 5}, {"minimum": 3}
    apart = {**WHOLE, "anyOf": [{"maximum": 2}, {"minimum": 6}]}
    yield "overlapping", {**WHOLE, "oneOf": [low, high]}, apart, DIGITS
    yield "overlapping-inside", {"oneOf": [{**WHOLE, **low}, {**WHOLE, **high}]}, apart, DIGITS
    three = {**WHOLE, "oneOf": [{"maximum": 2}, {"minimum": 2, "maximum": 4}, {"minimum": 4}]}
    parts = {**WHOLE, "anyOf": [{"maximum": 1}, {"const": 3}, {"minimum": 5}]}
    yield "overlapping-three", three, parts, DIGITS
    given = {"maximum": 2, "oneOf": [{**WHOLE, **low}, {**WHOLE, **high}]}
    yield "apart-by-what-is-beside", given, {**WHOLE, "maximum": 2}, DIGITS
    yield "same-twice", {"oneOf": [WHOLE, WHOLE, NOTHING]}, NOTHING, VALUES
    given = {"oneOf": [{**TEXT, "maxLength": 2}, {**TEXT, "minLength": 1}]}
    yield "lengths", given, {"anyOf": [{**TEXT, "maxLength": 0}, {**TEXT, "minLength": 3}]}, LENGTHS
    given = {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}
    yield "enums", given, {"enum": ["a", "c"]}, ['"a"', '"b"', '"c"']
    given = {**closed([], THREE), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    yield "required", given, some_of("a", "b", "ac", "bc"), OBJECTS
    yield "only", {"oneOf": [{**WHOLE, **low}]}, {**WHOLE, **low}, DIGITS


FAMILIES = {
    "not": (opposite_kinds, opposite_sizes, opposite_texts, opposite_members, opposite_applied),
    "if": (conditional,),
    "dependent": (dependent,),
    "one-of": (one_of,),
}


def cases() -> Iterator[Case]:
    """Cases ``json-not-*``, ``json-if-*``, ``json-dependent-*`` and ``json-one-of-*``."""
    for family, kinds in FAMILIES.items():
        for kind in kinds:
            for name, value, alike, texts in kind():
                why = "What does not hold, holds only if, or holds of one alone."
                same = alike if "regex" in alike else schema(alike)
                slug = f"json-{family}-{name}"
                yield probing(slug, why, "JSON_SCHEMA", schema(value), texts, alike=same)


CASES = tuple(cases())
