"""Matchers over other engines force what our own automaton forces on the same grammar, and their states are values."""

import json
import random
import sys

import pytest

from tokenspec_reference.fast_forward import (
    Alternatives,
    JsonSchema,
    Matcher,
    Regex,
    after,
    allowed_tokens,
    canonical_ff_tokens,
    engines,
    forced_bytes,
    small_vocabulary,
)
from tokenspec_reference.fast_forward.errors import InvalidGrammar, MissingEngine

pytest.importorskip("llguidance")
pytest.importorskip("xgrammar")

VOCABULARY = small_vocabulary(
    '{"', '":', "na", "me", "name", "number", '","', "or", "de", "der", "order", "Id", "orderId"
)
CLOSED = {
    "type": "object",
    "properties": {
        "name": {"enum": ["order", "orderId"]},
        "number": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "boolean"}},
    },
    "required": ["name", "number"],
    "additionalProperties": False,
}
TREE = {"$ref": "#/$defs/t", "$defs": {"t": {**CLOSED, "properties": {"t": {"$ref": "#/$defs/t"}}, "required": []}}}
COMPACT = {"any_whitespace": False, "separators": (",", ":")}
PAIRS = {
    "alternatives-lark": (
        lambda: Alternatives(["order", "orderId"]),
        lambda: engines.llguidance_lark('start: "order" "Id"?'),
    ),
    "alternatives-ebnf": (
        lambda: Alternatives(["order", "orderId"]),
        lambda: engines.xgrammar_ebnf('root ::= "order" "Id"?'),
    ),
    "regex-llguidance": (lambda: Regex("na(me)+[0-9é]{2}"), lambda: engines.llguidance_regex("na(me)+[0-9é]{2}")),
    "regex-xgrammar": (lambda: Regex("na(me)+[0-9é]{2}"), lambda: engines.xgrammar_regex("na(me)+[0-9é]{2}")),
    "schema-llguidance": (
        lambda: JsonSchema(CLOSED),
        lambda: engines.llguidance_json_schema(CLOSED, whitespace_flexible=False),
    ),
    "schema-xgrammar": (lambda: JsonSchema(CLOSED), lambda: engines.xgrammar_json_schema(CLOSED, **COMPACT)),
    "recursive": (lambda: JsonSchema(TREE), lambda: engines.llguidance_json_schema(TREE, whitespace_flexible=False)),
}


@pytest.mark.parametrize("mode", ["strict", "llguidance"])
@pytest.mark.parametrize("name", PAIRS)
def test_the_same_is_forced_at_every_state(name, mode):
    ours, theirs = (make() for make in PAIRS[name])
    rng = random.Random(name)
    for _ in range(6):
        mine, other, text = ours, theirs, b""
        for _ in range(40):
            assert mine.accepting() == other.accepting()
            assert bytes(mine.allowed()) == bytes(other.allowed())
            assert forced_bytes(mine)[0] == forced_bytes(other)[0]
            recent = VOCABULARY.encode_isolated(text.decode(errors="ignore"))
            answers = [canonical_ff_tokens(VOCABULARY, state, recent, mode=mode) for state in (mine, other)]
            assert answers[0] == answers[1]
            if not mine.allowed():
                break
            byte = rng.choice([b for b in mine.allowed() if b in b'"}],'] or list(mine.allowed()))
            mine, other, text = mine.step(byte), other.step(byte), text + bytes((byte,))


@pytest.mark.parametrize("name", PAIRS)
def test_states_are_values(name):
    state = PAIRS[name][1]()
    assert isinstance(state, Matcher)
    before = state.allowed()
    first = state.step(before[0])
    first.step(first.allowed()[0])
    assert state.allowed() == before
    assert state.step(before[0]) is first
    assert state.step(1) is None
    assert after(state, b"\xff") is None


def test_masks_over_a_real_vocabulary_follow():
    state = engines.llguidance_lark('start: "or" "der"')
    assert [VOCABULARY.by_id[token] for token in allowed_tokens(VOCABULARY, state)] == [b"o", b"or", b"order"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: engines.llguidance_lark("start: ("),
        lambda: engines.llguidance_json_schema({"type": "text"}),
        lambda: engines.llguidance_regex("("),
        lambda: engines.xgrammar_ebnf("root ::= ("),
        lambda: engines.xgrammar_json_schema({"type": "text"}),
        lambda: engines.xgrammar_regex("("),
    ],
    ids=["lark", "schema", "regex", "ebnf", "xgrammar-schema", "xgrammar-regex"],
)
def test_a_refused_grammar_is_a_typed_error(make):
    with pytest.raises(InvalidGrammar, match="refuses it"):
        make()


@pytest.mark.parametrize("package", ["llguidance", "xgrammar"])
def test_a_missing_package_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingEngine, match=f"pip install {package}"):
        engines.llguidance_regex("a") if package == "llguidance" else engines.xgrammar_regex("a")


def test_options_are_passed_on():
    schema = {"type": "array", "items": {"type": "null"}}
    assert after(engines.llguidance_json_schema(schema, item_separator=", "), b"[null, null]").accepting()
    spaced = engines.xgrammar_json_schema(schema, any_whitespace=False, separators=(", ", ": "))
    assert after(spaced, json.dumps([None, None]).encode()).accepting()
