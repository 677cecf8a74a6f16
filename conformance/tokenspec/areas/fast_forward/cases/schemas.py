"""JSON schemas: every keyword of the chapter with texts next to its own, and every other one refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, refused, schema
from tokenspec.areas.fast_forward.cases.probing import near, probing
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING, YES = ({"type": kind} for kind in ("integer", "string", "null", "boolean"))
CONTROL = [*map(chr, range(0x20)), "\x7f"]
LETTERS = "bfnrt\"\\/u0aAxv'"
NUMBERS = ["0", "-0", "7", "10", "-120", "01", "+1", "1.5", "-0.25", "1.", ".5", "1e5", "2E+10", "3.5e-07", "1e", "1e+"]
MORE_NUMBERS = ["-", "", "1_0", "0x1", "1e1.5", "--1", "1E5", "00", "0.0", "-1e-1", "1 ", " 1", "NaN", "Infinity"]
ANNOTATED = {
    "title": "a",
    "description": "b",
    "default": 1,
    "examples": [1],
    "$comment": "c",
    "deprecated": True,
    "readOnly": True,
    "writeOnly": False,
}
FOUR = {"a": NOTHING, "b": NOTHING, "c": NOTHING, "d": NOTHING}


def strings() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    yield "string", TEXT, near('""', '"aé日🙂/"', '"a\\"b\\\\c\\n"')
    yield "string-escapes", TEXT, [f'"\\{letter}"' for letter in LETTERS]
    yield "string-control", TEXT, [f'"{char}"' for char in [*CONTROL, "\x80", "\x9f", "\u2028"]]
    codes = [
        "0000",
        "001f",
        "001F",
        "0020",
        "007f",
        "007F",
        "007e",
        "0080",
        "000",
        "0a0b",
        "00e9",
        "d83d",
        "001g",
        "00AF",
    ]
    yield "string-long-escapes", TEXT, [f'"\\u{code}"' for code in codes]
    for name, bounds in (
        ("least", {"minLength": 2}),
        ("most", {"maxLength": 2}),
        ("none", {"maxLength": 0}),
        ("both", {"minLength": 1, "maxLength": 3}),
        ("same", {"minLength": 2, "maxLength": 2}),
        ("zero", {"minLength": 0}),
    ):
        texts = ["", "a", "ab", "日🙂", "\\n", "\\n\\u0001", "abc", '\\"\\\\é', "abcd", "\\u00", "a\\"]
        yield f"string-length-{name}", {**TEXT, **bounds}, [f'"{text}"' for text in texts]


def values() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    yield "integer", WHOLE, NUMBERS + MORE_NUMBERS
    yield "number", {"type": "number"}, NUMBERS + MORE_NUMBERS
    yield "boolean", YES, near("true", "false")
    yield "null", NOTHING, near("null")
    kinds = ["null", "true", "false", "1", "1.5", '"a"', "[]", "{}", "[1]"]
    for name, kind in (
        ("nullable", {"type": ["string", "null"]}),
        ("kinds", {"type": ["integer", "boolean"], "title": "x"}),
        ("kind-list-of-one", {"type": ["number"]}),
        ("kinds-with-bounds", {"type": ["string", "array"], "maxLength": 1, "items": WHOLE, "maxItems": 1}),
    ):
        yield name, kind, [*kinds, '"ab"', "[1,2]", ""]
    yield "any-of", {"anyOf": [WHOLE, {"const": "a"}, {"anyOf": [NOTHING, YES]}]}, [*kinds, '"b"']
    yield "any-of-overlapping", {"anyOf": [{"enum": ["ab", "abc"]}, {**TEXT, "minLength": 3}]}, near('"ab"', '"abcd"')
    yield (
        "enum",
        {"enum": ["a", 1, -12, True, None, "", [1, "b"], {"c": 2}]},
        near('"a"', "1", "-12", "true", "null", '""', '[1,"b"]', '{"c":2}'),
    )
    yield "enum-and-type", {"type": "string", "enum": ["red", "green"]}, near('"red"', '"green"')
    some = {"type": ["string", "boolean"], "enum": ["a", 1, True, None, [], {}]}
    yield "enum-and-some-types", some, near('"a"', "1", "true", "null", "[]", "{}")
    yield (
        "const-and-type",
        {"anyOf": [{"type": "integer", "const": "a"}, {"type": "number", "const": 3}]},
        near('"a"', "3"),
    )
    for name, value, texts in (
        ("text", "a/b é", ['"a/b é"', '"a\\/b é"', '"a/b \\u00e9"']),
        ("quotes", '"\\', ['"\\"\\\\"', '"\\u0022\\u005c"']),
        ("zero", 0, ["0", "-0", "0.0"]),
        ("large", 9007199254740991, ["9007199254740991"]),
        ("negative", -5, ["-5", "5"]),
        ("true", True, ["true", "1"]),
        ("false", False, ["false", "0"]),
        ("null", None, ["null"]),
        ("list", [1, ["a", []], {}], ['[1,["a",[]],{}]', '[1, ["a",[]],{}]']),
        ("object", {"b": 1, "a": {"é": [None]}}, ['{"b":1,"a":{"é":[null]}}', '{"a":{"é":[null]},"b":1}']),
    ):
        yield f"const-{name}", {"const": value}, near(*texts)
    short = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r"}
    spelled = "".join(f"\\u{ord(char):04x}" for char in CONTROL)
    texts = [f'"{spelled}"']
    texts += [texts[0].upper().replace("\\U", "\\u"), texts[0].replace("\\u007f", "\x7f")]
    texts += [texts[0].replace(f"\\u{ord(char):04x}", f"\\{letter}") for char, letter in short.items()]
    texts += [texts[0].replace("\\u0000", other) for other in ("\\0", "\x00", "\\u0001", "\\u000", "")]
    yield "const-control", {"const": "".join(CONTROL)}, texts


def arrays() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    whole = {"type": "array", "items": WHOLE}
    lists = [f"[{','.join('1234'[:count])}]" for count in range(5)]
    odd = ["[1,]", "[,1]", "[1 ,2]", "[ ]", "[1;2]", '["a"]', "[1", "[12]", "[1,2]]"]
    yield "array", whole, lists + odd
    for name, bounds in (
        ("least", {"minItems": 2}),
        ("least-one", {"minItems": 1}),
        ("least-none", {"minItems": 0}),
        ("most", {"maxItems": 2}),
        ("most-one", {"maxItems": 1}),
        ("most-none", {"maxItems": 0}),
        ("both", {"minItems": 1, "maxItems": 3}),
        ("both-from-two", {"minItems": 2, "maxItems": 3}),
        ("same", {"minItems": 3, "maxItems": 3}),
    ):
        yield f"array-{name}", {**whole, **bounds}, lists + odd
    pair = {"type": "array", "prefixItems": [TEXT, YES]}
    mixed = ["[]", '["a"]', '["a",true]', '["a",true,1]', '["a",true,1,2]', '["a",true,1,2,3]', "[true]", '["a",1]']
    for name, given in (
        ("and-items", {"items": WHOLE}),
        ("only", {"items": False}),
        ("only-least", {"items": False, "minItems": 1}),
        ("only-all", {"items": False, "minItems": 2}),
        ("only-most", {"items": False, "maxItems": 1}),
        ("only-most-more", {"items": False, "maxItems": 5}),
        ("and-least", {"items": WHOLE, "minItems": 3}),
        ("and-least-inside", {"items": WHOLE, "minItems": 1}),
        ("and-most", {"items": WHOLE, "maxItems": 3}),
        ("and-most-inside", {"items": WHOLE, "maxItems": 1}),
        ("and-both", {"items": WHOLE, "minItems": 3, "maxItems": 4}),
    ):
        yield f"array-prefix-{name}", {**pair, **given}, mixed
    nested = {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": WHOLE}, "minItems": 1}}
    yield "array-nested", nested, near("[]", "[[[]]]", "[[[1,2],[]],[[3]]]")


def objects() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    names = ["", "a", "b", "d", "ab", "ac", "ad", "bd", "cd", "abc", "acd", "abcd", "ba", "db", "aa", "abdc"]
    texts = ["{" + ",".join(f'"{name}":null' for name in chosen) + "}" for chosen in names]
    odd = ['{"a":null,}', "{,}", '{"a":null "b":null}', '{"a" :null}', '{"x":null}', '{"a":1}', "{", '{"a"}']
    for name, required in (
        ("optional", ""),
        ("required", "abcd"),
        ("first", "a"),
        ("last", "d"),
        ("middle", "bc"),
        ("unordered", "db"),
    ):
        yield f"object-{name}", closed(list(required), FOUR), texts + odd
    yield "object-empty", closed([], {}), ["{}", "{ }", "{", '{"a":1}']
    yield "object-no-properties", {"type": "object", "additionalProperties": False}, ["{}", '{"a":1}']
    name = 'a"\\/é\n\x7f 日'
    spelled = '"a\\"\\\\/é\\n\x7f 日"'
    keys = [spelled, spelled.replace("/", "\\/"), spelled.replace("\\n", "\\u000a"), spelled.replace("é", "\\u00e9")]
    yield (
        "object-name",
        closed([name], {name: NOTHING}),
        near(*(f"{{{key}:null}}" for key in keys[:1])) + [f"{{{key}:null}}" for key in keys],
    )
    deep: dict[str, Any] = WHOLE
    for depth in range(12):
        deep = closed(["a"], {"a": deep}) if depth % 2 else {"type": "array", "items": deep, "minItems": 1}
    yield "nesting", deep, near('{"a":[' * 6 + "1" + "]}" * 6)


def references() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    odd: dict[str, Any] = {"a/b": WHOLE, "a~b": NOTHING, "~1": YES, "~01": TEXT, "": {"const": 0}}
    for name, pointer in (
        ("plain", "#/$defs/plain"),
        ("slash", "#/$defs/a~1b"),
        ("tilde", "#/$defs/a~0b"),
        ("tilde-one", "#/$defs/~01"),
        ("tilde-zero-one", "#/$defs/~001"),
        ("nameless", "#/$defs/"),
        ("deeper", "#/$defs/folder/$defs/inner"),
    ):
        folder = {"$defs": {"inner": {"const": 2}}, "type": "null"}
        root = {"$ref": pointer, "$defs": {**odd, "plain": {"type": "number"}, "folder": folder}}
        yield f"ref-{name}", root, ["1", "1.5", "null", "true", '"a"', "0", "2", "~1"]
    for where in ("$defs", "definitions"):
        root = {
            **closed(["a", "b"], {"a": {"$ref": f"#/{where}/pair"}, "b": {"$ref": f"#/{where}/pair"}}),
            where: {"pair": {"type": "array", "items": {"$ref": f"#/{where}/item"}, "maxItems": 2}, "item": WHOLE},
        }
        yield f"ref-twice-{where.strip('$')}", root, near('{"a":[1,2],"b":[]}', '{"a":[],"b":[3]}')
    own: dict[str, Any] = closed(["a"], {"a": WHOLE, "b": {"$ref": "#/properties/a"}})
    yield "ref-to-a-property", own, near('{"a":1,"b":2}', '{"a":1}')
    own = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": {"a": NOTHING, "b": {"enum": [1, 2]}}}
    yield "ref-in-a-choice", own, near("null", "1", "2")


def annotated() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    for keyword, value in ANNOTATED.items():
        yield f"annotation-{keyword.strip('$').lower()}", {**WHOLE, keyword: value}, ["1", "a"]
    yield "annotations-of-an-object", {**closed([], {"a": {**WHOLE, **ANNOTATED}}), **ANNOTATED}, near('{"a":1}')
    yield "annotations-of-an-enum", {"enum": ["a"], "title": "b", "description": "c"}, near('"a"')
    yield "annotations-of-a-choice", {"anyOf": [WHOLE], "description": "c"}, near("1")
    yield "annotation-schema", {**WHOLE, "$schema": "https://json-schema.org/draft/2020-12/schema"}, ["1", "a"]
    yield "annotation-id", {**WHOLE, "$id": "https://example.org/a"}, ["1", "a"]


def spaces() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    gap = " \n\r\t"
    root = closed(["a"], {"a": {"type": "array", "items": WHOLE}, "b": {"const": {"c": [1, "d e"]}}})
    compact = '{"a":[1,2],"b":{"c":[1,"d e"]}}'
    texts = [compact, f" {compact}", f"{compact} ", compact.replace("d e", "d  e"), compact.replace("1,2", "1 1")]
    for mark in "{}[],:":
        texts += [compact.replace(mark, f"{mark}{gap}"), compact.replace(mark, f"{gap}{mark}")]
    texts += [compact.replace(",", f",{other}") for other in ("\f", "\v", "\xa0", "\u2028", "\b")]
    yield "flexible", root, texts
    yield "flexible-empty", {"type": "array", "items": WHOLE, "maxItems": 0}, ["[]", "[ ]", "[\n\t ]", " []", "[1]"]
    yield "flexible-object-empty", closed([], {}), ["{}", "{ \r}", "{} "]
    yield (
        "flexible-least",
        {"type": "array", "items": WHOLE, "minItems": 2},
        ["[1 , 2]", "[ 1]", "[ 1,2 ,3\n]", "[1,2]"],
    )
    yield "flexible-value", WHOLE, ["1", " 1", "1 "]


def nested(levels: int, around: Callable[[Any], Any], inmost: Any = NOTHING) -> Any:
    """Something in itself, many times."""
    value = inmost
    for _ in range(levels):
        value = around(value)
    return value


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "allof-of-integer": ("allOf", {"type": "integer", "allOf": []}),
    "oneof-of-integer": ("oneOf", {"type": "integer", "oneOf": []}),
    "dynamicref-of-integer": ("$dynamicRef", {"type": "integer", "$dynamicRef": "#a"}),
    "unique-items": ("uniqueItems", {"type": "array", "items": WHOLE, "uniqueItems": True}),
    "contains": ("contains", {"type": "array", "contains": WHOLE}),
    "unevaluated-items": ("unevaluatedItems", {"type": "array", "unevaluatedItems": False, "anyOf": [{}]}),
    "unevaluated-properties": ("unevaluatedProperties", {"unevaluatedProperties": False, "allOf": [{}]}),
    "not-items": ("items", {"not": {"items": WHOLE}}),
    "not-further-properties": ("additionalProperties", {"not": {"additionalProperties": False}}),
    "one-of-unknown-opposite": (
        "items",
        {"oneOf": [{"type": "array", "maxItems": 3}, {"type": "array", "minItems": 1, "items": WHOLE}]},
    ),
    "pattern-with-a-back-reference": ("pattern", {**TEXT, "pattern": r"(a)\1"}),
    "pattern-no-text": ("pattern", {**TEXT, "pattern": 1}),
    "multiple-of-nothing": ("multipleOf", {**WHOLE, "multipleOf": 0}),
    "multiple-with-many-remainders": ("multipleOf", {**WHOLE, "multipleOf": 1000003}),
    "minimum-text": ("minimum", {**WHOLE, "minimum": "1"}),
    "maximum-true": ("maximum", {**WHOLE, "maximum": True}),
    "required-no-text": ("required", {"required": [1]}),
    "within-items": ("contains", {"type": "array", "items": {"type": "array", "contains": WHOLE}}),
    "within-prefix-items": ("contains", {"type": "array", "items": False, "prefixItems": [{"contains": WHOLE}]}),
    "within-any-of": ("contains", {"anyOf": [WHOLE, {"type": "array", "contains": WHOLE}]}),
    "within-a-ref": ("contains", {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "contains": WHOLE}}}),
}
MALFORMED: dict[str, dict[str, Any]] = {
    "ref-recursive": {"type": "array", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
    "ref-circle": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "ref-without-end": {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    "length-endless": {"type": "string", "maxLength": 1 << 60},
    "all-of-contradicting": {"allOf": [WHOLE, TEXT]},
    "not-anything": {"not": {}},
    "ref-to-nothing": {"$ref": "#/$defs/b", "$defs": {"a": WHOLE}},
    "ref-to-nothing-below": {"$ref": "#/$defs/a/b", "$defs": {"a": WHOLE}},
    "ref-to-data": {"$ref": "urn:x", "$defs": {"a": {"type": "null", "default": {"$id": "urn:x", "type": "null"}}}},
    "ref-into-text": {"$ref": "#/title/a", "title": "a"},
    "ref-elsewhere": {"$ref": "https://example.org/a"},
    "ref-to-an-anchor": {"$ref": "#a", "$defs": {"a": WHOLE}},
    "ref-number": {"$ref": 1},
    "type-unknown": {"type": "text"},
    "type-unknown-in-list": {"type": ["integer", "text"]},
    "type-empty": {"type": []},
    "type-number": {"type": 1},
    "enum-empty": {"enum": []},
    "enum-no-list": {"enum": "a"},
    "any-of-empty": {"anyOf": []},
    "any-of-no-list": {"anyOf": WHOLE},
    "length-descending": {"type": "string", "minLength": 2, "maxLength": 1},
    "length-negative": {"type": "string", "minLength": -1},
    "length-text": {"type": "string", "maxLength": "2"},
    "length-true": {"type": "string", "maxLength": True},
    "length-fraction": {"type": "string", "minLength": 1.5},
    "items-descending": {"type": "array", "items": WHOLE, "minItems": 3, "maxItems": 2},
    "items-negative": {"type": "array", "items": WHOLE, "maxItems": -1},
    "items-more-than-fixed": {"type": "array", "prefixItems": [WHOLE], "items": False, "minItems": 2},
    "required-unknown": closed(["b"], {"a": WHOLE}),
    "properties-list": {"type": "object", "properties": ["a"], "additionalProperties": False},
    "property-null": closed([], {"a": None}),
    "const-of-another-type": {"type": "integer", "const": "a"},
    "enum-of-another-type": {"type": ["string", "null"], "enum": [1, True, {"a": 1}]},
    "const-true-is-no-integer": {"type": "integer", "const": True},
    "const-in-a-wrong-type": {"type": "text", "const": 1},
    "required-of-another-type": closed(["a"], {"a": {"type": "integer", "const": "a"}}),
    "required-no-list": {**closed([], {"a": WHOLE}), "required": "a"},
    "required-no-name": {**closed([], {"a": WHOLE}), "required": [["a"]]},
    "fixed-no-list": {"type": "array", "prefixItems": {"0": WHOLE}, "items": False},
    "type-in-type": {"type": [["string"]]},
    "nested-deeply": nested(70, lambda inner: {"type": "array", "items": inner}),
    "nested-constant": {"const": nested(70, lambda inner: [inner])},
}
PLACES = {
    **dict.fromkeys((name for name in MALFORMED if name.startswith("ref-to-")), "/$ref"),
    **dict.fromkeys((name for name in MALFORMED if name.startswith("type-")), "/type"),
    **dict.fromkeys(("ref-into-text", "ref-elsewhere", "ref-number"), "/$ref"),
    "const-in-a-wrong-type": "/type",
    "ref-recursive": "/$defs/a",
    "nested-deeply": "/items" * 64,
    "nested-constant": "/const" + "/0" * 64,
    **dict.fromkeys(("enum-empty", "enum-no-list"), "/enum"),
    **dict.fromkeys(("any-of-empty", "any-of-no-list"), "/anyOf"),
    **dict.fromkeys(("length-negative", "length-fraction"), "/minLength"),
    **dict.fromkeys(("length-text", "length-true", "length-endless"), "/maxLength"),
    "property-null": "/properties/a",
    "items-negative": "/maxItems",
    "required-no-name": "/required/0",
    "required-no-list": "/required",
    "fixed-no-list": "/prefixItems",
    "properties-list": "/properties",
}
"""What makes no sense in them; the others could be refused for several places."""


def cases() -> Iterator[Case]:
    """Cases ``json-*`` and ``refused-json-*``."""
    flag = "JSON_SCHEMA"
    for kind in (strings, values, arrays, objects, references, annotated):
        for name, value, texts in kind():
            yield probing(f"json-{name}", "Which texts this schema has.", flag, schema(value), texts)
    for name, value, texts in spaces():
        grammar = schema(value, flexible=True)
        yield probing(f"json-{name}", "Where white space may stand.", flag, grammar, texts)
    wrapped = {"sequence": [{"literal": "x="}, schema({"type": ["null", "integer"]}), {"regex": ";{1,2}"}]}
    yield probing("json-in-a-sequence", "A schema between other grammars.", flag, wrapped, near("x=null;", "x=12;;"))
    for name, (keyword, value) in REFUSED.items():
        why = "A keyword that is not understood here, or whose value makes no sense."
        yield refused(f"refused-json-{name}", why, "FFT-040", grammar=schema(value), names=keyword)
    for name, value in MALFORMED.items():
        why = "A schema that makes no sense, or has no text."
        place = f"/grammar/json_schema{PLACES.get(name, '')}"
        yield refused(f"refused-json-{name}", why, "FFT-041", "unsupported-schema", place, grammar=schema(value))


CASES = tuple(cases())
