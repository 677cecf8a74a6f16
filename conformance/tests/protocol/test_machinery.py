"""Mutants of the suite itself: ways in which its own machinery could stop judging. A small strict run notices each.

``complaints`` is that run: implementations whose verdicts are known, judged by the real runner. Of the code as it is
it has nothing to say; under every edit of ``WEAKENINGS`` it must.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.edits import Edit, Weakening, each_of
from tokenspec import verdict
from tokenspec.adapters import Rejected, Unsupported
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.report.tally import Tally
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult, Verdict
from tokenspec_reference.adapter import ReferenceAdapter

Json = dict[str, Any]


@cache
def cells() -> tuple[Cell, ...]:
    """One conversation that is answered and one that every implementation refuses."""
    chosen = Selection(areas=("render",), rows=("toy-bpe",), cases=("role-user", "role-empty-conversation"))
    found = tuple(select_cells(chosen))
    assert {cell.golden.outcome for cell in found} == {"ok", "raises"}
    return found


class Base(ReferenceAdapter):
    """The reference, to be spoilt in ``spoil``."""

    def render(self, request: Json) -> Json:
        return self.spoil(request, lambda: super(Base, self).render(request))

    def spoil(self, request: Json, answer: Callable[[], Json]) -> Any:
        return answer()


def spoilt(spoil: Callable[[Base, Json, Callable[[], Json]], Any]) -> object:
    return type("Spoilt", (Base,), {"spoil": spoil})()


def break_input(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
    result = answer()
    request["messages"] = []
    return result


def broken_text(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
    return {**answer(), "text": "nothing like it"}


def another_prompt(self: Base, request: Json, answer: Callable[[], Json]) -> Json:
    """Consistent in itself: only the oracle's golden tells that it is wrong."""
    return ReferenceAdapter.render(self, {**request, "options": {"add_generation_prompt": True}})


