"""JSON schemas: the language against llguidance's own automaton byte by byte, and errors by JSON pointer."""

import json
import random

import pytest

from tokenspec_reference.fast_forward import JsonSchema, after, forced_bytes, viable
from tokenspec_reference.fast_forward.errors import SchemaError

CLOSED = {"type": "object", "additionalProperties": False}
SCHEMAS = [
    {"type": "string"},
    {"type": "string", "minLength": 1, "maxLength": 3},
    {"type": "integer"},
    {"type": "number"},
    {"type": ["boolean", "null"]},
    {"const": 'a\n"b\\/\x1f\x7fé'},
    {"const": {"k": [1, None, True, "x"]}},
    {"enum": ["red", "reddish", 7, -12, None, False]},
    {"anyOf": [{"type": "integer"}, {"const": "one"}]},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "array", "items": {"type": "null"}, "minItems": 2},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
    {"type": "array", "items": {"type": "null"}, "maxItems": 0},
    {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": False},
    {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}, "minItems": 1},
    {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}, "maxItems": 1},
    {**CLOSED},
    {**CLOSED, "properties": {"a": {"type": "integer"}, "b": {"type": "null"}}, "required": ["a", "b"]},
    {**CLOSED, "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}, "required": ["b"]},
    {**CLOSED, "properties": {"a": {"const": 1}, "ab": {"const": 2}, "q\n\x1f": {"const": 3}}},
    {
        "$defs": {"n": {"type": "integer"}},
        "type": "array",
        "items": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]},
    },
]


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_the_language_is_that_of_llguidance(schema, flexible):
    llguidance = pytest.importorskip("llguidance")
    tokenizer = llguidance.LLTokenizer("byte")
    text = llguidance.LLMatcher.grammar_from_json_schema(schema, overrides={"whitespace_flexible": flexible})
    rng = random.Random(json.dumps(schema))
    for _ in range(12):
        theirs = llguidance.LLMatcher(tokenizer, text, log_level=0)
        assert not theirs.is_error(), theirs.get_error()
        ours = JsonSchema(schema, whitespace="flexible" if flexible else "compact")
        for _ in range(60):
            mask = theirs.compute_bitmask()
            allowed = bytes(byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1)
            assert ours.allowed() == allowed
            assert ours.accepting() == theirs.is_accepting()
            if not allowed:
                break
            byte = (
                rng.choice([b for b in allowed if b in b' "\\u}],'] or allowed)
                if rng.random() < 0.5
                else rng.choice(allowed)
            )
            assert theirs.consume_token(byte)
            ours = ours.step(byte)


def test_texts_python_would_write_are_accepted():
    schema = {**CLOSED, "properties": {"a": {"type": "number"}, "b": {"type": "array", "items": {"type": "string"}}}}
    value = {"a": -1.5e-7, "b": ["x", 'é"\\ \t', ""]}
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    assert after(JsonSchema(schema), compact).accepting()
    assert not viable(JsonSchema(schema), json.dumps(value, indent=1).encode())
    assert after(JsonSchema(schema, whitespace="flexible"), json.dumps(value, indent=1, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        (None, "#"),
        ([], "#"),
        ({"type": "any"}, "#/type"),
        ({"type": []}, "#/type"),
        ({"type": "string", "format": 1}, "#/format"),
        ({"type": "string", "pattern": "(a"}, "#/pattern"),
        ({"type": "string", "pattern": "[a-z]{9999}{2}"}, "#/pattern"),
        ({"type": "string", "pattern": "([ab]{0,200}c){0,200}"}, "#/pattern"),
        ({"type": "string", "pattern": "a(?=b)"}, "#/pattern"),
        ({"type": "string", "minLength": -1}, "#/minLength"),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "#"),
        ({"type": "integer", "minimum": "0"}, "#/minimum"),
        ({"type": "number", "minimum": float("inf")}, "#/minimum"),
        ({"type": "number", "multipleOf": -1}, "#/multipleOf"),
        ({"type": "array", "items": {"type": "null"}, "uniqueItems": True}, "#/uniqueItems"),
        ({"type": "array", "contains": {}}, "#/contains"),
        ({"type": "array", "prefixItems": [], "items": False, "minItems": 1}, "#"),
        ({**CLOSED, "properties": []}, "#/properties"),
        ({**CLOSED, "required": ["a"]}, "#"),
        ({**CLOSED, "properties": {"a/b~": {"type": "string", "maxLength": "1"}}}, "#/properties/a~1b~0/maxLength"),
        ({**CLOSED, "patternProperties": []}, "#/patternProperties"),
        ({"patternProperties": {"(": {}}}, "#/patternProperties/("),
        ({"oneOf": []}, "#/oneOf"),
        ({"anyOf": []}, "#/anyOf"),
        ({"anyOf": [{"type": "null"}, {"type": "x"}]}, "#/anyOf/1/type"),
        ({"anyOf": [{"type": "null"}], "minimum": True}, "#/minimum"),
        ({"enum": "ab"}, "#/enum"),
        ({"enum": ["a", float("nan")]}, "#/enum/1"),
        ({"const": {"a": [1e999]}}, "#/const/a/0"),
        ({"const": {"a": 1j}}, "#/const/a"),
        ({"$ref": "other.json"}, "#/$ref"),
        ({"$ref": "#/$defs/missing"}, "#/$ref"),
        ({"$ref": "#"}, "#"),
        ({"allOf": [{"$ref": "#"}]}, "#"),
        ({"$dynamicRef": "#a"}, "#/$dynamicRef"),
        ({"dependentRequired": {"a": [1]}}, "#/dependentRequired/a"),
        ({"required": ["\ud800"]}, "#/required/0"),
    ],
    ids=str,
)
def test_what_is_not_supported_is_named_by_its_pointer(schema, pointer):
    with pytest.raises(SchemaError) as caught:
        JsonSchema(schema)
    assert caught.value.field == pointer


