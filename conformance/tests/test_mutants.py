"""A kill counts only where the unmutated reference passes the very cell."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from tokenspec import mutation
from tokenspec.cli import group, mutants
from tokenspec.verdict import CellResult, Finding, Verdict, as_severe

ONLY = "parse-last-character-lost"


def judged(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> tuple[int, str, list[str]]:
    """Exit code and output of one mutant, and the cells that the reference was asked for, whose verdict is given."""
    asked: list[str] = []

    def answers(_: Any, cells: Any, *__: Any) -> list[CellResult]:
        asked.extend(cell.name for cell in cells)
        found = [Finding(check="parse.any", requires=["RND-069"], verdict=verdict, level="TEXT")]
        return [
            CellResult(impl="reference", area="parse", row=cell.row, case=cell.case.id, seconds=0.0, findings=found)
            for cell in cells
        ]

    monkeypatch.setattr(mutants, "run_in_processes", answers)
    result = CliRunner().invoke(group, ["mutants", "--only", ONLY, "--jobs", "1"])
    return result.exit_code, result.output, asked


def test_a_kill_counts_where_the_reference_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    code, said, asked = judged(monkeypatch, Verdict.PASS)
    assert code == 0, said
    assert asked
    assert len(asked) < 20


@pytest.mark.parametrize(("severity", "killed"), [("MUST", True), ("SHOULD", False)])
def test_a_warning_does_not_kill_what_breaks_a_must(
    monkeypatch: pytest.MonkeyPatch, severity: str, killed: bool
) -> None:
    said = [(Verdict.PASS, "MUST"), (as_severe(Verdict.FAIL, severity), severity)]
    found = [
        Finding(check=f"parse.{verdict}", requires=["RND-069"], verdict=verdict, level="TEXT", severity=level)
        for verdict, level in said
    ]
    result = CellResult(impl="m", area="parse", row="r", case="parse/c", seconds=0.0, findings=found)
    monkeypatch.setattr(mutation, "Run", lambda *_: [result])
    mutant = next(one for one in mutation.load_mutants(["parse"]) if one.breaks == ("RND-069",))
    assert mutation.autopsy(mutant, []).killed is killed


def test_a_kill_means_nothing_where_the_reference_fails_too(monkeypatch: pytest.MonkeyPatch) -> None:
    code, said, asked = judged(monkeypatch, Verdict.FAIL)
    assert code == 1
    assert f"the unmutated reference fails {asked[0]} parse.any" in said
