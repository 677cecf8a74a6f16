"""The oracle's own parts: two readings of one vocabulary agree, and goldens say the same thing twice."""

import random

import pytest

from tokenspec.adapters import Unsupported
from tokenspec.areas import areas
from tokenspec.areas.fast_forward.oracle.golden import forced_golden, vocabulary_of
from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar
from tokenspec.areas.fast_forward.oracle.membership import ecma
from tokenspec.areas.fast_forward.oracle.vocabulary import inline_vocabulary, row_vocabulary
from tokenspec.areas.fast_forward.records import FastForwardExpect, InlineVocabulary, data_of
from tokenspec.areas.selection import grade, load_cases
from tokenspec.models import load
from tokenspec.store.canonical import convert
from tokenspec_reference.fast_forward import TokenBytes, forced_bytes, small_vocabulary
from tokenspec_reference.fast_forward.adapter import read_grammar

CASES = load_cases(areas()["fast-forward"])
TOYS = ["toy-added", "toy-bpe", "toy-metaspace", "toy-ranks"]


def test_small_vocabularies_are_read_alike():
    merged = ["ab", "ba", "aba", "bab", "é", "bc"]
    theirs, ours = inline_vocabulary(InlineVocabulary(merged, ["<s>"])), small_vocabulary(*merged, special=["<s>"])
    rng = random.Random(1)
    for _ in range(300):
        text = "".join(rng.choices("abcé", k=rng.randint(0, 9)))
        assert theirs.encode(text) == ours.encode_isolated(text)
    assert tuple(theirs.bytes_of) == ours.by_id
    assert theirs.special_ids == ours.special_ids


@pytest.mark.parametrize("row", TOYS)
def test_rows_are_read_alike(row):
    theirs = row_vocabulary(load(row))
    ours = TokenBytes.from_json((load(row).directory / "tokenizer.json").read_text())
    assert tuple(theirs.bytes_of) == ours.by_id
    assert theirs.special_ids == ours.special_ids
    for text in ("Hello, world!", " a  b", "naïve <think> 日本 🙂", "<|im_end|>x", "\n\n \t1234"):
        assert theirs.encode(text) == ours.encode_isolated(text)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.outcome == "ok" and not ({"special", "sequence"} & set(case.input["grammar"]))][
        ::4
    ],
    ids=lambda case: case.slug,
)
def test_both_automata_force_the_same(case):
    grammar = case.input["grammar"]
    text = "".join(case.input.get("prefix", []))
    state = read_grammar(grammar, small_vocabulary("ab"))
    for byte in text.encode():
        state = state.step(byte)
    assert Language(case.input.get("alike", grammar), text.encode()).forced() == forced_bytes(state)[0]


@pytest.mark.parametrize("row", [*TOYS, "-"])
def test_goldens_say_the_same_thing_twice(row):
    judged = 0
    goldens = grade(row, "fast-forward").file
    for case in CASES:
        golden = goldens.golden(case.slug)
        if golden is None or case.outcome == "raises":
            continue
        expect = convert(golden.expect, FastForwardExpect, where=case.id)
        known = vocabulary_of(case.input, row)
        forced = data_of(expect.forced_bytes)
        for way in expect.beginnings:
            spelled = b"".join(known.spell([token]) or b"\xff[%d]" % token for token in way.tokens)
            assert (spelled + data_of(way.text)).startswith(forced) or forced.startswith(spelled)
            if expect.longest is not None:
                assert way.tokens[: len(expect.longest)] == expect.longest
        assert not (expect.accepting and forced)
        judged += 1
    assert judged > 20


def test_a_golden_is_the_same_when_made_again():
    case = next(case for case in CASES if case.slug == "seed-name-quoted-flexible")
    rows = {"toy-bpe": load("toy-bpe")}
    assert forced_golden(case, "toy-bpe", rows) == forced_golden(case, "toy-bpe", rows)


def test_ascii_classes_are_spelled_out():
    text = llguidance_grammar({"regex": r"\d[\w/]\S/"}, lambda _: 0)
    assert text.endswith(r"/[0-9][0-9A-Za-z_\/][\x00-\x08\x0E-\x1F!-\x{10FFFF}]\//")
    assert llguidance_grammar({"regex": r"[\Dx]"}, lambda _: 0).endswith(r"/[\x00-\/:-\x{10FFFF}x]/")
    with pytest.raises(Unsupported):
        llguidance_grammar({"literal": {"hex": "ff"}}, lambda _: 0)


@pytest.mark.parametrize(
    ("pattern", "understood"),
    [
        ("^a.b$", "^a[^\n\r\u2028\u2029]b$"),
        (r"\.[.]", r"\.[.]"),
        (r"[\].].", "[\\].][^\n\r\u2028\u2029]"),
        ("", ""),
    ],
)
def test_dots_of_a_schema_are_no_line_ends(pattern: str, understood: str) -> None:
    assert ecma(pattern) == understood
