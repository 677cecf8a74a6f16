"""The runner: for every cell one call of the implementation, then every check on that one output.

pytest and the command line are two faces of it. It holds one row in memory at a time.
"""

from __future__ import annotations

import copy
import itertools
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.check import (
    Check,
    NotComparable,
    NotGiven,
    Question,
    Subject,
    TypedExpectation,
    Violation,
    checks_of,
)
from tokenspec.areas.sources import in_light_of, others
from tokenspec.bounded import bounded, load_row
from tokenspec.requirements import severity_of
from tokenspec.store.canonical import convert
from tokenspec.store.records import Answer

from .adapters import Column, Failed, NotSupported, Ok, Outcome, Refused, said_of
from .adapters.capability import Claim, Profile
from .adapters.foreign_text import foreign_text
from .errors import FixtureError
from .models import AssetsMissing, Row, load
from .report.exhibit import exhibit_of
from .verdict import SILENT, WRONG, CellResult, Exhibit, Finding, Verdict, as_severe, by_level

DEFAULT_TIMEOUT = 10.0
KEPT_CLAIMS = "CNV-005"
LONGEST_CAUSE = 160
BROKEN = "the check broke on this output"
UNREMARKABLE = SILENT | {Verdict.PASS}


class TooSlow(Exception):
    """A call a check made was too slow."""

    def __init__(self, outcome: Failed) -> None:
        """Keep what is known of it."""
        super().__init__(outcome.message)
        self.outcome = outcome


@dataclass(frozen=True)
class NotLoaded(NotSupported):
    """The row was not loaded, as the first of its cells says already."""


