"""Texts of schemas as people write them: every text walked satisfies its schema by another validator, and back."""

import json
import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.fast_forward import JsonSchema, after, forced_bytes, viable
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.formats import FORMATS
from tokenspec_reference.fast_forward.number_texts import Range, within
from tokenspec_reference.fast_forward.schema_texts import texts_of_format

jsonschema = pytest.importorskip("jsonschema")

BEYOND_FLOATS = re.compile(rb"\d[\d.]{14}")  # the other validator reads them as another number
STRING, INTEGER, NULL = ({"type": kind} for kind in ("string", "integer", "null"))
ORDER = {  # what pydantic writes for nested, optional, literal, enumerated, bounded, dated and recursive fields
    "$defs": {
        "Colour": {"enum": ["red", "green"], "title": "Colour", "type": "string"},
        "Item": {
            "properties": {
                "sku": {"pattern": "^[A-Z]{2}\\d{3}$", "title": "Sku", "type": "string"},
                "price": {"exclusiveMinimum": 0, "title": "Price", "type": "number"},
                "colour": {"$ref": "#/$defs/Colour", "default": "red"},
                "kind": {"const": "item", "default": "item", "title": "Kind", "type": "string"},
            },
            "required": ["sku", "price"],
            "title": "Item",
            "type": "object",
        },
        "Node": {
            "additionalProperties": False,
            "properties": {
                "value": {"maximum": 9, "minimum": 1, "title": "Value", "type": "integer"},
                "children": {"items": {"$ref": "#/$defs/Node"}, "title": "Children", "type": "array"},
            },
            "required": ["value"],
            "title": "Node",
            "type": "object",
        },
    },
    "properties": {
        "id": {"format": "uuid", "title": "Id", "type": "string"},
        "placed": {"format": "date-time", "title": "Placed", "type": "string"},
        "note": {"anyOf": [{"maxLength": 20, "type": "string"}, {"type": "null"}], "default": None, "title": "Note"},
        "state": {"enum": ["open", "closed", 3], "title": "State"},
        "items": {"items": {"$ref": "#/$defs/Item"}, "maxItems": 3, "minItems": 1, "title": "Items", "type": "array"},
        "counts": {"additionalProperties": {"type": "integer"}, "title": "Counts", "type": "object"},
        "tree": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
        "pair": {
            "maxItems": 2,
            "minItems": 2,
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "title": "Pair",
            "type": "array",
        },
        "pet": {
            "discriminator": {"mapping": {"cat": "#/$defs/Colour"}, "propertyName": "kind"},
            "oneOf": [
                {"properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}, "required": ["kind"]},
            ],
            "type": "object",
        },
    },
    "required": ["id", "placed", "state", "items"],
    "title": "Order",
    "type": "object",
}
SCHEMAS = {
    "pydantic": ORDER,
    "not-type": {"not": {"type": ["object", "array"]}},
    "not-text": {"type": "string", "maxLength": 3, "not": {"enum": ["ab", "a"]}},
    "not-required": {"type": "object", "properties": {"a": INTEGER, "b": NULL}, "not": {"required": ["a", "b"]}},
    "not-pattern": {"type": "string", "not": {"pattern": "[a-z]"}},
    "not-bounds": {"type": "integer", "not": {"minimum": 3, "maximum": 7}},
    "not-any-of": {"not": {"anyOf": [STRING, {"type": "number"}, {"minItems": 1}]}},
    "one-of-overlapping": {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "string", "minLength": 2}]},
    "one-of-required": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]},
    "not-one-of": {"type": "integer", "not": {"oneOf": [{"minimum": 3}, {"maximum": 7}]}},
    "if": {
        "type": "object",
        "properties": {"a": {"enum": [1, 2]}, "b": True},
        "required": ["a"],
        "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
        "then": {"properties": {"b": STRING}, "required": ["b"]},
        "else": {"properties": {"b": INTEGER}},
    },
    "not-integer": {"not": {"type": ["integer", "string", "object"]}},
    "one-of-numbers": {"oneOf": [{"type": "number"}, {"type": "integer"}]},
    "if-not": {"not": {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "integer"}}},
    "dependent": {
        "properties": {"a": NULL, "b": NULL, "c": NULL},
        "type": "object",
        "dependentRequired": {"a": ["b", "c"]},
        "dependentSchemas": {"b": {"maxProperties": 3}},
    },
    "names": {"type": "object", "propertyNames": {"pattern": "^[ab]+$", "maxLength": 2}, "additionalProperties": NULL},
    "patterns-of-names": {
        "patternProperties": {"a": {"type": "integer"}, "b$": {"minimum": 5}},
        "additionalProperties": False,
        "type": "object",
    },
    "sizes": {
        "type": "object",
        "properties": {"a": NULL, "b": NULL, "c": NULL, "d": NULL},
        "required": ["c"],
        "additionalProperties": False,
        "minProperties": 2,
        "maxProperties": 3,
    },
    "unevaluated": {"type": "object", "properties": {"a": NULL}, "unevaluatedProperties": False},
    "all-of": {
        "allOf": [{"$ref": "#/$defs/a"}, {"properties": {"x": {"minimum": 3}}}],
        "$defs": {"a": {"type": "object", "properties": {"x": INTEGER, "y": {"$ref": "#"}}, "required": ["x"]}},
    },
    "anchors": {"$ref": "#a", "$defs": {"n": {"$anchor": "a", "type": "array", "items": {"$ref": "#a"}}}},
    "identified": {"$id": "https://example.org/s", "$ref": "t", "$defs": {"n": {"$id": "t", "type": "boolean"}}},
    "endless-alternative": {
        "anyOf": [{"$ref": "#/$defs/e"}, INTEGER],
        "$defs": {"e": {"type": "object", "required": ["e"], "properties": {"e": {"$ref": "#/$defs/e"}}}},
    },
    "multiples": {"allOf": [{"type": "number", "multipleOf": 0.5}, {"multipleOf": 0.75}, {"maximum": 100}]},
}


