"""Strict both ways: what a list makes of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tokenspec import known_failures
from tokenspec.adapters.in_process import InProcess
from tokenspec.errors import UsageError
from tokenspec.known_failures.entries import parse_known_failures
from tokenspec.verdict import Verdict, exit_code

sys.path.insert(0, str(Path(__file__).parent))
from listed_runs import BREAKS, FAILS, REFUSES, SCENARIOS, Scenario, cell, entry, run_scenario, run_writing


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_a_list_is_strict_both_ways(scenario: Scenario) -> None:
    run_scenario(known_failures, scenario)


def test_a_list_is_written_over_the_old_one() -> None:
    run_writing(known_failures)


def test_a_listed_failure_keeps_its_detail_and_gains_the_reason() -> None:
    known = parse_known_failures('implementation = "mini"\n' + entry(), "k.toml")
    judged = known_failures.judge_known(known_failures.Ledger(known, "mini", "1", None), FAILS)
    assert judged.findings[0].detail.startswith("known failure: ids are joined piecewise (#7)")
    assert exit_code([judged], frozenset({"mini"})) == 0


def test_a_warning_can_be_listed() -> None:
    known = parse_known_failures('implementation = "mini"\n' + entry(**{"class": "warning"}), "k.toml")
    ledger = known_failures.Ledger(known, "mini", "1", None)
    warned = cell(("render.ids", "RND-010", "warning"), severity="SHOULD")
    assert known_failures.judge_known(ledger, warned).findings[0].verdict is Verdict.XFAIL
    assert not ledger.complaints()


def test_a_listed_pass_fails_the_run_at_every_level() -> None:
    known = parse_known_failures('implementation = "mini"\n' + entry(), "k.toml")
    ledger = known_failures.Ledger(known, "mini", "1", None)
    for severity in ("MUST", "SHOULD", "MAY"):
        judged = known_failures.judge_known(ledger, cell(("render.ids", "RND-010", "pass"), severity=severity))
        assert judged.findings[0].verdict is Verdict.XPASS
        assert exit_code([judged], frozenset({"mini"})) == 1


@pytest.mark.parametrize(
    ("result", "written"),
    [
        (FAILS, [("RND-010", None, "fail")]),
        (BREAKS, [(None, "*", "error")]),
        (REFUSES, [(None, "*", "rejected")]),
        (cell(("a", "RND-010", "fail"), ("b", "RND-010", "fail")), [("RND-010", None, "fail")]),
        (cell(("a", "RND-010", "fail"), ("b", "RND-010", "error")), [(None, "a", "fail"), (None, "b", "error")]),
        (cell(("a", "RND-010", "fail"), severity="SHOULD"), []),
        (cell(("a", "RND-010", "pass")), []),
        (cell(("a", "RND-010", "unsupported")), []),
    ],
)
def test_what_is_written_of_one_cell(result: object, written: list[tuple[str | None, str | None, str]]) -> None:
    from tokenspec.known_failures.writing import failures_in

    got = [(one.requirement, one.check, one.class_) for one in failures_in(result)]
    assert got == written


class Mini:
    def __init__(self, name: str) -> None:
        self.name = name

    def info(self) -> dict[str, str]:
        return {"name": self.name, "version": "not a version"}


def test_a_list_finds_its_column_by_the_name_info_gives() -> None:
    columns = [InProcess("my.module:thing", Mini("mini")), InProcess("other", Mini("other"))]
    known = parse_known_failures('implementation = "mini"\n', "k.toml")
    assert list(known_failures.ledgers_for([known], columns)) == ["my.module:thing"]
    with pytest.raises(UsageError, match=r"k.toml is about 'mini'; the columns of this run are other"):
        known_failures.ledgers_for([known], columns[1:])
    with pytest.raises(UsageError, match="both about"):
        known_failures.ledgers_for([known, known], columns)
    ranged = parse_known_failures('implementation = "mini"\n' + entry(impl=">=1"), "k.toml")
    with pytest.raises(UsageError, match=r"k.toml:2: impl = '>=1' cannot be compared with version 'not a version'"):
        known_failures.ledgers_for([ranged], columns)


def test_ten_thousand_entries_are_found_by_their_cell() -> None:
    text = 'implementation = "mini"\n' + "\n".join(entry(case=f"render/case-{n}") for n in range(10_000))
    ledger = known_failures.Ledger(parse_known_failures(text, "k.toml"), "mini", "1", None)
    assert not ledger.patterns
    assert len(ledger.exact) == 10_000
    assert [one.number for one in ledger.about(cell(case="render/case-77"))] == [78]