@dataclass
class Run:
    """One run: columns x cells.

    Attributes:
        columns: the implementations.
        cells: what they are judged on, grouped by row.
        timeout: seconds one call may take, see ``adapters.patience``.
        expectation: decoded goldens, shared by the columns.
        applying: which checks judge a cell, asked once and shared by the columns: it depends on no answer.
        disagreeing: the cell with each named answer of its golden, shared by the columns, too.
        exhibit: whether cells that do not pass keep what they are shown with (``--report``).
        comparing: whether only the checks judge that lay an answer beside its golden.
    """

    columns: Sequence[Column]
    cells: Sequence[Cell]
    timeout: float = DEFAULT_TIMEOUT
    expectation: TypedExpectation = field(default_factory=TypedExpectation)
    applying: dict[int, tuple[Cell, list[Check | Finding]]] = field(default_factory=dict)
    disagreeing: dict[int, tuple[Cell, list[tuple[Answer, Cell]]]] = field(default_factory=dict)
    exhibit: bool = False
    comparing: bool = False

    def __iter__(self) -> Iterator[CellResult]:
        """Judge row by row; the tokenizers of a row are dropped before the next one is loaded."""
        for row, cells in itertools.groupby(self.cells, key=lambda cell: cell.row):
            begun = time.perf_counter()
            try:
                rows = {model: load(model) for model in models_of(row)}
            except AssetsMissing as missing:
                outcome = NotSupported(str(missing))
                for column, cell in itertools.product(self.columns, list(cells)):
                    yield self.unasked(column, cell, outcome)
                continue
            batch = list(cells)
            for column in self.columns:
                judged = self.judge_row(column, batch, rows)
                for first in itertools.islice(judged, 1):
                    spent = time.perf_counter() - begun - first.seconds - first.judging
                    yield msgspec.structs.replace(first, setup=round(spent, 6))
                yield from judged
                begun = time.perf_counter()

    def judge_row(self, column: Column, cells: Sequence[Cell], rows: Mapping[str, Row]) -> Iterator[CellResult]:
        """All cells of one row for one column. A row that does not load is one finding, not one of every cell.

        It is loaded where something is asked on it: an index of a vocabulary may take a column a minute.
        """
        refusal: Outcome | None = None
        if any(column.has(cell.area.operation) for cell in cells):
            for row in rows.values():
                refusal = refusal or load_row(column, row)
        for cell in cells:
            if lacks_golden(cell):
                missing = NotSupported(f"no golden; run: tokenspec bless --row {cell.row} --case {cell.case.id}")
                yield self.unasked(column, cell, missing)
                continue
            if refusal is not None:
                yield self.result(column, cell, refusal, rows, 0.0)
                if column.has(cell.area.operation):
                    why = refusal.reason if isinstance(refusal, NotSupported) else f"it does not load (see {cell.name})"
                    refusal = NotLoaded(why)
                continue
            yield self.judge_cell(column, cell, rows)

    def judge_cell(self, column: Column, cell: Cell, rows: Mapping[str, Row]) -> CellResult:
        """One cell of a row that the column has loaded."""
        request = in_form(column, cell, cell.request()) if column.has(cell.area.operation) else {}
        handed_over = copy.deepcopy(request)
        start = time.perf_counter()
        outcome = self.call(column, cell, handed_over)
        seconds = time.perf_counter() - start
        return self.result(column, cell, outcome, rows, seconds, mutated=handed_over != request)

    def call(self, column: Column, cell: Cell, request: dict[str, Any]) -> Outcome:
        """Call the implementation and type what it returns; a result of the wrong shape is its error."""
        with bounded(column, cell):
            outcome = column.call(cell.area.operation, cell.case.id, request, self.timeout)
        if not isinstance(outcome, Ok):
            return outcome
        if not isinstance(outcome.output, dict):
            return Failed(
                f"result is {type(outcome.output).__name__}; return a dict with the fields of {cell.area.operation}"
            )
        try:
            return Ok(convert(outcome.output, cell.area.output_type, where=f"result of {cell.area.operation}"))
        except UnicodeError as error:
            return Failed(f"result of {cell.area.operation}: {error}; half of a surrogate pair is no text")
        except FixtureError as error:
            got = ", ".join(map(str, outcome.output))
            return Failed(f"{error}; got the fields: {got}. Results are plain JSON values (no numpy or tensor types)")

    def call_again(self, column: Column, cell: Cell, request: dict[str, Any]) -> Outcome:
        """What a check asks besides.

        Raises:
            TooSlow: no answer in time; the check cannot judge, and must not take it for an answer.
        """
        outcome = self.call(column, cell, in_form(column, cell, request))
        if isinstance(outcome, Failed) and outcome.slow:
            raise TooSlow(outcome)
        return outcome

    def result(
        self,
        column: Column,
        cell: Cell,
        outcome: Outcome,
        rows: Mapping[str, Row],
        seconds: float,
        *,
        mutated: bool = False,
    ) -> CellResult:
        """All checks on one outcome, and whether a claim is kept."""
        begun, said = time.perf_counter(), said_of(column, cell.area.operation)
        subject, findings = self.judged(column, cell, outcome, rows, mutated=mutated)
        if said.claim is None or said.claim.source is None:
            for answer, other in self.others_of(cell) if any(finding.verdict in WRONG for finding in findings) else ():
                _, instead = self.judged(column, other, outcome, rows, mutated=mutated)
                findings = in_light_of(answer, findings, instead)
        if not isinstance(outcome, NotLoaded):
            findings += broken_claims(cell, said.claim, findings)
        looked_at = self.exhibit and any(finding.verdict not in UNREMARKABLE for finding in findings)
        asked = said.claim is None or said.claim.covers(cell.row, words_of(cell))
        found = cell_result(column, cell, seconds, findings, exhibit_of(subject) if looked_at else None, asked=asked)
        return msgspec.structs.replace(found, judging=round(time.perf_counter() - begun, 6))

    def judged(
        self, column: Column, cell: Cell, outcome: Outcome, rows: Mapping[str, Row], *, mutated: bool
    ) -> tuple[Subject, list[Finding]]:
        """An outcome held against the golden of the cell: what was looked at, and what every check says of it."""
        said = said_of(column, cell.area.operation)
        subject = Subject(
            cell=cell,
            request={} if isinstance(outcome, NotSupported) else cell.request(),
            output=outcome.output if isinstance(outcome, Ok) else None,
            outcome=outcome,
            expect=self.expectation.of(cell),
            mutated=mutated,
            rows=rows,
            profile=said.profile,
            call=lambda request: self.call_again(column, cell, request),
        )
        if cell.area.declare and said.profile != Profile() and subject.output is not None and subject.expect:
            subject = replace(subject, expect=cell.area.declare(subject, said.profile, subject.output))
        applying = self.checks_for(cell, rows)
        if isinstance(outcome, NotSupported):
            applying = [silent(found, outcome) if isinstance(found, Finding) else found for found in applying]
        counted = levels_of_a_refusal(cell, said.claim, [check for check in applying if isinstance(check, Check)])
        return subject, [found if isinstance(found, Finding) else judge(found, subject, counted) for found in applying]

    def others_of(self, cell: Cell) -> list[tuple[Answer, Cell]]:
        """The named answers of a cell with their cells, made once: their expectations and checks are kept by cell."""
        if id(cell) not in self.disagreeing:
            self.disagreeing[id(cell)] = cell, list(others(cell))
        return self.disagreeing[id(cell)][1]

    def checks_for(self, cell: Cell, rows: Mapping[str, Row]) -> list[Check | Finding]:
        """The checks that judge a cell, whoever answers; one that broke over the question is an error already."""
        if id(cell) not in self.applying:
            question = Question(cell=cell, request=cell.request(), expect=self.expectation.of(cell), rows=rows)
            concerned = (check for check in checks_of(cell.area.name) if concerns(check, cell))
            judging = (check for check in concerned if check.compares or not self.comparing)
            found = [found for check in judging if (found := applies(check, question)) is not None]
            self.applying[id(cell)] = cell, found
        return self.applying[id(cell)][1]

    def unasked(self, column: Column, cell: Cell, missing: NotSupported) -> CellResult:
        """A cell without golden or row: where its checks apply is not known, so all of them are unsupported."""
        concerned = (check for check in checks_of(cell.area.name) if concerns(check, cell))
        findings = [finding_of(check, Verdict.UNSUPPORTED, missing.reason) for check in concerned]
        return cell_result(column, cell, 0.0, findings, None, asked=False)


