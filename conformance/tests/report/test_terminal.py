"""What a run prints: failures by cause, few enough to read; then the matrix, whole, and what it adds up to."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tokenspec.cli.run import print_run
from tokenspec.report.causes import MOST_CAUSES
from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.standing import standing
from tokenspec.report.terminal import (
    MOST_SOURCES,
    print_coverage,
    print_disagreements,
    print_each_failure,
    print_failures,
    print_slow,
    print_unsupported,
    print_warnings,
)
from tokenspec.verdict import CellResult, Finding, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from printing import printed
from sample_runs import cell, every_verdict, finding, header

FAIL, PASS = Verdict.FAIL, Verdict.PASS
MINE = {"mine": "mine"}


def failing(*times: int, impl: str = "mine", verdict: Verdict = FAIL) -> list[CellResult]:
    """Cells that fail for causes ``cause 0``, ``cause 1``, ..., each so many times."""
    causes = [f"cause {number}" for number, count in enumerate(times) for _ in range(count)]
    return [
        cell(finding(verdict, f"{cause}\n  of {number}"), impl=impl, case=f"render/{number}")
        for number, cause in enumerate(causes)
    ]


def listed(text: str) -> list[str]:
    """The lines that begin the causes: how often, and what is said."""
    return [line.strip() for line in text.splitlines() if re.match(r" +[\d,]+ x ", line)]


def test_each_cause_is_shown_once_most_frequent_first_with_its_smallest_case() -> None:
    results = failing(1, 3, 2)
    sizes = {f"render/{number}": 100 - number for number in range(6)}
    text = printed(print_failures, results, MINE, sizes)
    assert text.startswith("mine: 6 cells broken, 3 causes; the smallest case of each\n")
    assert listed(text) == ["3 x RND-010 cause 1", "2 x RND-010 cause 2", "1 x RND-010 cause 0"]
    assert re.findall(r"^FAIL RND-010  (\S+)  impl=mine$", text, re.MULTILINE) == [
        "render/alpha/3",
        "render/alpha/5",
        "render/alpha/0",
    ]
    assert text.count("tokenspec run --impl mine") == 3
    assert "  of 3" in text
    assert "  of 1" not in text


def test_a_column_beside_the_gate_has_the_command_alone() -> None:
    results = [*failing(2), *failing(1, impl="other")]
    text = printed(print_failures, results, {**MINE, "other": "other"}, {}, brief={"other"})
    assert listed(text) == ["2 x RND-010 cause 0", "1 x RND-010 cause 0"]
    assert re.findall("impl=(.+)", text) == ["mine"]
    assert text.rstrip().endswith("tokenspec run --impl other --case render/0 --row alpha")


@pytest.mark.parametrize(
    ("causes", "rest"),
    [
        (20, None),
        (21, "  ... and 1 more cause; tokenspec run --show-all prints them"),
        (25, "  ... and 5 more causes; tokenspec run --show-all"),
    ],
)
def test_a_column_has_at_most_twenty_causes_and_a_word_about_the_rest(causes: int, rest: str | None) -> None:
    assert MOST_CAUSES == 20
    results = failing(*range(causes, 0, -1))
    other = failing(1, impl="other")
    text = printed(print_failures, [*results, *other], {**MINE, "other": "other"}, {})
    mine, _, others = text.partition("\nother: ")
    assert f"mine: {len(results)} cells broken, {causes} causes" in mine
    assert listed(mine) == [f"{causes - number} x RND-010 cause {number}" for number in range(20)]
    assert ("more cause" in mine) == (rest is not None)
    assert rest is None or rest in mine
    assert listed(others) == ["1 x RND-010 cause 0"]


def test_all_failures_are_shown_where_they_are_asked_for() -> None:
    results = [*failing(*[1] * 25), cell(finding(Verdict.DISAGREE)), cell(finding(PASS), finding(Verdict.UNSUPPORTED))]
    text = printed(print_each_failure, results, MINE)
    assert (text.count("FAIL RND-010"), text.count("SOURCES DISAGREE RND-010"), text.count("again")) == (25, 1, 26)


def test_a_few_disagreements_of_sources_are_shown_apart_from_failures() -> None:
    results = [*failing(*[1] * 6, verdict=Verdict.DISAGREE), cell(finding(FAIL, "a failure"), case="render/failure")]
    text = printed(print_disagreements, results, MINE, {})
    assert MOST_SOURCES == 4
    assert text.startswith("mine: 6 cells on which sources disagree, 6 causes")
    assert listed(text) == [f"1 x cause {number}" for number in range(4)]
    assert "... and 2 more causes" in text
    assert "a failure" not in text


def test_warnings_have_their_own_word_and_count() -> None:
    results = every_verdict().results
    text = printed(print_warnings, results, MINE, {})
    assert text.startswith("mine: 1 cell with a warning, 1 cause")
    assert "WARNING RND-090" in text
    assert "FAIL" not in text
    assert "a wish" not in printed(print_failures, results, MINE, {})
    assert "WARNING RND-090" in printed(print_each_failure, results, {**MINE, "other": "other"})


def test_why_nothing_was_judged_is_one_line_a_reason_most_frequent_first() -> None:
    reasons = [f"reason {number}" for number in range(14) for _ in range(14 - number)]
    results = [
        cell(
            finding(Verdict.UNSUPPORTED, reason),
            finding(Verdict.UNSUPPORTED, reason, check="render.text"),
            case=f"render/{at}",
        )
        for at, reason in enumerate(reasons)
    ]
    lines = printed(print_unsupported, results, MINE).splitlines()
    assert lines[0].startswith("Not judged")
    assert [line.split() for line in lines[1:13]] == [
        [str(14 - number), "cells", "mine:", "reason", str(number)] for number in range(12)
    ]
    assert lines[13:] == ["  ... and 2 more reasons; see the report: tokenspec run --report FILE"]
    assert printed(print_unsupported, [cell(finding(PASS))], MINE) == ""


GIVEN = "wrong:Wrong"
SLOW = Finding(
    check="render.ids", level="IDS", requires=["RND-010"], verdict=Verdict.ERROR, detail="slow: none", slow=10.0
)
SHOWN: list[tuple[Callable[..., None], Verdict, list[dict[str, int]], str]] = [
    (print_failures, FAIL, [{}], "said: 1 cell broken"),
    (print_failures, FAIL, [{}], "impl=said"),
    (print_each_failure, FAIL, [], "impl=said"),
    (print_disagreements, Verdict.DISAGREE, [{}], "said: 1 cell on which"),
    (print_unsupported, Verdict.UNSUPPORTED, [], "1 cells  said: "),
]


@pytest.mark.parametrize(("show", "verdict", "sizes", "says"), SHOWN)
def test_a_column_is_called_by_its_label_and_repeated_as_it_was_given(
    show: Callable[..., None], verdict: Verdict, sizes: list[dict[str, int]], says: str
) -> None:
    text = printed(show, [cell(finding(verdict), impl=GIVEN)], {GIVEN: "said"}, *sizes)
    assert says in text
    assert text.count(GIVEN) == text.count(f"again    tokenspec run --impl {GIVEN} --case render/one --row alpha")


def test_what_was_slow_or_not_exercised_is_said_of_a_label() -> None:
    report = Report(header(GIVEN), [cell(SLOW, impl=GIVEN)])
    assert printed(print_slow, report.results, {GIVEN: "said"}).startswith("said: 1 cell was too slow")
    missing = printed(print_coverage, report, {GIVEN: "said"})
    assert missing.split("\n") == ["  said: 2 requirements not exercised: RND-001, RND-090", ""]


def test_many_requirements_that_were_not_exercised_are_cut_and_counted() -> None:
    report = Report(header("mine"), [cell(finding(PASS))])
    report.header["checks"]["render.more"] = {"area": "render", "requires": [f"RND-{n}" for n in range(100, 150)]}
    text = " ".join(printed(print_coverage, report, MINE).split())
    assert text.startswith("mine: 52 requirements not exercised: RND-001, RND-090, RND-100,")
    assert text.endswith("RND-137 and 12 more")


def run_printed(report: Report, *, show_all: bool = False, gate: tuple[str, ...] = ()) -> str:
    """The end of ``tokenspec run`` for a report."""
    stands = {
        impl: standing([result for result in report.results if result.impl == impl], 100.0) for impl in report.impls
    }
    named = labels(report.header["implementations"])
    return printed(print_run, report, stands, named, show_all=show_all, gate=gate)


@pytest.mark.parametrize("show_all", [False, True])
def test_the_matrix_comes_last_with_what_it_adds_up_to(show_all: bool) -> None:
    report = every_verdict()
    text = run_printed(report, show_all=show_all)
    before, title, after = text.partition("Renderers: chat messages to token ids and masks\n")
    assert title
    for part in ("FAIL RND-010", "ERROR", "SOURCES DISAGREE", "Not judged", "requirements not exercised", "set-up"):
        assert part in before
        assert part not in after
    lines = [line for line in after.splitlines() if line.strip()]
    assert [line.split()[:3] for line in lines[:2]] == [["mine", "other"], ["row", "TEXT", "IDS"]]
    assert [line.split()[0] for line in lines[3:5]] == ["alpha", "toy"]
    assert lines[5].startswith("cases passed, or passed/judged")
    assert [line.partition(":")[0] for line in lines[-2:]] == ["mine", "other"]
