"""The end of a prompt against llguidance's ``process_prompt``, and ids as people read them against its own."""

import json
import random

import pytest
from transformers import PreTrainedTokenizerFast

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import (
    Alternatives,
    InOrder,
    Literal,
    Regex,
    Special,
    TokenBytes,
    after,
    allowed_tokens,
    dbg_tokens,
    decode_str,
    heal,
    small_vocabulary,
)

from .conftest import TOYS, toy

llguidance = pytest.importorskip("llguidance")
pytest.importorskip("llguidance.hf")
ROWS = ["toy-bpe", "toy-metaspace", "toy-added"]
GRAMMARS = {
    '"{\\"name\\":\\"" /[a-z]+/': InOrder([Literal('{"name":"'), Regex("[a-z]+")]),
    "/[a-z]+/": Regex("[a-z]+"),
    '"the end" | "the other"': Alternatives(["the end", "the other"]),
    "/\\n?[a-z]+/": Regex(r"\n?[a-z]+"),
}
PROMPTS = ["Answer: ", "Hello wor", "a b ", "http:", "x = [", "the", "", "\n\n", 'He said "', "in the"]


def peer(row):
    path = TOYS / row / "tokenizer.json"
    return llguidance.hf.from_tokenizer(PreTrainedTokenizerFast(tokenizer_file=str(path)))


def applied(prompt, healed):
    return [*prompt[: len(prompt) - healed.back], *healed.tokens]


@pytest.mark.parametrize("row", ROWS)
def test_llguidance_mode_is_process_prompt(row):
    vocabulary, tokenizer = toy(row), peer(row)
    for lark, grammar in GRAMMARS.items():
        for text in PROMPTS:
            prompt = vocabulary.encode_isolated(text)
            source = llguidance.LLMatcher.grammar_from_lark(f"start: {lark}")
            wanted = llguidance.LLInterpreter(tokenizer, source).process_prompt(prompt)
            healed = heal(vocabulary, grammar, prompt, mode="llguidance")
            assert applied(prompt, healed) == wanted, (text, lark)


@pytest.mark.parametrize("row", [*ROWS, "toy-ranks"])
def test_every_text_begins_with_the_healed_prompt(row):
    vocabulary = toy(row)
    endings = ["", "a", "end", " end", "er", "ing of the", "\n", ": 1", '": "']
    for text in PROMPTS:
        prompt = vocabulary.encode_isolated(text)
        healed = heal(vocabulary, Alternatives([one + "." for one in endings]), prompt)
        begun = applied(prompt, healed)
        for ending in endings:
            canonical = vocabulary.encode_isolated(f"{text}{ending}.")
            assert canonical[: len(begun)] == begun
            rest = (text + ending + ".").encode()[len(vocabulary.raw(begun)) :]
            assert rest.startswith(healed.leftover)
            assert after(healed.state, rest).accepting()


def test_nothing_changes_before_a_special_token():
    vocabulary = toy("toy-bpe")
    start = vocabulary.special_ids["<|im_start|>"]
    prompt = [*vocabulary.encode_isolated("the "), start, *vocabulary.encode_isolated("the ")]
    healed = heal(vocabulary, Regex("[a-z]+"), prompt)
    assert (healed.back, healed.tokens, healed.leftover) == (1, [], b" ")
    assert b" t" in {vocabulary.by_id[token] for token in allowed_tokens(vocabulary, healed.state)}
    assert heal(vocabulary, Regex("[a-z]+"), prompt[:-2]).back == 0
    forced = heal(vocabulary, InOrder([Special(start), Regex("[a-z]+")]), prompt)
    assert (forced.back, forced.tokens, forced.leftover) == (0, [start], b"")


def test_a_split_prompt_becomes_canonical():
    vocabulary = small_vocabulary("na", "me", "name")
    healed = heal(vocabulary, Literal("!"), b"name")
    assert (healed.back, healed.tokens, healed.leftover) == (4, [258, ord("!")], b"")


def test_what_cannot_be_spelled_or_proven_stays():
    nfc = TokenBytes.from_parts(
        [*(bytes((byte,)) for byte in range(256)), "é".encode()],
        lambda text: [256 if char == "é" else ord(char) for char in text.replace("e\u0301", "é")],
    )
    prompt = [*b"cafe", 0xCC, 0x81]
    for mode in ("strict", "llguidance"):
        assert heal(nfc, Literal("x"), prompt, mode=mode).back == 0
    assert heal(nfc, Regex("[a-z]*"), [*b"caf"]).back == 0
    with pytest.raises(TokenSpecError, match=r"prompt\[0\]"):
        heal(nfc, Literal("x"), [999])
    with pytest.raises(TokenSpecError, match="mode"):
        heal(nfc, Literal("x"), [], mode="other")


@pytest.mark.parametrize("row", ROWS)
def test_tokens_are_written_as_llguidance_does(row):
    vocabulary, tokenizer = toy(row), peer(row)
    added = json.loads((TOYS / row / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    text = {token["id"] for token in added if not token["special"]}  # those beyond ASCII it reads as other bytes
    left_out = {tokenizer.eos_token, *text}
    ids = [token for token in range(len(vocabulary.by_id)) if token not in left_out]
    for token in ids:
        if b"\\" in (vocabulary.by_id[token] or b""):  # theirs doubles some of them
            continue
        assert dbg_tokens(vocabulary, [token]) == tokenizer.dbg_tokens([token])
    rng = random.Random(row)
    for _ in range(50):
        some = [token for token in rng.choices(ids, k=6) if not {0xFF, 0x5C} & {*(vocabulary.by_id[token] or b"")}]
        assert decode_str(vocabulary, some) == tokenizer.decode_str(some)
        assert dbg_tokens(vocabulary, some) == tokenizer.dbg_tokens(some)
    with pytest.raises(TokenSpecError, match="token_ids"):
        decode_str(vocabulary, [10**6])