def cell_result(
    column: Column, cell: Cell, seconds: float, findings: list[Finding], exhibit: Exhibit | None, *, asked: bool
) -> CellResult:
    """The findings of one cell, with its name."""
    return CellResult(
        impl=column.name,
        area=cell.area.name,
        row=cell.row,
        case=cell.case.id,
        seconds=round(seconds, 6),
        findings=findings,
        exhibit=exhibit,
        asked=asked,
    )


def in_form(column: Column, cell: Cell, request: dict[str, Any]) -> dict[str, Any]:
    """A request in the form the implementation declares."""
    profile = said_of(column, cell.area.operation).profile
    return cell.area.ask(request, profile) if cell.area.ask and profile != Profile() else request


def words_of(cell: Cell) -> list[str]:
    """What a claim may leave a cell out by: the flags and features of its case."""
    return [*cell.case.flags, *cell.case.features]


def levels_of_a_refusal(cell: Cell, claim: Claim | None, applying: Sequence[Check]) -> frozenset[str]:
    """The levels in which refusing what the oracle accepts counts: the first of the area, and those that are claimed.

    Where no check of these levels looks at the cell, the first one that does stands in: no refusal is lost. Outside a
    claim it counts nowhere.
    """
    if claim is not None and not claim.covers(cell.row, words_of(cell)):
        return frozenset()
    present = [check.level for check in applying]
    counted = {cell.area.levels[0]}
    counted |= {level for level in present if claim is not None and claim.holds_at(level)}
    return frozenset(counted if counted & set(present) else present[:1])


def broken_claims(cell: Cell, claim: Claim | None, findings: Sequence[Finding]) -> list[Finding]:
    """Of each level that is claimed here and in which a check gets no answer, a failure (CNV-005)."""
    if claim is None or not claim.covers(cell.row, words_of(cell)):
        return []
    found = []
    for level, said in by_level(findings).items():
        silence = next((one for one in said if one.verdict is Verdict.UNSUPPORTED and claim.asks(one.requires)), None)
        if claim.holds_at(level) and silence is not None:
            detail = f"claims {cell.area.operation} at {level} and does not answer here\n  because  {silence.detail}"
            found.append(
                Finding(
                    check="claim",
                    level=level,
                    requires=[KEPT_CLAIMS],
                    verdict=Verdict.FAIL,
                    detail=detail,
                    cause=f"claims {level} and does not answer",
                )
            )
    return found


def lacks_golden(cell: Cell) -> bool:
    """Whether the oracle of the area has not said what to expect; a refusal needs no more than the word."""
    if cell.area.oracle is None:
        return False
    return cell.golden is None or (cell.golden.expect is None and cell.golden.outcome == "ok")


