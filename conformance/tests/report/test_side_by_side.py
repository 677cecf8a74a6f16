"""Alignment: runs tile both sides, equal means equal, and one edit is one run."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec.report import side_by_side as module
from tokenspec.report.exhibit import first_difference
from tokenspec.report.lines import MOST_LINES, cut_lines, lines_of
from tokenspec.report.side_by_side import side_by_side, tokens_side_by_side
from tokenspec.verdict import Tokens

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import tokens

sequences = st.lists(st.integers(0, 4), max_size=12)


@given(left=sequences, right=sequences)
def test_runs_tile_both_sides(left: list[int], right: list[int]) -> None:
    i = j = 0
    for mark, a, b in side_by_side(left, right):
        assert mark in "=~-+"
        assert (mark == "=") == (left[i : i + a] == right[j : j + b])
        assert {"-": b == 0, "+": a == 0}.get(mark, True)
        i, j = i + a, j + b
    assert (i, j) == (len(left), len(right))


@given(left=sequences)
def test_a_sequence_beside_itself_is_one_run(left: list[int]) -> None:
    assert side_by_side(left, left) == ([("=", len(left), len(left))] if left else [])


@given(left=st.lists(st.integers(), unique=True, max_size=12), data=st.data())
def test_one_insertion_is_one_run(left: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(left)))
    marks = [mark for mark, _, _ in side_by_side(left, [*left[:at], -(10**30), *left[at:]])]
    assert marks.count("+") == 1
    assert set(marks) <= {"=", "+"}


def test_long_middles_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_MIDDLE", 3)
    assert side_by_side([0, 1, 2, 3, 4, 5], [0, 9, 9, 9, 9, 5]) == [("=", 1, 1), ("~", 4, 4), ("=", 1, 1)]


def test_owners_that_disagree_are_marked() -> None:
    expected = Tokens([1, 2, 3], ["a", "b", "c"], [("scaffold", 0, 1), ("content", 0, 1), ("prompt", None, 1)], 0, 3)
    got = Tokens([1, 2, 3], ["a", "b", "c"], [("scaffold", None, 2), ("scaffold", None, 1)], 0, 3)
    assert tokens_side_by_side(expected, got) == [("=", 1, 1), ("o", 1, 1), ("=", 1, 1)]


def test_nobody_said_contradicts_nothing() -> None:
    expected, got = tokens("a", "b"), tokens("a", "b", kind="unattributed", message=None)
    assert tokens_side_by_side(expected, got) == [("=", 2, 2)]


def test_the_first_difference_is_an_id_an_owner_or_an_end() -> None:
    one = [("content", 0)] * 3
    assert first_difference(([1, 2, 3], one), ([1, 9, 3], one)) == 1
    assert first_difference(([1, 2, 3], one), ([1, 2, 3], [*one[:2], ("sampled", 0)])) == 2
    assert first_difference(([1, 2, 3], one), ([1, 2], one[:2])) == 2


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_lines_tell_different_values_apart(value: object) -> None:
    assert lines_of(value)
    assert lines_of([value]) != lines_of([value, value])


def test_lines_name_their_place() -> None:
    value = {"answers": [{"tokens": list(range(20)), "text": "a\nb\n"}], "none": None, "empty": []}
    assert lines_of(value) == [
        "answers[0].tokens[0..] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "answers[0].tokens[16..] = 16, 17, 18, 19",
        'answers[0].text:1 = "a\\n"',
        'answers[0].text:2 = "b\\n"',
        "none = null",
        "empty = []",
    ]


def test_long_values_are_cut_around_the_difference() -> None:
    expected = [f"line {number}" for number in range(1000)]
    got = [*expected[:700], "other", *expected[701:]]
    left, right = cut_lines(expected, got)
    assert max(len(left), len(right)) <= MOST_LINES + 2
    assert "other" in right
    assert left[0] == "... 600 lines before"
    assert left[-1] == "... 200 lines after"
    assert list(chain(left, right)).count("line 699") == 2
