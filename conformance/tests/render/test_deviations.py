"""Reasons for deviations: a failure belongs to the first cause that covers it, and both sides are strict."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, all_cases, select_cells
from tokenspec.columns.renderers import NAMES
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.models import available, specs
from tokenspec.report.deviations import Deviation, explain, reasons_of
from tokenspec.report.why import markdown_why, print_why
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult, Finding, Verdict


def finding(check: str, verdict: Verdict = Verdict.FAIL, detail: str = "") -> Finding:
    return Finding(check=check, level="TEXT", requires=["RND-001"], verdict=verdict, detail=detail)


def cell(*findings: Finding, row: str = "toy-bpe", case: str = "render/role-user", impl: str = "mini") -> CellResult:
    return CellResult(impl=impl, area="render", row=row, case=case, seconds=0.0, findings=[*findings])


def because(id_: str, *checks: str, **fields: object) -> Deviation:
    return Deviation(**{"id": id_, "why": "Because.", "rows": ["*"], "checks": [*checks], **fields})


def test_a_failure_belongs_to_the_first_cause_and_drags_along_what_the_cause_names() -> None:
    result = cell(finding("render.text", detail="the text differs"), finding("render.ids"), finding("render.pure"))
    first = because("first", "render.text", "render.ids", detail="text differs")
    found = explain([result], [first, because("second", "render.*")])
    assert found.cells == {"first": {"toy-bpe": 1}, "second": {"toy-bpe": 1}}
    assert found.unexplained == []


def test_what_no_cause_covers_is_unexplained() -> None:
    result = cell(finding("render.text", detail="another"), finding("render.pure", Verdict.PASS))
    for reason in (
        because("a", "render.ids"),
        because("b", "render.*", detail="the text"),
        because("c", "*", rows=["x"]),
    ):
        assert [found.check for _, found in explain([result], [reason]).unexplained] == ["render.text"]


def test_a_cause_without_a_failure_is_stale_only_where_all_its_cases_were_judged() -> None:
    reason = because("gone", "render.text", cases=["render/role-user"], rows=["toy-bpe"])
    passed = finding("render.text", Verdict.PASS)
    assert explain([cell(passed)], [reason]).stale == ["gone"]
    assert explain([cell(passed, case="render/call-parallel")], [reason]).stale == []
    assert explain([cell(finding("render.text", Verdict.UNSUPPORTED))], [reason]).stale == []
    assert explain([cell(passed)], [because("part", "render.text", cases=["render/role-*"])]).stale == []
    assert explain([cell(passed)], [because("everywhere", "render.text", cases=["render/role-user"])]).stale == []


def test_the_table_fits_and_says_what_is_open() -> None:
    results = [
        cell(finding("parse.white-space", detail="content is not what the template wrote"), impl="renderers"),
        cell(finding("render.pure"), impl="renderers"),
    ]
    stream = io.StringIO()
    print_why(Console(file=stream, width=100, no_color=True), results, ["renderers", "reference"])
    printed = stream.getvalue()
    assert max(map(len, printed.splitlines())) <= 100
    assert "parse_response strips white space" in printed
    assert "unexplained: 1 failures in render/toy-bpe/role-user" in printed
    (block,) = markdown_why(results, ["renderers", "reference"])
    assert block.startswith("## Why renderers deviates")
    assert "| 1 | `toy-bpe` | real: parse\\_response strips" in block


def test_an_implementation_without_a_file_has_no_table() -> None:
    assert reasons_of("reference") is None
    assert reasons_of("cmd:../x") is None
    assert markdown_why([cell(finding("render.text"))], ["mini"]) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 1", "version"),
        ('version = "x"\n[[deviation]]\nid = "a"', "missing required field"),
        ("version =", "Invalid value"),
        ('version = "x"' + '\n[[deviation]]\nid = "a"\nwhy = "b"\nrows = []\nchecks = []' * 2, "rename one"),
        (
            'version = "x"\n[[deviation]]\nid = "a"\nwhy = "b"\nrows = []\nchecks = []\ndetail = "("',
            "no regular expression",
        ),
    ],
)
def test_a_bad_file_names_what_is_wrong(own_fixtures: Path, text: str, says: str) -> None:
    path = own_fixtures / "deviations" / "mini.toml"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(FixtureError, match=says):
        reasons_of("mini")


@cache
def case_ids() -> list[str]:
    return list(all_cases())


@pytest.mark.parametrize("path", sorted((fixtures_dir() / "deviations").glob("*.toml")), ids=lambda path: path.stem)
def test_every_committed_reason_names_rows_checks_and_cases_that_exist(path: Path) -> None:
    from fnmatch import fnmatchcase

    from tokenspec.areas.check import all_checks

    reasons = reasons_of(path.stem)
    assert reasons is not None
    cases = case_ids()
    for reason in reasons.deviation:
        known = ((reason.rows, specs()), (reason.checks, all_checks()), (reason.cases, cases))
        for patterns, names in known:
            for pattern in patterns:
                assert any(fnmatchcase(name, pattern) for name in names), f"{reason.id}: {pattern}"
        assert reason.why.endswith("."), reason.id


@pytest.mark.real
@pytest.mark.parametrize("row", [id_ for id_, spec in specs().items() if spec.family in NAMES])
def test_every_failure_of_the_package_on_a_real_row_has_its_reason(row: str) -> None:
    pytest.importorskip("renderers")
    if (missing := available(row)) is not None:
        pytest.skip(missing)
    cells = select_cells(Selection(areas=("render", "bridge", "parse"), rows=(row,)))
    reasons = reasons_of("renderers")
    assert reasons is not None
    found = explain(run_all(Run([resolve("renderers")], cells)), reasons.deviation)
    assert [(result.name, failure.check) for result, failure in found.unexplained] == []
    assert [id_ for id_ in found.stale if any(r.id == id_ and r.rows == [row] for r in reasons.deviation)] == []