def expects_refusal(cell: Cell) -> bool:
    """Whether the oracle refuses this input."""
    outcome = cell.golden.outcome if cell.golden is not None else cell.case.outcome
    return outcome == "raises"


def concerns(check: Check, cell: Cell) -> bool:
    """Refusals are judged by the checks made for them, answers by all others."""
    return (check.kind == "rejects") == expects_refusal(cell)


def applies(check: Check, question: Question) -> Check | Finding | None:
    """The check, where it judges this cell; None where it does not; an error where it broke over the question."""
    try:
        return check if check.applies(question) else None
    except Exception as error:  # noqa: BLE001 - one broken check must not end the run
        return finding_of(check, Verdict.ERROR, broken(error))


def judge(check: Check, subject: Subject, counted: frozenset[str]) -> Finding:
    """One check on one outcome; ``counted`` are the levels in which a refusal counts."""
    if isinstance(subject.outcome, Refused) and check.kind != "rejects" and check.level not in counted:
        elsewhere = f"counted in {', '.join(sorted(counted))}" if counted else "outside its claim"
        return finding_of(check, Verdict.UNSUPPORTED, f"refuses this input ({elsewhere})")
    slow = subject.outcome.slow if isinstance(subject.outcome, Failed) else 0.0
    cause = ""
    try:
        verdict, detail, cause = _verdict(check, subject)
    except TooSlow as error:
        verdict, detail, slow = Verdict.ERROR, str(error), error.outcome.slow
    return finding_of(check, verdict, detail, slow, cause)


def finding_of(check: Check, verdict: Verdict, detail: str, slow: float = 0.0, cause: str = "") -> Finding:
    """A verdict with what it is about."""
    severity = severity_of(check.requires)
    return Finding(
        check=check.name,
        level=check.level,
        requires=list(check.requires),
        verdict=as_severe(verdict, severity),
        severity=severity,
        detail=foreign_text(detail, lines=True),
        slow=slow,
        compares=check.compares,
        outline=check.kind == "outline",
        cause=foreign_text(cause or detail.split("\n", 1)[0])[:LONGEST_CAUSE] if verdict in WRONG else "",
    )


def silent(found: Finding, outcome: NotSupported) -> Finding:
    """Who does not answer is not in error where a check broke over the question."""
    return msgspec.structs.replace(found, verdict=Verdict.UNSUPPORTED, detail=outcome.reason, cause="")


def broken(error: Exception) -> str:
    """What is printed of a check that raised what it must not raise."""
    where = "".join(traceback.format_exception(error)[-2:])
    return f"{BROKEN}, please report it: {type(error).__name__}: {error}\n{where}"


def _verdict(check: Check, subject: Subject) -> tuple[Verdict, str, str]:
    """The verdict, what is printed of it, and its cause where the check names one."""
    outcome = subject.outcome
    if isinstance(outcome, NotSupported):
        return Verdict.UNSUPPORTED, outcome.reason, ""
    if isinstance(outcome, Failed):
        return Verdict.ERROR, f"{outcome.message}\n{outcome.trace}".rstrip(), outcome.message
    if isinstance(outcome, Refused) and check.kind != "rejects":
        return (
            Verdict.REJECTED,
            f"refuses an input the oracle accepts: {outcome}",
            f"refuses what is accepted: {outcome}",
        )
    try:
        check.judge(subject)
    except Violation as violation:
        return Verdict.FAIL, str(violation), violation.cause
    except NotGiven as missing:
        return Verdict.UNSUPPORTED, str(missing), ""
    except NotComparable as reason:
        return Verdict.INCOMPARABLE, str(reason), ""
    except TooSlow:
        raise
    except Exception as error:  # noqa: BLE001 - one broken check must not end the run
        return Verdict.ERROR, broken(error), f"{BROKEN}: {check.name}"
    return Verdict.PASS, "", ""


def run_all(run: Run, on_result: Callable[[CellResult], None] | None = None) -> list[CellResult]:
    """Run to the end; ``on_result`` sees every result as it comes (progress, streaming report)."""
    results: list[CellResult] = []
    for result in run:
        results.append(result)
        if on_result is not None:
            on_result(result)
    return results