def texts(grammar, rng, count):
    """Texts walked at random, closed where that is possible."""
    for _ in range(count):
        state, text = grammar, bytearray()
        while state.allowed():
            if state.accepting() and rng.random() < 0.4:
                break
            allowed = bytes(state.allowed())
            closing = [byte for byte in allowed if byte in b'"}],:']
            plain = [byte for byte in allowed if 32 <= byte < 127] or list(allowed)
            chosen = closing if closing and (rng.random() < 0.5 or len(text) > 200) else plain
            byte = rng.choice(chosen)
            state = state.step(byte)
            assert state is not None, "an allowed byte leads nowhere"
            text.append(byte)
            if len(text) > 2000:
                break
        if state.accepting():
            yield bytes(text)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_text_satisfies_its_schema(name):
    schema = SCHEMAS[name]
    found = [text for text in texts(JsonSchema(schema), random.Random(name), 60) if not BEYOND_FLOATS.search(text)]
    assert len(found) > 20
    validator = jsonschema.Draft202012Validator(schema)
    for text in found:
        assert validator.is_valid(json.loads(text)), text


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name not in ("pydantic", "multiples")])
def test_small_values_are_texts_exactly_where_they_satisfy_the_schema(name):
    schema = SCHEMAS[name]
    grammar, validator = JsonSchema(schema), jsonschema.Draft202012Validator(schema)
    leaves = [None, True, 0, 3, 5, 8, "", "a", "ab", "abc", "aB1-"]
    values = [*leaves, *([leaf] for leaf in leaves), [], [[], [[]]], {}]
    for keys in ("a", "b", "c", "x", "e", "ab", "bb", "abc", "aba", "zz", "abd", "bcd", "xy"):
        values += [dict.fromkeys(keys, leaf) for leaf in leaves] + [{keys: leaf} for leaf in leaves]
    for value in values:
        text = json.dumps(value, separators=(",", ":")).encode()
        state = after(grammar, text)
        assert (state is not None and state.accepting()) == validator.is_valid(value), text


def test_an_ordinary_order_is_taken_and_forced():
    grammar = JsonSchema(ORDER)
    order = {
        "id": "123e4567-e89b-12d3-a456-426614174000",
        "placed": "2024-02-29T10:20:30Z",
        "note": None,
        "state": "open",
        "items": [{"sku": "AB123", "price": 1.5, "colour": "green", "kind": "item"}],
        "counts": {"a": 1, "b": -2},
        "tree": {"value": 3, "children": [{"value": 1, "children": []}]},
        "pair": [1, "x"],
        "pet": {"kind": "dog", "name": "Rex"},
        "further": [1, {}],
    }
    text = json.dumps(order, separators=(",", ":")).encode()
    assert after(grammar, text).accepting()
    assert forced_bytes(grammar)[0] == b'{"id":"'
    assert after(JsonSchema(ORDER, whitespace="spaced"), json.dumps(order).encode()).accepting()
    indented = json.dumps(order, indent=1).encode()
    assert after(JsonSchema(ORDER, whitespace="flexible", most_whitespace=9), indented).accepting()
    for wrong in ('"price":1.5', '"sku":"AB123"', '"value":3', '"state":"open"'):
        name, _ = wrong.split(":")
        assert not viable(grammar, text.replace(wrong.encode(), f'{name}:"-"'.encode()))


