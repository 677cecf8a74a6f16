"""Failures are grouped by cause: what went wrong in the same way is one entry, with its smallest case."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from tokenspec.report.causes import BROKEN, WARNED, causes_of, name_of
from tokenspec.verdict import CellResult, Finding, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import cell, every_verdict, finding

FAIL = Verdict.FAIL


def counted(results: list[CellResult]) -> list[tuple[str, str, int]]:
    """Per cause its column, what it says and in how many cells."""
    return [(cause.impl, cause.said, len(cause.cells)) for cause in causes_of(results)]


def test_failures_of_one_cause_are_one_entry_whatever_their_details() -> None:
    at = [finding(FAIL, f"no '\\n'\n  at token {number}") for number in range(3)]
    assert len({one.detail for one in at}) == 3
    results = [cell(one, case=f"render/{number}") for number, one in enumerate(at)]
    assert counted(results) == [("mine", "RND-010 no '\\n'", 3)]


def test_the_most_frequent_cause_of_a_column_comes_first() -> None:
    often = [cell(finding(FAIL, "often"), case=f"render/{number}") for number in range(3)]
    twice = [cell(finding(FAIL, "twice"), case=f"render/{number}") for number in (3, 4)]
    once = [cell(finding(FAIL, "once"), case="render/5")]
    other = [cell(finding(FAIL, "often"), case=f"render/{number}", impl="other") for number in range(9)]
    in_order = [("mine", "often", 3), ("mine", "twice", 2), ("mine", "once", 1), ("other", "often", 9)]
    for results in ([*often, *twice, *once, *other], [*once, *twice, *often, *other]):
        assert counted(results) == [(impl, f"RND-010 {said}", cells) for impl, said, cells in in_order]


def test_columns_stay_in_the_order_of_the_run() -> None:
    results = [cell(finding(Verdict.PASS), impl="first"), cell(finding(FAIL), impl="second")]
    results += [cell(finding(FAIL), impl="first", case="render/two")]
    assert [cause.impl for cause in causes_of(results)] == ["first", "second"]


def test_a_cell_counts_once_for_a_cause_and_once_for_each() -> None:
    checks = [finding(FAIL, "alike"), finding(FAIL, "alike"), finding(FAIL, "alike", check="render.text")]
    assert counted([cell(*checks)]) == [("mine", "RND-010 alike", 1), ("mine", "RND-001 alike", 1)]


def test_a_case_on_two_rows_is_two_cells() -> None:
    assert counted([cell(finding(FAIL, "same"), row=row) for row in ("alpha", "toy")]) == [("mine", "RND-010 same", 2)]


def test_the_smallest_case_has_the_fewest_characters_then_the_shortest_detail() -> None:
    long, short = finding(FAIL, "same\n  at a place far away"), finding(FAIL, "same\n  at 1")
    results = [
        cell(short, case="render/large"),
        cell(long, case="render/small"),
        cell(short, case="render/small", row="toy"),
        cell(short, case="render/larger"),
    ]
    (cause,) = causes_of(results)
    result, shown = cause.smallest({"render/large": 30, "render/small": 20, "render/larger": 40})
    assert (result.case, result.row, shown) == ("render/small", "toy", short)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (finding(FAIL, "differs"), "RND-010 differs"),
        (finding(Verdict.XPASS, "passes"), "RND-010 passes"),
        (msgspec.structs.replace(finding(FAIL, "differs"), requires=["RND-001", "RND-010"]), "RND-001/RND-010 differs"),
        (finding(Verdict.ERROR, "KeyError"), "KeyError"),
        (finding(Verdict.REJECTED, "not allowed"), "not allowed"),
        (finding(Verdict.DISAGREE, "the library says otherwise"), "the library says otherwise"),
        (msgspec.structs.replace(finding(Verdict.ERROR, "no answer within 10 s"), slow=10.0), "slow calls"),
    ],
)
def test_what_gave_no_answer_is_one_failure_and_not_one_of_every_check(found: Finding, said: str) -> None:
    assert name_of(found) == said
    (cause,) = causes_of([cell(found, msgspec.structs.replace(found, check="render.wish"))], {found.verdict})
    assert (cause.said, len(cause.cells)) == (said, 1)


def test_causes_are_of_what_is_broken_unless_asked_otherwise() -> None:
    results = every_verdict().results
    found = {shown.verdict for cause in causes_of(results) for _, shown in cause.cells.values()}
    assert found == BROKEN == {FAIL, Verdict.ERROR, Verdict.REJECTED, Verdict.XPASS}
    assert [cause.said for cause in causes_of(results, WARNED)] == ["RND-090 a wish"]
    assert [cause.said for cause in causes_of(results, {Verdict.DISAGREE})] == ["said sources disagree"]
