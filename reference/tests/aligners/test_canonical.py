"""Canonical spellings: the order of the rules, the tables, and the ranges back to original tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.aligners import AlignmentPair, canonical_token, canonicalize_sequence, remap_pairs
from tokenspec_reference.aligners.canonical_tables import (
    CHARACTER_TO_BYTE,
    TWO_TOKEN_FIXES,
    UNICODE_FIXES,
    VISUAL_BYTES,
    byte_level_spelling,
)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("", ""),
        (" x", "Ġx"),
        ("▁▁▁", "Ġ▁▁"),
        ("__init__", "Ġ_init__"),
        ("Ċ", "\n"),
        ("ĉ", "\n"),
        ("\\n", "\n"),
        ("ĠĊ", "Ġ\n"),
        ("Ġ\n", "\n"),
        ("aĊĊ", "a\n\n"),
        ("a\\nb", "a\nb"),
        ("Ġ,", ","),
        ("_:", ":"),
        ("Ġ,,", "Ġ,,"),
        ("<0x41>", "A"),
        ("<0xC3>", "Ã"),
        ("<0xZZ>", "<0xZZ>"),
        ("Ã©", "é"),
        ("Ã¢", "À¢"),
        ("à¤¿à¤Ĥ", "हिं"),
        ("<|begin_of_text|>", "<bos>"),
        ("<pad>", ""),
    ],
)
def test_canonical_token(token, expected):
    assert canonical_token(token) == expected


def test_disabled_leaves_the_token():
    assert canonical_token("▁x", enabled=False) == "▁x"


def test_it_is_not_idempotent_as_upstream():
    assert canonical_token(canonical_token("ĠĊ")) == "\n"


def test_sizes_of_the_tables():
    assert (len(VISUAL_BYTES), len(UNICODE_FIXES), len(TWO_TOKEN_FIXES)) == (54, 37, 20)
    assert sum(CHARACTER_TO_BYTE.get(key) == byte for key, byte in VISUAL_BYTES.items()) == 5
    assert byte_level_spelling("∑") == "âĪĳ"


@pytest.mark.parametrize(
    ("tokens", "canonical", "ranges"),
    [
        ([], [], []),
        (["ĠâĪ", "ĳ"], ["Ġ∑"], [(0, 2)]),
        (["Hello", "Ġworld"], ["Hello", "Ġworld"], [(0, 1), (1, 2)]),
        (["中", "<0xF0>", "<0x9F>", "<0x98>", "<0x8A>", "中"], ["中", "😊", "中"], [(0, 1), (1, 5), (5, 6)]),
        (["▁a", "<0xE4>", "<0xB8>", "<0xAD>"], ["Ġa", "ä", "¸", "\xad"], [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (["ä½", "ł"], ["佝"], [(0, 2)]),
        (["Ã", "©", "中"], ["À", "©", "中"], [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_canonicalize_sequence(tokens, canonical, ranges):
    assert canonicalize_sequence(tokens) == (canonical, ranges)


PIECES = [
    "a",
    "Ġ",
    "Ġa",
    "",
    "Ã",
    "©",
    "中",
    "<0xE4>",
    "<0xB8>",
    "<0xAD>",
    "âĪ",
    "ĳ",
    "ĠâĪ",
    "<pad>",
    "ð",
    "Ł",
    "ĺ",
    "Ĭ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
@settings(max_examples=300, deadline=None)
def test_ranges_cover_without_gap(tokens):
    canonical, ranges = canonicalize_sequence(tokens)
    assert len(canonical) == len(ranges)
    assert [index for start, end in ranges for index in range(start, end)] == list(range(len(tokens)))
    assert all(start < end for start, end in ranges)


def test_remap_takes_the_end_of_the_last_token():
    pairs = [AlignmentPair(["x", "y"], [], 0, 2, -1, -1), AlignmentPair(["z"], ["z"], 2, 3, 0, 1)]
    moved = remap_pairs(pairs, [(0, 2), (2, 5), (5, 6)], [(0, 3)])
    assert [(pair.student, pair.teacher) for pair in moved] == [((0, 5), (-1, -1)), ((5, 6), (0, 3))]
    assert pairs[0].student == (0, 2)
