"""How much: bounds and multiples of numbers, sizes of objects, and constants beside what limits them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, schema
from tokenspec.areas.fast_forward.cases.opposites import some_of
from tokenspec.areas.fast_forward.cases.probing import near, probing
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING, NUMBER = ({"type": kind} for kind in ("integer", "string", "null", "number"))
UNSIGNED = "(?:0|[1-9][0-9]*)"
REST, SOME = r"(?:\.[0-9]+)?", "[0-9]*[1-9][0-9]*"
SMALL = [f"{sign}{whole}{rest}" for sign in ("", "-") for whole in range(4) for rest in ("", ".5", ".25", ".75", ".50")]
SMALL = [text for text in SMALL if text[1:].strip("0.")] + ["0", "0.0", "1e0", "0.05", "10", "12.5"]
FOUR = dict.fromkeys("abcd", NOTHING)
SUBSETS = ["".join(name for at, name in enumerate("abcd") if chosen >> at & 1) for chosen in range(16)]
OBJECTS = ["{" + ",".join(f'"{name}":null' for name in names) + "}" for names in (*SUBSETS, "ba", "aa", "abdc")]
FURTHER = {"properties": {"a": {}}, "additionalProperties": WHOLE}
Told = Iterator[tuple[str, Any, Any, Sequence[Any]]]


def multiples() -> Told:
    """Numbers that are multiples of others, whole or not."""
    for multiple, spelled in ((2, None), (0.5, r"\.[05]"), (0.25, r"\.(?:[05]0?|[27]5)")):
        slug = str(multiple).replace(".", "-")
        kept = None if spelled is None else {"regex": f"-?{UNSIGNED}(?:{spelled})?"}
        yield f"multiple-of-{slug}", {**NUMBER, "multipleOf": multiple}, kept, SMALL
    for multiple, spelled in (
        (0.5, r"0\.5|[12](?:\.[05])?"),
        (0.25, r"0\.(?:50?|75)|[12](?:\.(?:[05]0?|[27]5))?"),
        (0.75, r"0\.75|1\.50?|2\.25"),
        (1.5, r"1\.5"),
        (0.125, r"0\.(?:50{0,2}|625|750?|875)|[12](?:\.(?:0{1,3}|125|250?|375|50{0,2}|625|750?|875))?"),
    ):
        slug = str(multiple).replace(".", "-")
        bounded = {**NUMBER, "multipleOf": multiple, "minimum": 0.5, "exclusiveMaximum": 3}
        yield f"multiple-of-{slug}-bounded", bounded, {"regex": spelled}, SMALL
    wholes = [str(number) for number in range(-13, 25)]
    yield "whole-multiple-of-1-5", {**WHOLE, "multipleOf": 1.5}, schema({**WHOLE, "multipleOf": 3}), wholes
    for name, numbers, common in (
        ("wholes", (2, 3), 6),
        ("wholes-that-share", (4, 6), 12),
        ("fractions", (0.5, 0.75), 1.5),
        ("three", (1, 2, 3), 6),
    ):
        given = {**NUMBER, "allOf": [{"multipleOf": number} for number in numbers]}
        yield f"multiples-of-{name}", given, schema({**NUMBER, "multipleOf": common}), [*wholes, *SMALL]


BETWEEN = (
    (
        "hundreds",
        100,
        1000,
        rf"[1-9][0-9]{{2}}{REST}|1000(?:\.0+)?",
        rf"100\.{SOME}|10[1-9]{REST}|1[1-9][0-9]{REST}|[2-9][0-9]{{2}}{REST}",
    ),
    (
        "many-digits",
        12.345,
        98.7,
        rf"12\.(?:34[5-9][0-9]*|3[5-9][0-9]*|[4-9][0-9]*)|1[3-9]{REST}|[2-8][0-9]{REST}|9[0-7]{REST}|98(?:\.(?:[0-6][0-9]*|70*))?",
        rf"12\.(?:345{SOME}|34[6-9][0-9]*|3[5-9][0-9]*|[4-9][0-9]*)|1[3-9]{REST}|[2-8][0-9]{REST}|9[0-7]{REST}|98(?:\.[0-6][0-9]*)?",
    ),
    ("below-one", 0.05, 0.5, r"0\.(?:0[5-9][0-9]*|[1-4][0-9]*|50*)", rf"0\.(?:05{SOME}|0[6-9][0-9]*|[1-4][0-9]*)"),
    ("next-to-ten", 9.99, 10.01, r"9\.99[0-9]*|10(?:\.(?:0|00[0-9]*|010*))?", rf"9\.99{SOME}|10(?:\.(?:0|00[0-9]*))?"),
    (
        "negative",
        -12.5,
        -3.25,
        rf"-(?:12(?:\.(?:[0-4][0-9]*|50*))?|1[01]{REST}|[4-9]{REST}|3\.(?:2[5-9][0-9]*|[3-9][0-9]*))",
        rf"-(?:12(?:\.[0-4][0-9]*)?|1[01]{REST}|[4-9]{REST}|3\.(?:25{SOME}|2[6-9][0-9]*|[3-9][0-9]*))",
    ),
    ("same", 2.5, 2.5, r"2\.50*", ""),
    (
        "around-zero",
        -0.05,
        10,
        rf"-0\.0(?:50*|0{SOME}|[1-4][0-9]*)|[0-9]{REST}|10(?:\.0+)?",
        rf"-0\.0(?:0{SOME}|[1-4][0-9]*)|[0-9]{REST}",
    ),
    (
        "to-zero",
        -2.5,
        0,
        rf"-2(?:\.(?:[0-4][0-9]*|50*))?|-1{REST}|-0\.{SOME}|0(?:\.0+)?",
        rf"-2(?:\.[0-4][0-9]*)?|-1{REST}|-0\.{SOME}",
    ),
    ("from-zero", 0, 2.5, rf"[01]{REST}|2(?:\.(?:[0-4][0-9]*|50*))?", rf"0\.{SOME}|1{REST}|2(?:\.[0-4][0-9]*)?"),
    ("zero", 0, 0, r"0(?:\.0+)?", ""),
)
"""Two bounds, and the numbers between them with and without the bounds as a pattern: others spell fewer."""


def bounds() -> Told:
    """Numbers within bounds of many digits, and bounds that meet."""
    given: dict[str, Any]
    for name, low, high, whole, inside in BETWEEN:
        ends = [text for end in (low, high) for text in near(f"{end}", f"{end}0", f"{end}.01", f"{end}01"[:8])]
        texts = [text for text in dict.fromkeys((*ends, *SMALL)) if set(text) <= set("-.0123456789")]
        yield f"between-{name}", {**NUMBER, "minimum": low, "maximum": high}, {"regex": whole}, texts
        if inside:
            given = {**NUMBER, "exclusiveMinimum": low, "exclusiveMaximum": high}
            yield f"within-{name}", given, {"regex": inside}, texts
    digits = list("0123456789")
    for name, given, kept in (
        ("low", {"minimum": 3, "exclusiveMinimum": 3}, {"minimum": 4}),
        ("low-further", {"minimum": 3, "exclusiveMinimum": 2}, {"minimum": 3}),
        ("low-apart", {"minimum": 3, "allOf": [{"exclusiveMinimum": 5}, {"minimum": 4}]}, {"minimum": 6}),
        ("high", {"maximum": 5, "exclusiveMaximum": 5}, {"maximum": 4}),
        ("high-further", {"maximum": 5, "exclusiveMaximum": 6}, {"maximum": 5}),
        ("high-apart", {"maximum": 7, "allOf": [{"exclusiveMaximum": 5}, {"maximum": 6}]}, {"maximum": 4}),
    ):
        yield f"bounds-that-meet-{name}", {**WHOLE, **given}, schema({**WHOLE, **kept}), digits


def sizes() -> Told:
    """How many of some properties an object has."""
    for name, required, least, most in (
        ("least", "", 2, None),
        ("most", "", 0, 2),
        ("both", "", 1, 3),
        ("same", "", 2, 2),
        ("all", "", 4, 4),
        ("none", "", 0, 0),
        ("least-with-one", "b", 3, None),
        ("most-with-one", "c", 0, 2),
        ("same-with-ends", "ad", 3, 3),
        ("most-with-ends", "ad", 0, 2),
        ("both-with-last", "d", 2, 3),
        ("least-with-all", "abcd", 2, 4),
    ):
        given = {**closed(list(required), FOUR), "minProperties": least}
        given |= {} if most is None else {"maxProperties": most}
        chosen = [
            names
            for names in SUBSETS
            if set(required) <= set(names) and least <= len(names) <= (most or 4 * (most is None))
        ]
        yield f"sizes-of-four-{name}", given, schema(some_of(*chosen)), OBJECTS
    others = ["", "a", "b", "ab", "xy", "ax", "bx", "abx", "axy", "abxy", "xyz", "axyz", "xa"]
    objects = ["{" + ",".join(f'"{name}":null' for name in names) + "}" for names in others]
    one = {"type": "object", "properties": {"a": NOTHING}, "additionalProperties": NOTHING}
    rest = {"type": "object", "patternProperties": {"^(?:|[^a]|(?s:.){2,})$": NOTHING}, "additionalProperties": False}
    for name, counts in (
        ("least", {"minProperties": 2}),
        ("most", {"maxProperties": 2}),
        ("both", {"minProperties": 1, "maxProperties": 3}),
        ("same", {"minProperties": 2, "maxProperties": 2}),
    ):
        kept = {"anyOf": [{**one, "required": ["a"], **counts}, {**rest, **counts}]}
        yield f"sizes-with-others-{name}", {**one, **counts}, schema(kept), objects
    never = {"type": "object", "properties": {"a": False, "b": NOTHING, "c": NOTHING}, "additionalProperties": False}
    yield "sizes-without-one", {**never, "minProperties": 2}, schema(some_of("bc")), OBJECTS


def constants() -> Iterator[tuple[str, list[Any], dict[str, Any], list[Any]]]:
    """Values of an enum, what stands beside it, and the values that are left."""
    numbers = [0, 1, 1.5, 2, 3, 4.5, -3, "a", None]
    yield "multiple", numbers, {"multipleOf": 1.5}, [0, 1.5, 3, 4.5, -3, "a", None]
    yield "multiples", numbers, {"multipleOf": 1.5, "allOf": [{"multipleOf": 1}]}, [0, 3, -3, "a", None]
    yield "whole", [1.0, 2.5, 3, "1"], {"type": "integer"}, [1, 3]
    yield "no-whole", [1.0, 2.5, 3, "1"], {"not": {"type": "integer"}}, [2.5, "1"]
    yield "above", numbers, {"exclusiveMinimum": 1}, [1.5, 2, 3, 4.5, "a", None]
    yield "from", numbers, {"minimum": 1.5}, [1.5, 2, 3, 4.5, "a", None]
    yield "below", numbers, {"exclusiveMaximum": 3}, [0, 1, 1.5, 2, -3, "a", None]
    yield "to", numbers, {"maximum": 3}, [0, 1, 1.5, 2, 3, -3, "a", None]
    words = ["", "a", "ab", "abc", "b", "é日", 1]
    yield "pattern", words, {"pattern": "^a|日"}, ["a", "ab", "abc", "é日", 1]
    yield "no-pattern", words, {"not": {"pattern": "b"}}, ["", "a", "é日"]
    yield "length", words, {"minLength": 1, "maxLength": 2}, ["a", "ab", "b", "é日", 1]
    yield "format", ["2024-02-29", "2023-02-29", "x", 1], {"format": "date"}, ["2024-02-29", 1]
    yield "words", words, {"not": {"enum": ["a", "b", 1]}}, ["", "ab", "abc", "é日"]
    lists = [[], [1], [1, None], [None, 1], [1, 1, 1], "a"]
    yield "items", lists, {"items": WHOLE}, [[], [1], [1, 1, 1], "a"]
    yield "first-items", lists, {"prefixItems": [WHOLE, NOTHING]}, [[], [1], [1, None], "a"]
    yield "first-items-only", lists, {"prefixItems": [WHOLE], "items": False}, [[], [1], "a"]
    yield "least-items", lists, {"minItems": 2}, [[1, None], [None, 1], [1, 1, 1], "a"]
    yield "most-items", lists, {"maxItems": 1}, [[], [1], "a"]
    objects: list[Any] = [{}, {"a": 1}, {"a": None}, {"b": 1}, {"a": 1, "b": None}, {"b": 1, "c": 1, "d": 1}, 0]
    yield "member", objects, {"properties": {"a": WHOLE}}, [objects[0], objects[1], *objects[3:]]
    yield "required", objects, {"required": ["a"]}, [*objects[1:3], objects[4], 0]
    yield "required-two", objects, {"required": ["b", "a"]}, [objects[4], 0]
    yield (
        "further-members",
        objects,
        {"properties": {"a": {}}, "additionalProperties": WHOLE},
        [*objects[:4], *objects[5:]],
    )
    yield "names-by-pattern", objects, {"patternProperties": {"[ab]": WHOLE}}, [*objects[:2], objects[3], *objects[5:]]
    yield "names", objects, {"propertyNames": {"pattern": "[ab]"}}, [*objects[:5], 0]
    yield "names-and-lengths", objects, {"propertyNames": {"maxLength": 0}}, [{}, 0]
    yield "least-members", objects, {"minProperties": 2}, objects[4:]
    yield "most-members", objects, {"maxProperties": 1}, [*objects[:4], 0]
    yield "dependent", objects, {"dependentRequired": {"b": ["c"]}}, [*objects[:3], *objects[5:]]
    yield "no-member", objects, {"not": {"required": ["b"]}}, objects[:3]
    mixed = [1, True, 0, False, "1", [1], [True], {"a": 1}, {"a": True}, None]
    yield "values", mixed, {"allOf": [{"enum": [True, 0.0, [1.0], {"a": True}]}]}, [True, 0, [1], {"a": True}]
    yield "no-values", mixed, {"not": {"enum": [1, False, [True], {"a": 1.0}]}}, [True, 0, "1", [1], {"a": True}, None]
    ordered = [{"a": 1, "b": [2, 3]}, {"b": [3, 2], "a": 1}]
    yield "order", ordered, {"allOf": [{"enum": [{"b": [2, 3], "a": 1.0}]}]}, ordered[:1]
    yield "kinds", mixed, {"type": ["boolean", "array", "null"]}, [True, False, [1], [True], None]


def cases() -> Iterator[Case]:
    """Cases ``json-*``."""
    for kind in (multiples, bounds, sizes):
        for name, value, alike, texts in kind():
            why = "How much a number, or how many properties, may be."
            same = {} if alike is None else {"alike": alike}
            yield probing(f"json-{name}", why, "JSON_SCHEMA", schema(value), texts, **same)
    for name, values, beside, left in constants():
        texts = [json.dumps(value, separators=(",", ":"), ensure_ascii=False) for value in [*values, *left]]
        why = "Constants that satisfy what stands beside them."
        given = {"enum": values, **beside}
        slug = f"json-constants-beside-{name}"
        yield probing(slug, why, "JSON_SCHEMA", schema(given), list(dict.fromkeys(texts)), alike=schema({"enum": left}))


CASES = tuple(cases())