numbers = st.decimals(-30, 30, places=1, allow_nan=False)


@settings(deadline=None, max_examples=200)
@given(numbers, numbers, st.booleans(), st.booleans(), st.booleans(), numbers)
def test_bounds_are_those_of_decimals(low, high, low_open, high_open, whole, value):
    bounds = Range(low, high, low_open, high_open)
    automaton = within(bounds, None, whole=whole)
    text = f"{value.normalize():f}"
    expected = bounds.contains(value) and not (whole and "." in text)
    assert automaton.contains("0" if text == "-0" else text) == expected


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(["1", "3", "7", "0.5", "0.25", "1.5", "0.3", "0.75"]).map(Fraction), numbers, st.integers(-99, 99)
)
def test_multiples_are_those_of_fractions(multiple, value, count):
    automaton = within(Range(), multiple, whole=False)
    for number in (Fraction(value), multiple * count):
        text = f"{(Decimal(number.numerator) / number.denominator).normalize():f}"
        assert automaton.contains("0" if text == "-0" else text) == ((number / multiple).denominator == 1)


@pytest.mark.parametrize(
    ("name", "members", "others"),
    [
        ("date", ["2000-02-29", "0000-12-31"], ["1900-02-29", "2023-02-29", "2023-2-1"]),
        ("time", ["23:59:60Z", "00:00:00.123456789-00:00"], ["23:59:61Z", "1:00:00Z"]),
        ("duration", ["P1Y2M3DT4H5M6S", "PT0S", "P2W", "P1Y", "PT1H1M"], ["P", "PT", "P1YT", "P1W2D", "PT1H1S"]),
        ("uri", ["http://a.b:80/c?d=e#f", "urn:x:y", "a://[::1]/", "mailto:a@b"], ["a", "//a", "a:b c", "http://[1]/"]),
        ("uri-reference", ["", "a/b", "//a", "?q", "http://a"], ["a b", "1:b", "%zz"]),
        ("json-pointer", ["", "/a~0b/~1", "//"], ["a", "/~", "/~2"]),
        ("relative-json-pointer", ["0", "1/a", "2#"], ["01", "a", "-1"]),
        (
            "ipv6",
            ["::", "1::", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"],
            ["1:::2", "1:2:3:4:5:6:7:8:9", ":1", "::1.2.3"],
        ),
        ("hostname", ["a" * 63], ["a" * 64, "a_b"]),
    ],
)
def test_formats(name, members, others):
    automaton = texts_of_format(name)
    assert [text for text in members if not automaton.contains(text)] == []
    assert [text for text in others if automaton.contains(text)] == []


def test_every_format_has_an_automaton():
    assert all(texts_of_format(name) for name in FORMATS)


@pytest.mark.parametrize(
    ("schema", "refusal"),
    [
        ({"pattern": "(" * 40 + "a{0,50}" + "){0,50}" * 40}, "more than 80000 steps"),
        ({"pattern": "^(a|b)*a(a|b){20}$"}, "more than 20000 states"),
        ({"allOf": [{"anyOf": [{"required": [f"{n}{m}"]} for m in range(4)]} for n in range(12)]}, "512 combinations"),
        ({"oneOf": [{"required": [n], "properties": {n: {"minLength": 1}}} for n in "abcdefghijkl"]}, "512 combinat"),
        ({"patternProperties": {f"{letter}.*z": {"minLength": ord(letter)} for letter in "abcdefg"}}, "more than 6"),
        (
            {"$ref": "#/$defs/0", "$defs": {str(n): {"items": {"$ref": f"#/$defs/{n + 1}"}} for n in range(99)}},
            "deeper than 64 levels",
        ),
    ],
    ids=["repeats", "exponential", "combinations", "exclusions", "names", "levels"],
)
def test_what_is_too_large_is_refused(schema, refusal):
    with pytest.raises(SchemaError, match=refusal):
        JsonSchema(schema)


def test_many_decimals_are_read():
    grammar = JsonSchema({"type": "number", "multipleOf": 0.00000000001})
    assert after(grammar, b"2.00000000003").accepting()
    assert not viable(grammar, b"2.000000000031")