def no_masks(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
    return {"token_ids": answer()["token_ids"]}


def empty(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
    return {"token_ids": [], "is_content": [], "sampled_mask": [], "message_indices": []}


def raising(error: Callable[[], Exception]) -> Callable[..., Json]:
    def spoil(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
        raise error()

    return spoil


def never_refuses(_: Base, request: Json, answer: Callable[[], Json]) -> Json:
    try:
        return answer()
    except Exception:  # noqa: BLE001 - whatever the refusal is
        return {"token_ids": [1]}


def other_type(_: Base, request: Json, answer: Callable[[], Json]) -> Any:
    return {**answer(), "surprise": 1}


# What each implementation must get: the verdicts that must occur, those that must not, and the exit code.
EXPECTED: dict[str, tuple[Callable[..., Any], set[str], set[str], int]] = {
    "faultless": (lambda _, __, answer: answer(), {"pass"}, {"fail", "error", "rejected"}, 0),
    "changes its input": (break_input, {"fail", "pass"}, set(), 1),
    "another text": (broken_text, {"fail", "pass"}, set(), 1),
    "another prompt": (another_prompt, {"fail", "pass"}, set(), 1),
    "without masks": (no_masks, {"unsupported", "pass"}, {"error"}, 1),
    "empty": (empty, {"fail"}, set(), 1),
    "always errs": (raising(lambda: RuntimeError("out of cheese")), {"error"}, {"pass", "rejected", "unsupported"}, 3),
    "always refuses": (raising(lambda: Rejected("template-raises")), {"rejected"}, {"fail"}, 1),
    "never refuses": (never_refuses, {"fail", "pass"}, set(), 1),
    "always unsupported": (raising(lambda: Unsupported("later")), {"unsupported"}, {"pass", "error"}, 1),
    "unknown field": (other_type, {"error"}, set(), 3),
}


def complaints() -> list[str]:
    """What a strict run has to say about the suite's machinery."""
    found = []
    for name, (spoil, must, must_not, code) in EXPECTED.items():
        results = run_all(Run([InProcess(name, spoilt(spoil))], cells(), 10.0))
        seen = {str(finding.verdict) for result in results for finding in result.findings}
        if must - seen or must_not & seen:
            found.append(f"{name}: verdicts {sorted(seen)}")
        if verdict.exit_code(results, frozenset({name})) != code:
            found.append(f"{name}: exit code {verdict.exit_code(results, frozenset({name}))}")
        found += [f"{name}: {line}" for line in wrongly_counted(results)]
        if name == "without masks" and "MASKS" not in {f.level for r in results for f in r.findings}:
            found.append(f"{name}: masks are not even mentioned")
    if verdict.exit_code([], frozenset({"nobody"})) == 0:
        found.append("an empty run is green")
    return found


def wrongly_counted(results: list[CellResult]) -> list[str]:
    """Levels that a matrix would show as passed though nothing there was judged."""
    found = []
    for result in results:
        for level in {finding.level for finding in result.findings}:
            own = [finding for finding in result.findings if finding.level == level]
            tally = Tally()
            tally.add(own)
            if tally.passed and not any(finding.verdict is Verdict.PASS for finding in own):
                found.append(f"{result.case} {level} counts as passed")
    return found


def test_the_machinery_as_it_is_gives_no_complaint() -> None:
    assert complaints() == []


def weak(module: str, function: str, find: str, put: str) -> Weakening:
    return Weakening(Edit(f"tokenspec.{module}", function, find, put), test_the_machinery_as_it_is_gives_no_complaint)


def passes_where(condition: str) -> Weakening:
    """A verdict becomes a pass."""
    judged = "verdict, detail, cause = _verdict(check, subject)"
    return weak("runner", "judge", judged, f"{judged}\nif {condition}: verdict = Verdict.PASS")


def begins(module: str, function: str, first: str, put: str) -> Weakening:
    """Something stands before the first statement of a function."""
    return weak(module, function, first, f"{put}\n{first}")


OUTCOME = ("adapters.in_process", "outcome_of", "code = getattr(error, 'rejection_code', None)")
EXIT = ("verdict", "exit_code", "passed: set[str] = set()")
SWALLOWED = """
try:
    check.judge(subject)
except (Violation, NotGiven):
    pass
"""
KNOWN = "{key: value for key, value in outcome.output.items() if key in cell.area.output_type.__struct_fields__}"
WEAKENINGS = {
    "unsupported counts as a pass": passes_where("verdict is Verdict.UNSUPPORTED"),
    # the peer suite's way: a check returns early when an output is empty, and that is a pass
    "empty masks count as a pass": passes_where("verdict is Verdict.UNSUPPORTED and check.level == 'MASKS'"),
    "a failing check counts as a pass": passes_where("verdict is Verdict.FAIL"),
    "an error counts as a pass": passes_where("verdict is Verdict.ERROR"),
    "a wrong refusal counts as a pass": passes_where("verdict is Verdict.REJECTED"),
    "violations are swallowed": weak("runner", "_verdict", "check.judge(subject)", SWALLOWED),
    "refusals are judged by no check": weak("runner", "concerns", "_ == expects_refusal(cell)", "check.kind != 'rejects'"),
    "no check concerns any cell": weak("runner", "concerns", "_ == expects_refusal(cell)", "False"),
    "answers are judged as refusals": weak("runner", "expects_refusal", "outcome == 'raises'", "True"),
    "nothing expects a refusal": weak("runner", "expects_refusal", "outcome == 'raises'", "False"),
    "every check is only advice": weak("runner", "finding_of", "severity_of(check.requires)", "'SHOULD'"),
    "every exception is a refusal": begins(*OUTCOME, "return Refused('any', str(error))"),
    "every exception is unsupported": begins(*OUTCOME, "return NotSupported(str(error))"),
    "a refusal is an error": begins(*OUTCOME, "return Failed(str(error))"),
    "unknown fields are dropped": weak("runner", "Run.call", "convert(outcome.output, _, where=__)", f"convert({KNOWN}, _, where=__)"),
    "a changed input goes unnoticed": weak("runner", "Run.judge_cell", "copy.deepcopy(request)", "request"),
    "the exit code is always 0": begins(*EXIT, "return 0"),
    "the exit code ignores failures": weak("verdict", "Finding.non_conformant", "self.verdict in NON_CONFORMANT", "self.verdict in {Verdict.XPASS}"),
    "the exit code ignores refusals": weak("verdict", "Finding.non_conformant", "self.verdict in NON_CONFORMANT", "self.verdict in {Verdict.FAIL, Verdict.XPASS}"),
    "an empty run is green": begins(*EXIT, "if not results: return 0"),
    "nobody gates": begins(*EXIT, "gate = frozenset()"),
    "a claim is never broken": weak("runner", "broken_claims", "one.verdict is Verdict.UNSUPPORTED and claim.asks(one.requires)", "False"),
    "the matrix counts unsupported as passed": weak("report.tally", "Tally.passed", "self.counts[Verdict.PASS]", "sum(self.counts.values())"),
    "only the first check is kept": weak("runner", "Run.checks_for", "checks_of(cell.area.name)", "checks_of(cell.area.name)[:1]"),
    "goldens are not looked at": weak("runner", "Run.checks_for", "checks_of(cell.area.name)", "[one for one in checks_of(cell.area.name) if one.kind != 'golden']"),
}  # fmt: skip


@each_of(WEAKENINGS)
def test_each_weakening_is_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_be_noticed(request)


@each_of(WEAKENINGS)
def test_an_edit_that_changes_nothing_is_not_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_pass_without(request)
