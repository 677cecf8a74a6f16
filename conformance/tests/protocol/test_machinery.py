"""Mutants of the suite itself: ways in which its own machinery could stop judging. A small strict run notices each.

``complaints`` is that run: implementations whose verdicts are known, judged by the real runner. Unpatched it has
nothing to say; under every patch of ``WEAKENINGS`` it must.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tokenspec import runner, verdict
from tokenspec.adapters import Failed, NotSupported, Ok, Refused, Rejected, Unsupported, in_process
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.areas.check import NotGiven, Violation
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
    "without masks": (no_masks, {"unsupported", "pass"}, {"fail", "error"}, 0),
    "empty": (empty, {"fail"}, set(), 1),
    "always errs": (raising(lambda: RuntimeError("out of cheese")), {"error"}, {"pass", "rejected", "unsupported"}, 3),
    "always refuses": (raising(lambda: Rejected("no")), {"rejected"}, {"fail"}, 1),
    "never refuses": (never_refuses, {"fail", "pass"}, set(), 1),
    "always unsupported": (raising(lambda: Unsupported("later")), {"unsupported"}, {"pass", "fail", "error"}, 1),
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


real_verdict = runner._verdict
real_exit_code = verdict.exit_code
real_tally_add = Tally.add
real_outcome_of = in_process.outcome_of
real_convert = runner.convert


def forgiving(*forgiven: Verdict) -> Callable[..., Any]:
    def judge(check: Any, subject: Any) -> Any:
        found, detail = real_verdict(check, subject)
        return (Verdict.PASS, "") if found in forgiven else (found, detail)

    return judge


def swallow(check: Any, subject: Any) -> Any:
    """What a bare except around the check would do."""
    if not isinstance(subject.outcome, Ok):
        return real_verdict(check, subject)
    with contextlib.suppress(Violation, NotGiven):
        check.judge(subject)
    return Verdict.PASS, ""


def drop_masks(mask: Any) -> Any:
    """The peer suite's way: a check returns early when an output is empty, and that is a pass."""

    def judge(check: Any, subject: Any) -> Any:
        found, detail = real_verdict(check, subject)
        return (Verdict.PASS, "") if found is Verdict.UNSUPPORTED and check.level == mask else (found, detail)

    return judge


def unknown_fields_pass(value: Any, kind: Any, *, where: object) -> Any:
    import msgspec

    known = {field.name for field in msgspec.structs.fields(kind)}
    return real_convert({key: item for key, item in value.items() if key in known}, kind, where=where)


class Shallow:
    """``copy.deepcopy`` replaced: implementation and suite share one request."""

    @staticmethod
    def deepcopy(value: Any) -> Any:
        return value


WEAKENINGS: dict[str, tuple[object, str, object]] = {
    "unsupported counts as a pass": (runner, "_verdict", forgiving(Verdict.UNSUPPORTED)),
    "empty masks count as a pass": (runner, "_verdict", drop_masks("MASKS")),
    "a failing check counts as a pass": (runner, "_verdict", forgiving(Verdict.FAIL)),
    "an error counts as a pass": (runner, "_verdict", forgiving(Verdict.ERROR)),
    "a wrong refusal counts as a pass": (runner, "_verdict", forgiving(Verdict.REJECTED)),
    "violations are swallowed": (runner, "_verdict", swallow),
    "refusals are judged by no check": (runner, "concerns", lambda check, cell: check.kind != "rejects"),
    "no check concerns any cell": (runner, "concerns", lambda check, cell: False),
    "answers are judged as refusals": (runner, "expects_refusal", lambda cell: True),
    "nothing expects a refusal": (runner, "expects_refusal", lambda cell: False),
    "every check is only advice": (runner, "severity_of", lambda ids: "SHOULD"),
    "every exception is a refusal": (in_process, "outcome_of", lambda error: Refused("any", str(error))),
    "every exception is unsupported": (in_process, "outcome_of", lambda error: NotSupported(str(error))),
    "a refusal is an error": (in_process, "outcome_of", lambda error: Failed(str(error))),
    "unknown fields are dropped": (runner, "convert", unknown_fields_pass),
    "a changed input goes unnoticed": (runner, "copy", Shallow),
    "the exit code is always 0": (verdict, "exit_code", lambda results, gate: 0),
    "the exit code ignores failures": (verdict, "NON_CONFORMANT", frozenset({Verdict.XPASS})),
    "the exit code ignores refusals": (verdict, "NON_CONFORMANT", frozenset({Verdict.FAIL, Verdict.XPASS})),
    "an empty run is green": (
        verdict,
        "exit_code",
        lambda results, gate: real_exit_code(results, gate) if results else 0,
    ),
    "nobody gates": (verdict, "exit_code", lambda results, gate: real_exit_code(results, frozenset())),
    "the matrix counts unsupported as passed": (Tally, "passed", property(lambda self: sum(self.counts.values()))),
    "only the first check is kept": (runner, "checks_of", lambda area, real=runner.checks_of: real(area)[:1]),
    "goldens are not looked at": (
        runner,
        "checks_of",
        lambda area, real=runner.checks_of: [check for check in real(area) if check.kind != "golden"],
    ),
}


def test_the_machinery_as_it_is_gives_no_complaint() -> None:
    assert complaints() == []


@pytest.mark.parametrize("name", WEAKENINGS)
def test_each_weakening_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, attribute, weak = WEAKENINGS[name]
    monkeypatch.setattr(where, attribute, weak)
    assert complaints() != []
