"""Mode ``strict`` against the enumeration of everything that may follow."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.fast_forward import (
    Alternatives,
    InOrder,
    Literal,
    Regex,
    Special,
    after,
    candidates,
    canonical_ff_tokens,
    continuations,
    forced_bytes,
    pipeline,
    small_vocabulary,
    viable,
)
from tokenspec_reference.fast_forward.enumeration import (
    TooManyTexts,
    canonical_continuations,
    longest_canonical,
    violations,
)

from .conftest import toy

LETTERS = "abc"


@st.composite
def vocabularies(draw):
    tokens = []
    for _ in range(draw(st.integers(1, 9))):
        pool = [*LETTERS, *tokens]
        joined = draw(st.sampled_from(pool)) + draw(st.sampled_from(pool))
        if joined not in tokens and len(joined) <= 6:
            tokens.append(joined)
    return small_vocabulary(*tokens)


words = st.text(LETTERS, min_size=1, max_size=7)


@pytest.mark.parametrize("compare_all", [True, False], ids=["few-texts", "spanning-tokens"])
@settings(deadline=None, max_examples=400)
@given(vocabularies(), words, st.lists(words, min_size=1, max_size=3), st.text(LETTERS, max_size=2))
def test_no_continuation_is_tokenised_differently(compare_all, vocabulary, shared, ends, before):
    grammar = Alternatives([shared + end for end in ends])
    prefix = vocabulary.encode_text(before)
    with pytest.MonkeyPatch.context() as patch:
        if not compare_all:
            patch.setattr(continuations, "FEW", -1)
        tokens, leftover = canonical_ff_tokens(vocabulary, grammar, prefix, mode="strict")
    assert vocabulary.bytes_of(tokens) + leftover == forced_bytes(grammar)[0]
    assert violations(vocabulary, grammar, tokens, prefix) == []
    if compare_all and len(prefix) < 2 and canonical_continuations(vocabulary, grammar, prefix):
        assert tokens == longest_canonical(vocabulary, grammar, prefix)


@settings(deadline=None, max_examples=150)
@given(vocabularies(), words, st.sampled_from(["[abc]*", "(ab|c)*a", "[ab]{0,4}", "(bc)+"]))
def test_endless_grammars_by_their_short_texts(vocabulary, shared, rest):
    grammar = InOrder([Literal(shared), Regex(rest)])
    tokens, _ = canonical_ff_tokens(vocabulary, grammar, mode="strict")
    assert violations(vocabulary, grammar, tokens, longest=len(forced_bytes(grammar)[0]) + 5) == []


PIECES = [
    *(
        "order",
        "orderId",
        "the",
        "there",
        " the",
        "name",
        "func",
        "function",
        "12",
        "345",
        "é",
        "日本",
        "\n",
        "\n\n",
        "  ",
    ),
    *(" ", '"', '":', "<think>", "don't", "'ll", "\t", "🙂", "toy", "toys", "e\u0301", "<pic>", "\u3000", "ing", "s"),
]


@pytest.mark.parametrize("compare_all", [True, False], ids=["few-texts", "spanning-tokens"])
def test_real_tokenizers_in_small(toy_vocabulary, compare_all, monkeypatch):
    if not compare_all:
        monkeypatch.setattr(continuations, "FEW", -1)
    rng = random.Random(7)
    judged = 0
    for _ in range(500):
        shared = "".join(rng.choices(PIECES, k=rng.randint(1, 4)))
        ends = {"".join(rng.choices([*PIECES, ""], k=2)) for _ in range(rng.randint(1, 4))}
        grammar = Alternatives([shared + end for end in ends])
        prefix = toy_vocabulary.encode_isolated(rng.choice(["", *PIECES]))
        tokens, leftover = canonical_ff_tokens(toy_vocabulary, grammar, prefix, mode="strict")
        assert toy_vocabulary.bytes_of(tokens) + leftover == forced_bytes(grammar)[0]
        assert violations(toy_vocabulary, grammar, tokens, prefix) == [], (shared, ends, prefix)
        judged += bool(canonical_continuations(toy_vocabulary, grammar, prefix))
    assert judged > 300


def test_the_window_test_is_fooled_where_strict_is_not():
    park = small_vocabulary("ar", "ark", "par", "np")
    grammar = Alternatives(["npark", "npart"])
    fooled = canonical_ff_tokens(park, grammar, max_tokens=None)[0]
    assert violations(park, grammar, fooled)
    assert canonical_ff_tokens(park, grammar, mode="strict") == ([], b"npar")


def test_a_token_that_never_appears_holds_nothing_back():
    # "bc" would span, but "ab" is merged first, so no text of the grammar contains it
    vocabulary = small_vocabulary("ab", "bc")
    grammar = Regex("abc[x-z]*")
    state = Regex("ab(c[x-z]*|d)")
    assert canonical_ff_tokens(vocabulary, state) == ([], b"ab")
    assert canonical_ff_tokens(vocabulary, state, mode="strict") == ([256], b"")
    assert canonical_ff_tokens(vocabulary, grammar, mode="strict")[0][0] == 256


def test_literal_special_text_and_characters_a_normalizer_changes():
    bpe, added = toy("toy-bpe"), toy("toy-added")
    tokens, leftover = canonical_ff_tokens(bpe, Literal("use <tool_call> here"), mode="strict")
    assert leftover == b""
    assert bpe.bytes_of(tokens) == b"use <tool_call> here"
    tokens, leftover = canonical_ff_tokens(added, Literal("cafe\u0301 noir"), mode="strict")
    assert added.bytes_of(tokens) + leftover == "cafe\u0301 noir".encode()
    assert viable(Literal("cafe\u0301 noir"), added.bytes_of(tokens))


@pytest.mark.parametrize("data", [b"\xc3", b"a\xc3", b"\xc3(", b"\xa9", b"ab\xe6\x97\xa5\xe6"])
def test_bytes_that_are_not_text_are_left_over(data):
    for vocabulary in (small_vocabulary("é", "ab", "日"), toy("toy-bpe"), toy("toy-metaspace")):
        tokens, leftover = canonical_ff_tokens(vocabulary, Literal(data), mode="strict")
        assert vocabulary.bytes_of(tokens) + leftover == data


def test_a_context_that_breaks_a_character():
    vocabulary = small_vocabulary(b"\xe6\x97", "日本")
    state = after(Literal("日本"), b"\xe6\x97")
    tokens, leftover = canonical_ff_tokens(vocabulary, state, [256], mode="strict")
    assert vocabulary.bytes_of(tokens) + leftover == b"\xa5" + "本".encode()


def test_a_special_token_may_follow():
    vocabulary = small_vocabulary("ab", "bc", special=["<s>"])
    grammar = After("ab", [Special(vocabulary.special_ids["<s>"]), Literal("c")])
    assert canonical_ff_tokens(vocabulary, grammar, mode="strict") == ([256], b"")
    joins = small_vocabulary("bc", "ab", special=["<s>"])
    grammar = After("ab", [Special(joins.special_ids["<s>"]), Literal("c")])
    assert canonical_ff_tokens(joins, grammar, mode="strict") == ([], b"ab")


class After:
    """A literal, then one of several grammars."""

    def __init__(self, text, options):
        self.text, self.options = text, options

    def accepting(self):
        return not self.text and any(option.accepting() for option in self.options)

    def allowed(self):
        return [ord(self.text[0])] if self.text else sorted({b for option in self.options for b in option.allowed()})

    def step(self, byte):
        if self.text:
            return After(self.text[1:], self.options) if byte == ord(self.text[0]) else None
        return next((following for option in self.options if (following := option.step(byte)) is not None), None)


def test_trials_are_bounded(monkeypatch):
    monkeypatch.setattr(candidates, "TRIALS", 0)
    monkeypatch.setattr(continuations, "FEW", -1)
    park = small_vocabulary("ar", "ark", "par", "np")
    grammar = Alternatives(["npark", "npart"])
    assert violations(park, grammar, canonical_ff_tokens(park, grammar, mode="strict")[0]) == []


def test_enumeration_is_bounded():
    with pytest.raises(TooManyTexts):
        canonical_continuations(small_vocabulary("ab"), Regex("[a-z]{6}"))


@pytest.mark.parametrize("pattern", ["a  [XZ]+", "a    ( [a-z]+)?;", "the[a-z]+;"])
def test_more_ways_than_are_followed_hold_back(monkeypatch, pattern):
    vocabulary, grammar = toy.__wrapped__("toy-bpe"), Regex(pattern)  # one that remembers no ways yet
    followed = canonical_ff_tokens(toy("toy-bpe"), grammar, mode="strict")[0]
    monkeypatch.setattr(pipeline, "MOST_SEGMENTATIONS", 0)
    held, leftover = canonical_ff_tokens(vocabulary, grammar, mode="strict")
    assert held == followed[: len(held)]
    assert vocabulary.raw(held) + leftover == forced_bytes(grammar)[0]
