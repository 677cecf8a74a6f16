"""JSON schemas as people write them: open objects, bounds, patterns, formats, several schemas at once, recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, schema
from tokenspec.areas.fast_forward.cases.probing import near, probing
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING, YES = ({"type": kind} for kind in ("integer", "string", "null", "boolean"))
VALUES = [
    "null",
    "true",
    "1",
    "-2.5e3",
    '"a"',
    "[]",
    '[1,["b",{}]]',
    "{}",
    '{"a":{"b":[null]}}',
    "nul",
    "[1,]",
    '{"a"}',
]
NUMBERS = [*map(str, range(-25, 26)), "100", "999", "-100", "07", "-0", "1.0", "1e1", ""]
DECIMALS = ["0", "0.0", "-0", "0.5", "0.05", "1", "1.0", "1.5", "2.49", "2.5", "2.51", "3", "10"]
DECIMALS += ["-1", "-1.5", "-2.5", "-2.51", "-0.5", "1e0", "100", "2", "0.25", "0.75", ".5", "1."]


def anything() -> Iterator[tuple[str, Any, list[Any]]]:
    """Schemas that demand little or nothing."""
    yield "empty", {}, VALUES
    yield "items-of-anything", {"type": "array"}, VALUES
    yield "items-true", {"type": "array", "items": True, "maxItems": 1}, [*VALUES, "[1]", "[{}]", "[1,2]"]
    yield "choice-of-anything", {"anyOf": [{}, {"type": "null"}]}, VALUES
    yield "open-object", {"type": "object"}, VALUES
    yield "length-of-any-kind", {"minLength": 2}, [*VALUES, '"ab"']
    yield "items-of-any-kind", {"items": {"type": "null"}}, [*VALUES, "[null]", "[null,null]"]


def applies_elsewhere() -> Iterator[tuple[str, Any, list[Any]]]:
    """Keywords about another kind, annotations, and words that are no keywords."""
    for name, keyword, value in (
        ("content-encoding", "contentEncoding", "base64"),
        ("content-media-type", "contentMediaType", "text/html"),
        ("nullable", "nullable", True),
        ("unknown", "unknownKeyword", {"type": "text"}),
        ("with-a-slash", "with/slash", True),
        ("anchor", "$anchor", "a"),
        ("vocabulary", "$vocabulary", {}),
    ):
        yield f"ignored-{name}", {**TEXT, keyword: value}, ['"a"', '""', "1", "null"]
    yield "elsewhere-length", {**WHOLE, "minLength": 3, "pattern": "b"}, ["1", '"a"', "22"]
    yield "elsewhere-bounds", {**TEXT, "minimum": 3, "multipleOf": 2}, ['"a"', "1"]
    yield "elsewhere-items", {**YES, "items": NOTHING, "minItems": 2}, ["true", "false", "[]"]
    yield "elsewhere-members", {**NOTHING, "properties": {"a": NOTHING}, "required": ["a"]}, ["null", "{}"]


def members() -> Iterator[tuple[str, Any, list[Any]]]:
    """Open objects."""
    two = {"type": "object", "properties": {"a": NOTHING, "b": WHOLE}}
    odd = [
        '{"a":null}',
        '{"b":1}',
        '{"a":null,"b":1}',
        '{"a":null,"c":[1]}',
        '{"c":1,"d":{}}',
        '{"a":null,"b":2,"ab":"x"}',
    ]
    odd += [
        "{}",
        '{"b":1,"a":null}',
        '{"c":1,"a":null}',
        '{"a":1}',
        '{"a":null,}',
        '{"":1}',
        '{"é\\"":1}',
        '{"aa":1,"aa":2}',
    ]
    yield "members-open", two, odd
    yield "members-open-required", {**two, "required": ["b"]}, odd
    yield (
        "members-undeclared-required",
        {**two, "required": ["c", "a"]},
        [*odd, '{"a":null,"c":1}', '{"a":null,"b":1,"c":1,"d":2}'],
    )
    yield (
        "members-of-any-names",
        {"type": "object", "additionalProperties": WHOLE},
        [*odd, '{"x":1,"y":2}', '{"x":null}'],
    )
    yield "members-further", {**two, "additionalProperties": YES}, [*odd, '{"a":null,"x":true}', '{"a":true}']
    yield "members-not-one", {"type": "object", "properties": {"a": False, "b": True}}, odd
    names = {"type": "object", "patternProperties": {"^x_": WHOLE}, "additionalProperties": False}
    texts = ['{"x_":1}', '{"x_a":1,"x_b":2}', '{"x":1}', '{"y":1}', "{}", '{"x_a":null}', '{"ax_":1}']
    yield "names-by-pattern", names, texts
    yield (
        "names-by-pattern-and-others",
        {**names, "additionalProperties": NOTHING},
        [*texts, '{"x":null}', '{"y":null,"x_1":1}'],
    )
    yield (
        "names-by-pattern-and-declared",
        {**names, "properties": {"b": YES}},
        [*texts, '{"b":true,"x_":1}', '{"x_":1,"b":true}'],
    )
    for name, sizes, chosen in (
        ("least", {"minProperties": 2}, ["", "a", "ab", "abc"]),
        ("most", {"maxProperties": 2}, ["", "a", "ab", "abc"]),
        ("both", {"minProperties": 1, "maxProperties": 2}, ["", "a", "ab", "abc"]),
    ):
        objects = ["{" + ",".join(f'"{key}":null' for key in keys) + "}" for keys in chosen]
        yield f"sizes-{name}", {"type": "object", "additionalProperties": NOTHING, **sizes}, objects
        declared = {
            "type": "object",
            "properties": {"a": NOTHING},
            "required": ["a"],
            "additionalProperties": NOTHING,
            **sizes,
        }
        yield f"sizes-{name}-declared", declared, objects


def numbers() -> Iterator[tuple[str, Any, list[Any]]]:
    """Bounds and multiples."""
    unsigned = [each for each in NUMBERS if each != "-0"]  # around zero others write it with a sign
    for name, bounds in (
        ("least", {"minimum": 7}),
        ("least-negative", {"minimum": -12}),
        ("most", {"maximum": 13}),
        ("most-negative", {"maximum": -7}),
        ("both", {"minimum": -3, "maximum": 11}),
        ("open", {"exclusiveMinimum": 0, "exclusiveMaximum": 10}),
        ("one", {"minimum": 5, "maximum": 5}),
        ("two-digits", {"minimum": 9, "maximum": 23}),
        ("fraction", {"minimum": 1.5, "maximum": 3.5}),
    ):
        yield f"whole-{name}", {**WHOLE, **bounds}, NUMBERS if name != "both" else unsigned
        if name != "one":
            yield f"number-{name}", {"type": "number", **bounds}, DECIMALS
    for name, bounds in (
        ("half", {"minimum": 0.5, "maximum": 2.5}),
        ("half-open", {"exclusiveMinimum": 0.5, "exclusiveMaximum": 2.5}),
        ("negative", {"minimum": -2.5, "maximum": -0.5}),
        ("across", {"minimum": -0.5, "maximum": 0.25}),
    ):
        yield f"number-{name}", {"type": "number", **bounds}, [each for each in DECIMALS if each != "-0"]
    for multiple in (1, 2, 3, 5, 7, 10):
        yield f"whole-multiple-of-{multiple}", {**WHOLE, "multipleOf": multiple}, unsigned
    yield "whole-multiple-and-bounds", {**WHOLE, "multipleOf": 5, "minimum": 1, "maximum": 20}, NUMBERS
    for name, value in (
        ("1-5", 1.5),
        ("0-25", 0.25),
        ("100", 1e2),
        ("small", 1e-7),
        ("large", 1e21),
        ("negative", -0.5),
    ):
        texts = [
            "1.5",
            "1.50",
            "0.25",
            "100",
            "100.0",
            "1e2",
            "0.0000001",
            "1e-7",
            "1000000000000000000000",
            "-0.5",
            "0.5",
        ]
        yield f"constant-{name}", {"const": value}, texts
    yield "constant-one", {"enum": [1.0, 2.0]}, ["1", "2", "1.0", "3"]


def strings() -> Iterator[tuple[str, Any, list[Any]]]:
    """Patterns and formats."""
    for name, pattern, texts in (
        ("inside", "b", ["b", "abc", "ac", "", "bb"]),
        ("edges", "^ab?$", ["a", "ab", "abb", "xa", ""]),
        ("start", "^ab", ["ab", "abc", "xab", "a"]),
        ("end", "ab$", ["ab", "xab", "abc"]),
        ("choice", "^(red|green)$", ["red", "green", "redgreen", "re"]),
        ("edges-in-a-choice", "^a|b$", ["a", "ax", "xb", "b", "xa", "bx"]),
        ("counts", r"^\d{3}-[A-Z]{2,3}$", ["123-AB", "123-ABC", "123-A", "12-AB", "123-ABCD"]),
        ("not-a-class", "^[^/]+$", ["a", "é日", "a/b", ""]),
        ("dot", "^.{2}$", ["ab", "é日", "a", "abc"]),
        ("escaped", r"^\(\d\)\.$", ["(1).", "(1)", "1"]),
        ("space", r"^\s$", ["\u3000", "\u00a0", " ", "\u200b", "a"]),
        ("not-space", r"^\S$", ["\u3000", "\u00a0", " ", "\u200b", "a"]),
        ("nothing", "", ["", "a"]),
        ("case", "^(?i:ab)$", ["ab", "AB", "aB", "abc"]),
        ("optional", "^(?:a|b)*?c?$", ["", "ab", "abc", "cc"]),
    ):
        yield f"pattern-{name}", {**TEXT, "pattern": pattern}, [f'"{text}"' for text in texts]
    quotes = ['"\\""', '"a\\"b"', '"\\\\"', '"a"', '"\\n"']
    yield "pattern-quote", {**TEXT, "pattern": '"'}, quotes
    yield "pattern-backslash", {**TEXT, "pattern": r"\\"}, quotes
    yield (
        "pattern-and-length",
        {**TEXT, "pattern": "^a*b*$", "minLength": 2, "maxLength": 3},
        [f'"{text}"' for text in ("", "a", "aa", "ab", "bb", "aab", "abbb", "ba")],
    )
    for name, texts in (
        ("date", ["2024-02-28", "2024-02-29", "2023-12-31", "2023-13-01", "2023-04-31", "2023-00-10", "23-01-01"]),
        ("time", ["10:20:30Z", "10:20:30.5+01:30", "24:00:00Z", "10:60:00Z", "10:20:30", "10:20Z"]),
        ("date-time", ["2024-02-29T10:20:30Z", "2024-02-30T10:20:30Z", "2024-02-29 10:20:30Z", "2024-02-29"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "123e4567"]),
        ("ipv4", ["1.2.3.4", "255.255.255.255", "256.1.1.1", "1.2.3", "01.2.3.4"]),
        ("ipv6", ["::", "::1", "1:2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7", "1::2::3", "12345::"]),
        ("hostname", ["a", "a.b", "a-b.c1", "-a", "a-", "a..b", "", "A1.B2"]),
        (
            "duration",
            ["P1Y2M3DT4H5M6S", "P1Y2M", "P2M3D", "P4D", "P3W", "PT1H2M", "PT5S", "P1YT2H", "P1Y3D", "PT", "P"],
        ),
        (
            "uri",
            [
                "http://a@b.org:80/c/d?e=f#g",
                "urn:a:b",
                "file:///a",
                "a:",
                "//b/c",
                "1a:b",
                "a:b c",
                "a:%2g",
                "a://[::1]/",
            ],
        ),
        ("uri-reference", ["//b/c?d", "c/d#e", "?a", "", "a:b", "1a:b", "./1a:b", "a b", "#a#b", "/%41"]),
        ("json-pointer", ["", "/", "/a/b~0c~1d", "/é", "a", "/a~2", "/~"]),
        ("relative-json-pointer", ["0", "1/a", "12#", "0/a~1", "01", "/a", "1#/a", "#"]),
        ("email", ["a@b.org", "a.b+c@d-e.org", "a", "@b", "a@", "a@b@c", "a b@c.org"]),
    ):
        yield f"format-{name}", {**TEXT, "format": name}, [f'"{text}"' for text in texts]


def several() -> Iterator[tuple[str, Any, list[Any]]]:
    """Schemas that hold together, and choices between them."""
    yield (
        "all-of-lengths",
        {"allOf": [{**TEXT, "minLength": 2}, {"maxLength": 3}]},
        ['"a"', '"ab"', '"abc"', '"abcd"', "1"],
    )
    a, b = {"properties": {"a": WHOLE}, "required": ["a"]}, {"properties": {"b": YES}, "required": ["b"]}
    texts = ['{"a":1,"b":true}', '{"b":true,"a":1}', '{"a":1}', '{"b":true}', "{}", '{"a":1,"b":true,"c":0}']
    yield "all-of-members", {"type": "object", "allOf": [a, b]}, texts
    yield "all-of-closed", {"type": "object", "allOf": [a], "properties": {"b": YES}}, texts
    yield (
        "all-of-the-same-member",
        {"type": "object", "allOf": [a, {"properties": {"a": {"minimum": 5}}}]},
        ['{"a":4}', '{"a":5}'],
    )
    yield "any-of-beside", {**WHOLE, "anyOf": [{"minimum": 10}, {"maximum": 3}]}, NUMBERS
    yield "enum-beside-length", {"enum": ["a", "ab", "abc", 1], "minLength": 2}, ['"a"', '"ab"', '"abc"', "1"]
    yield "enum-beside-bounds", {"enum": [1, 5, 9, "x"], "maximum": 5}, ["1", "5", "9", '"x"']
    yield "enums-together", {"allOf": [{"enum": [1, 2, "a"]}, {"enum": ["a", 2, 3]}]}, ["1", "2", '"a"', "3"]
    yield "one-of-kinds", {"oneOf": [WHOLE, TEXT, {"type": "array", "items": NOTHING}]}, ["1", '"a"', "[null]", "true"]
    shapes = [
        {**closed(["kind", "r"], {"kind": {"const": "circle"}, "r": WHOLE})},
        {**closed(["kind", "w"], {"kind": {"const": "square"}, "w": WHOLE})},
    ]
    yield "one-of-told-apart", {"oneOf": shapes}, near('{"kind":"circle","r":1}', '{"kind":"square","w":2}')
    root = {"$ref": "#/$defs/a", "maxLength": 2, "$defs": {"a": {**TEXT, "minLength": 1}}}
    yield "ref-beside", root, ['""', '"a"', '"ab"', '"abc"']
    inside = {"$defs": {"n": {"minimum": 3}}, "type": "array", "items": {"$ref": "#/$defs/n", "type": "integer"}}
    yield "ref-beside-type", inside, ["[3]", "[2]", "[4,5]", '["a"]']


def recursive() -> Iterator[tuple[str, Any, list[Any]]]:
    """Schemas that hold themselves."""
    tree = {
        "$ref": "#/$defs/t",
        "$defs": {"t": closed(["v"], {"v": WHOLE, "l": {"$ref": "#/$defs/t"}, "r": {"$ref": "#/$defs/t"}})},
    }
    texts = [
        '{"v":1}',
        '{"v":1,"l":{"v":2,"r":{"v":3}}}',
        '{"v":1,"r":{"v":2},"l":{"v":3}}',
        '{"v":1,"l":{}}',
        '{"l":{"v":1}}',
    ]
    yield "recursive-tree", tree, texts
    yield (
        "recursive-list",
        {"type": "array", "items": {"$ref": "#"}},
        ["[]", "[[]]", "[[],[[]]]", "[[]", "[1]", "[[[[[[]]]]]]"],
    )
    linked = closed(["next"], {"next": {"anyOf": [{"$ref": "#"}, NOTHING]}})
    yield "recursive-or-null", linked, ['{"next":null}', '{"next":{"next":null}}', '{"next":{}}', "null"]
    dead = {
        "type": "array",
        "items": {"anyOf": [WHOLE, {"$ref": "#/$defs/endless"}]},
        "$defs": {"endless": closed(["a"], {"a": {"$ref": "#/$defs/endless"}})},
    }
    texts = ["{}", '{"a":{}}', '{"a":{"x":null}}', '{"a":{"x":null,"y":null}}']
    few = {"type": "object", "required": ["x", "y"], "additionalProperties": NOTHING, "maxProperties": 1}
    yield "member-that-no-value-has", {"type": "object", "properties": {"a": few}, "additionalProperties": False}, texts
    items = {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 1}}
    yield "item-that-no-value-is", items, ["[]", "[[]]", "[[1]]", "[[1,2]]"]
    yield "recursive-without-end-in-a-choice", dead, ["[1]", "[true]", "[1,2]", "[]"]
    yield (
        "recursive-by-two",
        {
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/b"}},
                "b": closed(["a"], {"a": {"$ref": "#/$defs/a"}}),
            },
        },
        ["[]", '[{"a":[]}]', '[{"a":[{"a":[]}]}]', "[[]]", "[{}]"],
    )


def spaced() -> Iterator[tuple[str, Any, list[Any], dict[str, Any]]]:
    """Formatting."""
    root = closed(["a"], {"a": {"type": "array", "items": WHOLE}, "b": {"const": [1, {"c": 2}]}})
    texts = [
        '{"a": [1, 2], "b": [1, {"c": 2}]}',
        '{"a":[1,2],"b":[1,{"c":2}]}',
        '{ "a": []}',
        '{"a": [ ]}',
        '{"a": []}',
        '{"a":  []}',
    ]
    yield "spaced", root, texts, {"whitespace": "spaced"}
    wide = [f'{{{a}"a"{b}:{a}[1{b},{a}2]{b}}}' for a in ("", " ", "\n ", "   ") for b in ("", " ", "\t\t", "\n\n\n")]
    yield "whitespace-bounded", root, [*texts, *wide], {"whitespace": "flexible", "most_whitespace": 2}
    yield "whitespace-none", root, [*texts, *wide], {"whitespace": "flexible", "most_whitespace": 0}


def cases() -> Iterator[Case]:
    """Cases ``json-*``."""
    for kind in (anything, members, numbers, strings, several, recursive):
        for name, value, texts in kind():
            yield probing(f"json-{name}", "Which texts this schema has.", "JSON_SCHEMA", schema(value), texts)
    for name, value, texts in applies_elsewhere():
        why = "A keyword that says nothing about these values."
        yield probing(f"json-{name}", why, "JSON_SCHEMA", schema(value), texts, ["FFT-043"])
    for name, value, texts, settings in spaced():
        grammar = {**schema(value), **settings}
        yield probing(f"json-{name}", "Where white space may stand.", "JSON_SCHEMA", grammar, texts)


CASES = tuple(cases())
