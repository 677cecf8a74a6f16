"""Token starts, cuttable tokens, and partitions, on tokenizers that make it hard."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines.errors import InvalidParameter, InvalidSegmentation
from tokenspec_reference.engines.offsets import partition, require_segmentation, tokenize_trace

HARD_TEXTS = [
    "plain words, and more.",
    "😀🤖 naïve café",
    "🏳️‍🌈 flag",
    "e\u0301clair e\u0301",
    "日本語テスト𓀀",
    "\ud7ff👨\u200d👩\u200d👧",
    "a\r\nb\n\n c  d ",
    "<|im_end|> literal <|seg|>",
    "   leading and trailing   ",
    "\n",
    " ",
]
TOYS = ["toy-bpe", "toy-metaspace", "toy-ranks", "toy-added"]


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("text", HARD_TEXTS)
def test_cuts_are_character_boundaries_and_tile_the_text(toy_tokenizer, name, text):
    trace = tokenize_trace(toy_tokenizer(name), text)
    assert len(trace.starts) == len(trace.cuttable) == len(trace.token_ids)
    assert list(trace.starts) == sorted(trace.starts)
    cuts = [start for start, cuttable in zip(trace.starts, trace.cuttable, strict=True) if cuttable]
    assert len(set(cuts)) == len(cuts)
    segments = partition(cuts, len(text))
    assert "".join(text[start:end] for start, end in segments) == text


@pytest.mark.parametrize("text", ["😀", "𓀀x", "日本"])
def test_a_split_character_is_never_divided(toy_tokenizer, text):
    """Byte pieces of one character share its start; only the first of them may begin a segment."""
    trace = tokenize_trace(toy_tokenizer("toy-bpe"), text)
    by_start = {}
    for start, cuttable in zip(trace.starts, trace.cuttable, strict=True):
        by_start.setdefault(start, []).append(cuttable)
    assert all(flags[0] and not any(flags[1:]) for flags in by_start.values())


def test_trimmed_offsets_give_the_space_back():
    """GPT-2 style post-processing reports " b" at the letter; the space is still that token's."""

    class Trimmed:
        is_fast = True

        def __call__(self, text, **_):
            return {"input_ids": [1, 2, 3, 4], "offset_mapping": [(0, 1), (2, 3), (3, 4), (6, 6)]}

    trace = tokenize_trace(Trimmed(), "a b.\n\n")
    assert trace.starts == (0, 1, 3, 4)
    assert trace.cuttable == (True, True, True, True)
    assert [trace.previous_character(index) for index in range(4)] == ["", "a", "b", "."]


def test_a_token_over_parts_of_two_characters():
    """A token that ends inside the next character makes the cut before its rest impossible."""

    class Straddling:
        is_fast = True

        def __call__(self, text, **_):
            return {"input_ids": [1, 2, 3, 4], "offset_mapping": [(0, 1), (0, 2), (1, 2), (2, 3)]}

    trace = tokenize_trace(Straddling(), "éèx")
    assert trace.cuttable == (True, False, False, True)


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("text", HARD_TEXTS[:8])
def test_without_an_offset_mapping(toy_tokenizer, name, text):
    """Slow tokenizers: spans found by decoding agree with the mapping where both know, and always tile."""

    class Slow:
        def __init__(self, fast):
            self.encode, self.decode = fast.encode, fast.decode

    slow = tokenize_trace(Slow(toy_tokenizer(name)), text)
    fast = tokenize_trace(toy_tokenizer(name), text)
    assert slow.token_ids == fast.token_ids
    cuts = [start for start, cuttable in zip(slow.starts, slow.cuttable, strict=True) if cuttable]
    assert "".join(text[start:end] for start, end in partition(cuts, len(text))) == text
    if name in ("toy-bpe", "toy-ranks"):
        assert slow.starts == fast.starts


def test_facts_of_a_real_tokenizer():
    """Summed decode lengths drift from the text's length (facts page); starts do not."""
    models = pytest.importorskip("tokenspec.models")
    errors = pytest.importorskip("tokenspec.models.errors")
    try:
        tokenizer = models.load("qwen3").tokenizer
    except (errors.AssetsMissing, errors.FetchError) as error:  # anything else is a failure
        pytest.skip(f"row qwen3 is not here: {error}")
    for text, drifted, length in [
        ("e\u0301clair e\u0301", 8, 10),
        ("日本語テスト𓀀", 9, 7),
        ("😀🤖 naïve café", 13, 13),
    ]:
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert (sum(len(tokenizer.decode([token])) for token in ids), len(text)) == (drifted, length)
        trace = tokenize_trace(tokenizer, text)
        assert all(0 <= start < length for start in trace.starts)
    assert tokenize_trace(tokenizer, "e\u0301clair").starts[:2] == (0, 2)


@given(st.lists(st.integers(-5, 60)), st.integers(1, 50))
def test_partition_is_a_partition(cuts, length):
    segments = partition(cuts, length)
    assert segments[0][0] == 0
    assert segments[-1][1] == length
    assert all(start < end for start, end in segments)
    assert all(left[1] == right[0] for left, right in pairwise(segments))


def test_malformed_segmentations_name_the_entry():
    for offsets, field in [
        ([(0, 2), (1, 3)], "s[1]"),
        ([(0, 0)], "s[0]"),
        ([(0, 1), (3, 2)], "s[1]"),
        ([(0, 1.0)], "s[0]"),
    ]:
        with pytest.raises(InvalidSegmentation) as caught:
            require_segmentation(offsets, field="s")
        assert caught.value.field == field


def test_the_trace_is_text(toy_tokenizer):
    with pytest.raises(InvalidParameter, match="trace"):
        tokenize_trace(toy_tokenizer("toy-bpe"), b"bytes")
