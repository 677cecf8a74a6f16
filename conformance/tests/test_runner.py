"""The runner gives each miniature the verdict and the exit code it deserves."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.check import Check
from tokenspec.areas.selection import Selection, sample_of, select_cells
from tokenspec.errors import AdapterError, UnknownName
from tokenspec.runner import Run, finding_of, run_all
from tokenspec.verdict import CellResult, Finding, Verdict, exit_code

sys.path.insert(0, str(Path(__file__).parent))
import miniatures


class Silent:
    def info(self) -> dict[str, str]:
        return {"name": "silent", "version": "1"}


CELLS = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=("role-user", "call-parallel")))


def judged(adapter: object, *, timeout: float = 5.0) -> list[CellResult]:
    return run_all(Run([InProcess("mini", adapter)], CELLS, timeout))


def verdicts(results: list[CellResult]) -> set[Verdict]:
    return {finding.verdict for result in results for finding in result.findings}


@pytest.mark.parametrize(
    ("adapter", "verdict", "code", "says"),
    [
        (miniatures.Raises, Verdict.ERROR, 3, "RuntimeError: out of cheese"),
        (miniatures.Hangs, Verdict.ERROR, 3, "timed out after 0.2 s"),
        (miniatures.Refuses, Verdict.REJECTED, 1, "rejected too-hard: I would rather not"),
        (miniatures.Claims, Verdict.UNSUPPORTED, 1, "not yet (#7)"),
        (miniatures.HasNothing, Verdict.UNSUPPORTED, 1, "no operation render"),
        (miniatures.ReturnsNumpy, Verdict.ERROR, 3, "token_ids[0]"),
        (miniatures.ReturnsOtherKeys, Verdict.ERROR, 3, "got the fields: ids"),
        (miniatures.ReturnsList, Verdict.ERROR, 3, "return a dict"),
    ],
)
def test_misbehaviour_has_one_verdict(adapter: type, verdict: Verdict, code: int, says: str) -> None:
    results = judged(adapter(), timeout=0.2)
    said = verdicts(results)
    assert said == {verdict} or (verdict is Verdict.REJECTED and said == {verdict, Verdict.UNSUPPORTED})
    assert any(says in finding.detail for finding in results[0].findings)
    assert exit_code(results, frozenset({"mini"})) == code


def test_the_reference_passes_and_is_not_only_unsupported() -> None:
    results = judged(miniatures.Passes())
    assert exit_code(results, frozenset({"mini"})) == 0
    assert Verdict.PASS in verdicts(results)
    assert not verdicts(results) & {Verdict.FAIL, Verdict.ERROR}


def test_short_masks_break_exactly_the_length_requirement() -> None:
    failing = {
        finding.requires[0]
        for result in judged(miniatures.ReturnsShortMasks())
        for finding in result.findings
        if finding.verdict is Verdict.FAIL
    }
    assert failing == {"RND-020"}


def test_absent_masks_are_unsupported_never_passed() -> None:
    for result in judged(miniatures.ReturnsNothing()):
        assert {finding.verdict for finding in result.findings if finding.level == "MASKS"} == {Verdict.UNSUPPORTED}


@pytest.mark.parametrize(("operation", "loaded"), [("render", ["toy-bpe"]), ("parse", [])])
def test_a_row_is_loaded_where_something_is_asked_on_it(operation: str, loaded: list[str]) -> None:
    heard: list[str] = []
    adapter = miniatures.HasNothing()
    adapter.load = lambda model, _: heard.append(model)
    setattr(adapter, operation, lambda _: {})
    judged(adapter)
    assert heard == loaded


def test_an_empty_run_is_not_green() -> None:
    assert exit_code([], frozenset({"mini"})) == 1


@pytest.mark.parametrize(("adapter", "verdict"), [(Silent, Verdict.UNSUPPORTED), (miniatures.Refuses, Verdict.ERROR)])
def test_a_check_that_breaks_over_the_question_is_no_error_of_who_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, adapter: type, verdict: Verdict
) -> None:
    def breaks(check: Check, _: object) -> Finding:
        return finding_of(check, Verdict.ERROR, "No module named 'transformers'")

    monkeypatch.setattr("tokenspec.runner.applies", breaks)
    assert verdicts(judged(adapter())) == {verdict}


def finding(verdict: Verdict, severity: str = "MUST") -> CellResult:
    one = Finding(check="c", level="TEXT", requires=["RND-001"], verdict=verdict, severity=severity)
    ok = Finding(check="d", level="TEXT", requires=["RND-001"], verdict=Verdict.PASS)
    return CellResult(impl="mini", area="render", row="r", case="render/x", seconds=0.0, findings=[one, ok])


@pytest.mark.parametrize(
    ("verdict", "severity", "code"),
    [
        (Verdict.PASS, "MUST", 0),
        (Verdict.XFAIL, "MUST", 0),
        (Verdict.XPASS, "MUST", 1),
        (Verdict.UNSUPPORTED, "MUST", 0),
        (Verdict.FAIL, "SHOULD", 0),
        (Verdict.WARNING, "SHOULD", 0),
        (Verdict.FAIL, "MUST", 1),
        (Verdict.REJECTED, "MUST", 1),
        (Verdict.ERROR, "MUST", 3),
    ],
)
def test_exit_code_by_verdict(verdict: Verdict, severity: str, code: int) -> None:
    assert exit_code([finding(verdict, severity)], frozenset({"mini"})) == code
    assert exit_code([finding(verdict, severity)], frozenset({"another"})) == 1


def test_names_that_do_not_exist_are_usage_errors() -> None:
    with pytest.raises(UnknownName, match=r"no adapter 'refrence'\. Did you mean reference"):
        resolve("refrence")
    with pytest.raises(UnknownName, match=r"no adapter 'zzz'\. Known: .*reference"):
        resolve("zzz")
    with pytest.raises(AdapterError, match="Check the module path"):
        resolve("no.such.module:thing")
    with pytest.raises(AdapterError, match="Check the module path"):
        resolve("tokenspec.runner:no_such_attribute")


class Nameless:
    def info(self) -> dict[str, str]:
        return {"title": "x"}


class Silent:
    pass


@pytest.mark.parametrize("adapter", [Nameless(), Silent()])
def test_an_adapter_must_say_who_it_is(adapter: object) -> None:
    with pytest.raises(AdapterError, match="info"):
        InProcess("mini", adapter)


def test_a_sample_is_the_same_part_of_every_area_and_row_and_grows() -> None:
    cells = select_cells(Selection(areas=("parse", "render"), rows=("toy-bpe", "toy-added")))
    small, large = sample_of(cells, 3), sample_of(cells, 5)
    assert Counter((cell.area.name, cell.row) for cell in small) == {
        (area, row): 3 for area in ("parse", "render") for row in ("toy-bpe", "toy-added")
    }
    assert {cell.name for cell in small} < {cell.name for cell in large}
    assert small == [cell for cell in cells if cell in small] == sample_of(cells[::-1], 3)[::-1]
    assert sample_of(cells, len(cells)) == cells


def test_selection_refuses_what_does_not_exist() -> None:
    for selection, meant in (
        (Selection(rows=("qwen33",)), "no row 'qwen33'. Did you mean qwen3"),
        (Selection(areas=("rendr",)), "no area 'rendr'. Did you mean render?"),
        (Selection(rows=("none",)), "no row 'none'. Known: deepseek-r1"),
        (Selection(cases=("zzzzzzzzz",)), "no case 'zzzzzzzzz'. See: tokenspec list cases"),
        (Selection(cases=("render/role-usr",)), "no case 'render/role-usr'. Did you mean render/role-user"),
    ):
        with pytest.raises(UnknownName, match=re.escape(meant)):
            select_cells(selection)