@pytest.mark.parametrize(
    ("pattern", "members"),
    [("^.$", "a\v\x85\xa0\ufeff"), (r"^\s$", "\n\r\v\u2028\u2029\xa0\ufeff"), (r"^\S$", "a\x85"), (r"^\w$", "a")],
)
def test_classes_in_patterns_are_those_of_ecma_262(pattern, members):
    grammar = JsonSchema({"type": "string", "pattern": pattern})
    for char in "a\n\r\v\x85\xa0\u2028\u2029\ufeff":
        assert viable(grammar, json.dumps(char, ensure_ascii=False).encode()) == (char in members), repr(char)


def test_unknown_white_space_is_refused():
    with pytest.raises(SchemaError, match="whitespace"):
        JsonSchema({"type": "null"}, whitespace="some")


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"const": "\ud800"}, "#/const"),
        ({"enum": ["a", "b\udfff"]}, "#/enum/1"),
        ({"const": {"\ud800": 1}}, "#/const"),
        ({"const": {1: 2}}, "#/const"),
        ({1: 2}, "#"),
        ({"const": 1 << 5000}, "#/const"),
        ({"minimum": 1 << 5000}, "#/minimum"),
        ({"type": "integer", "const": "a"}, "#"),
        ({"$ref": "#/$defs/0", "$defs": {str(n): {"$ref": f"#/$defs/{n + 1}"} for n in range(300)}}, "#/$defs/63"),
    ],
)
def test_what_is_no_schema_is_refused_by_its_place(schema, field):
    with pytest.raises(SchemaError) as refusal:
        JsonSchema(schema)
    assert refusal.value.field == field


@pytest.mark.parametrize("levels", [60, 64, 200, 5000])
def test_deep_nesting_is_read_or_refused(levels):
    schema = {"type": "null"}
    for _ in range(levels - 1):
        schema = {"type": "array", "items": schema, "minItems": 1}
    if levels > 64:
        with pytest.raises(SchemaError, match="nested deeper"):
            JsonSchema(schema)
    else:
        assert forced_bytes(JsonSchema(schema))[0] == b"[" * (levels - 1) + b"null"


def test_many_optional_properties_are_built_as_they_are_reached():
    names = [f"p{index}" for index in range(600)]
    properties = {name: {"type": "null"} for name in names}
    grammar = JsonSchema({"type": "object", "properties": properties, "additionalProperties": False})
    for text in (b'{"p0":null,"p599":null}', b'{"p300":null}', b"{}"):
        assert after(grammar, text).accepting()
    assert after(grammar, b'{"p300":null,"p299"') is None
