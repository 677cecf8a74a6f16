"""Conversations: the faultless program passes them all, and every flaw says what it is and what to do."""

from __future__ import annotations

from functools import cache

import pytest

from tests.trees import edited_text
from tokenspec.adapters.conversation import converse
from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.transcript import Transcript
from tokenspec.areas.area import Cell
from tokenspec.areas.protocol.area import within_reach
from tokenspec.areas.protocol.mutants.programs import ADVISED, FAULTLESS, LIMITS, MUTANTS, RESULT, Miniature
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run, run_all
from tokenspec.store.canonical import convert
from tokenspec.verdict import Finding, Verdict


@cache
def cells() -> tuple[Cell, ...]:
    return tuple(select_cells(Selection(areas=("protocol",))))


def findings(adapter: object) -> list[Finding]:
    results = run_all(Run([InProcess("mini", adapter)], cells()))
    return [finding for result in results for finding in result.findings]


def transcript(source: str, slug: str = "answers") -> Transcript:
    cell = next(cell for cell in cells() if cell.case.slug == slug)
    found = converse(Miniature(source).command, cell.request(), LIMITS, LIMITS.run)
    return convert(found, Transcript, where="transcript")


def test_the_faultless_program_passes_everything() -> None:
    assert {finding.verdict for finding in findings(Miniature(FAULTLESS))} == {Verdict.PASS}


@pytest.mark.parametrize("mutant", ADVISED, ids=lambda mutant: mutant.id)
def test_what_is_only_advised_is_noticed_and_does_not_gate(mutant: object) -> None:
    broken = [finding for finding in findings(mutant.make()) if finding.verdict is Verdict.WARNING]
    assert {id_ for finding in broken for id_ in finding.requires} == set(mutant.breaks)
    assert not any(finding.non_conformant for finding in broken)


def test_a_misspelt_operation_is_met_with_the_one_meant() -> None:
    (said,) = {f.detail for f in findings(ADVISED[0].make()) if f.verdict is Verdict.WARNING}
    assert "did you mean 'render'?" in said


@pytest.mark.parametrize("name", ["banner", "never-flushes", "results", "dies-on-bad-input", "short-lines", "no-seq"])
def test_a_flaw_says_what_to_do(name: str) -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.id == f"protocol-{name}")
    failed = [f for f in findings(mutant.make()) if f.verdict is Verdict.FAIL and set(f.requires) & set(mutant.breaks)]
    assert failed
    assert all("  hint     " in finding.detail for finding in failed)


def test_what_was_never_reached_is_not_judged() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.id == "protocol-banner")
    judged = {f.requires[0]: f.verdict for f in findings(mutant.make())}
    assert judged["ADP-001"] is Verdict.FAIL
    assert judged["ADP-034"] is Verdict.UNSUPPORTED
    assert judged["ADP-042"] is Verdict.UNSUPPORTED


def test_the_traceback_stands_beside_the_requirement() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.id == "protocol-dies-on-bad-input")
    failed = next(f for f in findings(mutant.make()) if f.requires == ["ADP-033"] and f.verdict is Verdict.FAIL)
    assert "KeyError: 'no-messages'" in failed.detail


def test_a_partial_implementation_is_judged_on_what_it_answers() -> None:
    only = 'say({**answer, "result": render(message["input"])} if len(message["input"].get("messages", [])) == 2 else {**answer, "unsupported": {"reason": "too long"}})'
    source = edited_text(FAULTLESS, (RESULT, only))
    runs = [exchange for exchange in transcript(source).exchanges if exchange.probe == "run"]
    assert '"unsupported"' in runs[0].line
    assert '"result"' in runs[-1].line
    assert not [f for f in findings(Miniature(source)) if f.verdict is Verdict.FAIL and f.requires == ["ADP-034"]]


def test_stderr_is_free() -> None:
    source = edited_text(FAULTLESS, ("rows = {}", "rows = {}\nsys.stderr.buffer.write(b'\\xff\\xfe warming up')"))
    found = transcript(source)
    assert found.stderr == "\\xff\\xfe warming up"
    assert found.broke is None


def test_conversations_are_for_programs() -> None:
    everything = select_cells(Selection(areas=("protocol", "bridge"), rows=()))
    assert {cell.area.name for cell in within_reach(everything, ["reference", "my.mod:Adapter"])} == {"bridge"}
    assert {cell.area.name for cell in within_reach(everything, ["reference", "cmd:./x"])} == {"protocol", "bridge"}
    reference = run_all(Run([InProcess("mini", Nothing())], cells()[:1]))
    assert {f.verdict for f in reference[0].findings} == {Verdict.UNSUPPORTED}
    assert reference[0].findings[0].detail == "not a program behind a pipe"


class Nothing:
    def info(self) -> dict[str, str]:
        return {"name": "nothing", "version": "1"}
