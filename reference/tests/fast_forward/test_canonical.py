"""Mode ``llguidance`` against llguidance itself, and the rules of the window."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import (
    Alternatives,
    InOrder,
    Literal,
    Regex,
    Special,
    after,
    canonical_ff_tokens,
    forced_bytes,
    small_vocabulary,
    tokenize_partial,
)
from tokenspec_reference.fast_forward.matcher import ForcedBytesTooLong

from .conftest import TOYS, toy

WORDS = [
    *(
        "order",
        "orderId",
        "orders",
        "the",
        "there",
        "theory",
        " the",
        " there",
        "name_of",
        "function",
        "func",
        "12",
        "123",
    ),
    *(
        "é",
        "è",
        "日本",
        "日",
        "\n",
        "\n\n",
        "  ",
        " ",
        '"',
        '":',
        "://",
        "<think>",
        "don't",
        "I'll",
        "x\ty",
        "🙂",
        "🙃",
    ),
]


@pytest.mark.parametrize("name", ["toy-bpe", "toy-metaspace", "toy-ranks"])
def test_token_for_token_what_llguidance_returns(name):
    llguidance = pytest.importorskip("llguidance")
    vocabulary = toy(name)
    tokenizer = llguidance.LLTokenizer((TOYS / name / "tokenizer.json").read_text())
    rng = random.Random(name)
    compared = 0
    for _ in range(400):
        shared = "".join(rng.choices(WORDS, k=rng.randint(1, 4)))
        texts = list({shared + rng.choice([*WORDS, ""]) + rng.choice([*WORDS, ""]) for _ in range(rng.randint(1, 3))})
        cut = rng.randrange(len(shared))
        prefix = vocabulary.encode_isolated(shared[:cut])
        theirs = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(lark(texts)), log_level=0)
        if not theirs.consume_tokens(prefix):
            continue
        state = after(Alternatives(texts), vocabulary.raw(prefix))
        expected = theirs.compute_ff_tokens()
        assert theirs.compute_ff_bytes() == forced_bytes(state)[0]
        assert canonical_ff_tokens(vocabulary, state, prefix)[0] == expected, (texts, prefix)
        compared += 1
    assert compared > 350


def lark(texts):
    import json

    return "start: " + " | ".join(json.dumps(text, ensure_ascii=False) for text in texts)


def test_partial_tokenisation_is_that_of_llguidance():
    llguidance = pytest.importorskip("llguidance")
    tokenizer = llguidance.LLTokenizer((TOYS / "toy-bpe" / "tokenizer.json").read_text())
    vocabulary = toy("toy-bpe")
    for text in (*WORDS, "a name_of_the person", "x" * 50, "a\n\n b"):
        for recent in ([], vocabulary.encode_isolated('{"'), vocabulary.encode_isolated(" ")):
            for data in (text.encode(), text.encode()[:-1]):
                theirs, leftover = tokenizer.tokenize_partial(data, recent_tokens=recent)
                assert tokenize_partial(vocabulary, data, recent) == (theirs, leftover), (data, recent)


EARLY = small_vocabulary("bc", "cd", "abc", "abcd", "de", "cde")


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text("abcde", min_size=1, max_size=7), min_size=1, max_size=3), st.booleans())
def test_window_rules(texts, check):
    grammar = Alternatives(texts)
    forced = forced_bytes(grammar)[0]
    answers = [canonical_ff_tokens(EARLY, grammar, max_tokens=n, grammar_check=check) for n in (0, 1, 2, 4, None)]
    for tokens, leftover in answers:
        assert EARLY.bytes_of(tokens) + leftover == forced
    assert answers[0] == (EARLY.encode_text(forced.decode()), b"")
    for (smaller, _), (larger, _) in pairwise(answers):
        assert smaller[: len(larger)] == larger
    unchecked = canonical_ff_tokens(EARLY, grammar, grammar_check=False)[0]
    checked = canonical_ff_tokens(EARLY, grammar)[0]
    assert checked[: len(unchecked)] == unchecked
    for length in (0, 1, 3, 100):
        limited = canonical_ff_tokens(EARLY, grammar, max_tokens=None, max_length=length)[0]
        assert answers[0][0][: len(limited)] == limited


def test_the_last_token_is_context_and_left_out_where_it_does_not_come_back():
    assert canonical_ff_tokens(EARLY, Literal("cX"), EARLY.encode_text("b")) == ([ord("c"), ord("X")], b"")
    joined = small_vocabulary("Xc", "cY")
    assert canonical_ff_tokens(joined, Literal("cY"), joined.encode_text("X"))[0] == [257]
    assert canonical_ff_tokens(joined, Literal("cYZ"), joined.encode_text("a"))[0] == [257, ord("Z")]


def test_special_tokens_are_settled():
    vocabulary = small_vocabulary("ab", special=["<s>", "<t>"])
    special = vocabulary.special_ids["<s>"]
    grammar = InOrder([Literal("a"), Special(special), Alternatives(["a", "ab"])])
    for mode in ("llguidance", "strict"):
        assert canonical_ff_tokens(vocabulary, grammar, mode=mode) == ([97, special], b"a")


def test_two_special_tokens_force_no_digits():
    assert forced_bytes(InOrder([Alternatives(["ab"]), Special(12)]))[0] == b"ab\xff[12]"
    state = Choice(InOrder([Special(12)]), InOrder([Special(13)]))
    assert forced_bytes(state)[0] == b""


class Choice:
    """A matcher of a user's own: the protocol is all that is needed."""

    def __init__(self, *states):
        self.states = [state for state in states if state is not None]

    def accepting(self):
        return any(state.accepting() for state in self.states)

    def allowed(self):
        return sorted({byte for state in self.states for byte in state.allowed()})

    def step(self, byte):
        following = [state.step(byte) for state in self.states]
        return Choice(*following) if any(state is not None for state in following) else None


def test_a_matcher_of_ones_own():
    vocabulary = small_vocabulary("or", "de", "der", "order", "Id", "orderId")
    for mode in ("llguidance", "strict"):
        own = Choice(Literal("orderId"), Literal("orderName"))
        assert canonical_ff_tokens(vocabulary, own, mode=mode) == ([], b"order")


class Endless:
    """Forces for ever."""

    def accepting(self):
        return False

    def allowed(self):
        return [97]

    def step(self, byte):
        return self


@pytest.mark.parametrize("mode", ["llguidance", "strict"])
def test_an_endless_literal_is_refused(mode):
    with pytest.raises(ForcedBytesTooLong, match="16384"):
        canonical_ff_tokens(EARLY, Endless(), mode=mode)


@pytest.mark.parametrize(
    ("keywords", "field"),
    [
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_length": -1}, "max_length"),
        ({"mode": "fast"}, "mode"),
        ({"max_tokens": 1.5}, "max_tokens"),
    ],
)
def test_bad_settings_are_named(keywords, field):
    with pytest.raises(TokenSpecError) as caught:
        canonical_ff_tokens(EARLY, Literal("a"), **keywords)
    assert caught.value.field == field


def test_nothing_is_forced_where_the_text_may_end():
    for mode in ("llguidance", "strict"):
        assert canonical_ff_tokens(EARLY, Regex("(abcd)?"), mode=mode) == ([], b"")
        assert canonical_ff_tokens(EARLY, Regex("ab(cd)?"), mode=mode)[1] in (b"ab", b"")
    assert tokenize_partial(EARLY, b"") == ([], b"")
