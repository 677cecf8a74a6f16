"""Every fast path beside its readable twin: the answers are the same."""

import json
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.fast_forward import (
    Alternatives,
    JsonSchema,
    Literal,
    Regex,
    after,
    canonical_ff_tokens,
    forced_bytes,
    small_vocabulary,
    viable,
)
from tokenspec_reference.fast_forward.continuations import few_texts
from tokenspec_reference.fast_forward.expression import Expressions
from tokenspec_reference.fast_forward.expression_state import States
from tokenspec_reference.fast_forward.matcher import ForcedBytesTooLong
from tokenspec_reference.fast_forward.words import Words

words = st.lists(st.text("abc", max_size=5).map(str.encode), min_size=1, max_size=12, unique=True)
VOCABULARY = small_vocabulary("ab", "bc", "abc", "ca", '":', '{"', '"a', ',"', "null", '"}', "a1")


class Asked:
    """A state that answers the three questions of a matcher and nothing else."""

    def __init__(self, state):
        self.state = state
        self.accepting, self.allowed = state.accepting, state.allowed

    def step(self, byte):
        following = self.state.step(byte)
        return None if following is None else Asked(following)


def texts_of(state, before=b""):
    found = [before] if state.accepting() else []
    return found + [text for byte in state.allowed() for text in texts_of(state.step(byte), before + bytes((byte,)))]


@settings(deadline=None, max_examples=60)
@given(words, st.integers(0, 11), st.integers(0, 12))
def test_many_words_are_the_choice_of_them(words, start, stop):
    stop = min(max(start, stop), len(words))
    fast, plain = Expressions(), Expressions()
    tails = [b"!" * (number % 3) for number in range(len(words))]
    many = Words(fast, words).among(start, stop, lambda number: fast.text(tails[number]))
    each = plain.choice(plain.text(words[number] + tails[number]) for number in range(start, stop))
    assert (many is fast.nothing) == (each is plain.nothing)
    if start < stop:
        ours, theirs = States(fast).at(many), States(plain).at(each)
        assert texts_of(ours) == sorted(texts_of(theirs))
        assert ours.texts() == stop - start >= len(texts_of(ours))


names = st.lists(st.sampled_from(["a", "ab", "abc", "b", "ba"]), max_size=4, unique=True)


@settings(deadline=None, max_examples=60)
@given(names, st.data())
def test_objects_have_every_subset_of_their_properties(names, data):
    required = [name for name in names if data.draw(st.booleans())]
    least, most = data.draw(st.integers(0, 2)), data.draw(st.integers(2, 4))
    schema = {"type": "object", "properties": {name: {"const": None} for name in names}, "required": required}
    schema |= {"additionalProperties": False, "minProperties": least, "maxProperties": most}
    expected = {
        json.dumps(dict.fromkeys(chosen), separators=(",", ":")).encode()
        for size in range(least, most + 1)
        for chosen in combinations(names, size)
        if set(required) <= set(chosen)
    }
    if expected:
        grammar = JsonSchema(schema)
        assert set(texts_of(grammar)) == expected
        assert grammar.texts() >= len(expected)
        for text in expected:
            for at in range(len(text)):
                state = after(grammar, text[:at])
                assert forced_bytes(state)[0] == forced_bytes(Asked(state))[0]


GRAMMARS = (
    Alternatives(["abcab", "abcba", "abc", "ca1"]),
    Regex("a(bc)?(ab|ac){1,3}c*"),
    Regex("(ab){40}c|x(ab){150}"),
    JsonSchema({"properties": {"a": {"enum": ["ab", "abc", 1, "a\n"]}, "a1": {}}, "required": ["a"]}),
    JsonSchema({"type": "array", "items": {"type": "string", "pattern": "^abcabc[ab]$"}, "maxItems": 2}),
)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_answers_do_not_depend_on_what_a_state_foresees(grammar):
    state, seen = grammar, 0
    while state is not None and state.allowed() and seen < 40:
        bare = Asked(state)
        assert few_texts(state) is few_texts(bare) is None or sorted(few_texts(state)) == sorted(few_texts(bare))
        for mode in ("strict", "llguidance"):
            asked = [canonical_ff_tokens(VOCABULARY, each, mode=mode) for each in (state, bare, state)]
            assert asked[0] == asked[1] == asked[2]
        state, seen = state.step(state.allowed()[seen % len(state.allowed())]), seen + 1


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("window", [b"", b"ab", b"xabc", b'{"a', b'x"a', b"ca1"])
def test_what_spans_a_window_is_the_longest_suffix_that_goes_on(grammar, window):
    for state in (None, grammar):
        longer = [
            len(window) - start
            for start in range(len(window))
            if any(
                word.startswith(window[start:])
                and len(word) > len(window) - start
                and (state is None or viable(state, word[len(window) - start :]))
                for word in VOCABULARY.words
            )
        ]
        assert VOCABULARY.spanning(window, state) == max(longer, default=0)


def test_a_remembered_run_is_still_bounded():
    literal = Literal("a" * 100)
    assert forced_bytes(literal)[0] == forced_bytes(literal)[0] == b"a" * 100
    with pytest.raises(ForcedBytesTooLong):
        forced_bytes(literal, limit=99)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(GRAMMARS), st.data())
def test_many_bytes_at_once_lead_where_one_after_the_other_leads(grammar, data):
    text, state = bytearray(), grammar
    while state.allowed() and len(text) < 60 and (not text or data.draw(st.integers(0, 9))):
        text.append(data.draw(st.sampled_from(state.allowed())))
        state = state.step(text[-1])
    foreign = data.draw(st.none() | st.tuples(st.integers(0, len(text)), st.sampled_from(b'ab"x')))
    if foreign is not None:
        text[foreign[0] : foreign[0] + 1] = (foreign[1],)
    cut = data.draw(st.integers(0, len(text)))
    plain = after(Asked(grammar), bytes(text))
    for ours in (after(grammar, bytes(text)), after(after(grammar, bytes(text[:cut])), bytes(text[cut:]))):
        assert (ours is None) == (plain is None)
        if ours is not None:
            assert (ours.accepting(), ours.allowed()) == (plain.accepting(), plain.allowed())
            assert forced_bytes(ours)[0] == forced_bytes(plain)[0]


def nodes_of_walk(grammar, text):
    """Return how many expressions a grammar has after a walk through a whole text."""
    reached = after(grammar, text)
    assert reached.accepting()
    return len(reached._states.expressions._nodes)


def test_a_literal_is_passed_without_a_node_for_each_byte():
    text = b"ab" * 30_000
    assert nodes_of_walk(Literal(text), text) < len(text) / 10


def test_optional_properties_cost_few_expressions_each():
    def each(count):
        names = [f"p{number * 7919 % 99_991}" for number in range(count)]
        schema = {"properties": {name: {"type": "null"} for name in names}, "additionalProperties": False}
        text = json.dumps(dict.fromkeys(names), separators=(",", ":")).encode()
        return nodes_of_walk(JsonSchema(schema), text) / count

    assert each(1024) < 10
    assert each(1024) < 1.2 * each(256)
