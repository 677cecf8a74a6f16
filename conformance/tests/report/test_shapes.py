"""The other shapes of a report: tallies, Markdown, badge, JUnit XML, combined, compared."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml

from tokenspec.errors import UsageError
from tokenspec.report.annotations import annotation_lines
from tokenspec.report.combine import combine
from tokenspec.report.compare import Change, Kind, compare
from tokenspec.report.jsonl import Report
from tokenspec.report.junit import junit
from tokenspec.report.markdown import badge, markdown
from tokenspec.report.markup import plain
from tokenspec.report.tally import counts, never_exercised, tallies
from tokenspec.verdict import Finding, Verdict, judgement

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import NASTY, cell, every_verdict, finding, header

GOOD = Verdict.PASS
# What the consumers know: the attributes and children of each element (Jenkins' schema and what pytest writes).
KNOWN = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"properties", "testcase"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped", "system-out"}),
    "system-out": (set(), set()),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
}


@pytest.mark.parametrize(
    ("findings", "speaks"),
    [
        ([finding(Verdict.UNSUPPORTED)], Verdict.UNSUPPORTED),
        ([finding(Verdict.UNSUPPORTED), finding(GOOD)], GOOD),
        ([finding(Verdict.UNSUPPORTED), finding(Verdict.FAIL)], Verdict.FAIL),
        ([finding(Verdict.FAIL, severity="SHOULD")], GOOD),
        ([finding(Verdict.WARNING, severity="SHOULD")], GOOD),
        ([finding(Verdict.ERROR, severity="SHOULD"), finding(Verdict.FAIL)], Verdict.FAIL),
        ([finding(Verdict.FAIL, severity="SHOULD"), finding(Verdict.FAIL)], Verdict.FAIL),
        ([finding(Verdict.FAIL, severity="SHOULD"), finding(Verdict.UNSUPPORTED)], GOOD),
        ([finding(Verdict.XFAIL), finding(GOOD)], Verdict.XFAIL),
        ([finding(Verdict.XPASS, severity="SHOULD"), finding(GOOD)], Verdict.XPASS),
        ([finding(Verdict.XFAIL), finding(Verdict.REJECTED)], Verdict.REJECTED),
        ([finding(Verdict.DISAGREE), finding(GOOD), finding(Verdict.INCOMPARABLE)], Verdict.DISAGREE),
        ([finding(Verdict.DISAGREE), finding(Verdict.FAIL)], Verdict.FAIL),
    ],
)
def test_one_finding_speaks_for_a_level(findings: list[Finding], speaks: Verdict) -> None:
    assert judgement(findings).verdict is speaks
    assert judgement(findings[::-1]).verdict is speaks


def test_unsupported_is_counted_apart() -> None:
    counted = tallies(every_verdict().results)
    other = counted["render", "alpha", "other", "IDS"]
    assert (other.judged, other.passed, other.cell()) == (0, 0, "–")
    mine = counted["render", "toy", "mine", "IDS"]
    assert mine.cell() == "0/3 x1"
    assert counted["render", "alpha", "mine", "IDS"].cell() == "2/5 ≠1"
    assert counts(every_verdict())["mine"]["render"]["IDS"] == {verdict.value: 1 for verdict in Verdict} | {
        "pass": 2,
        "fail": 2,
        "warning": 0,
    }


def test_what_was_only_unsupported_was_not_exercised() -> None:
    assert never_exercised(every_verdict()) == {"mine": [], "other": ["RND-010", "RND-090"]}
    assert never_exercised(Report(header("mine"), [])) == {"mine": []}


def test_markdown_shows_all_of_it() -> None:
    report = every_verdict()
    report.header["known_failures"] = [
        {"impl": "mine", "file": "k", "entries": 1, "in_force": 1, "complaints": ["k:3 passes"]}
    ]
    text = markdown(report)
    for part in (
        "* **mine** 1.2: **not conformant, judged on all 11 cells (sources disagree on 1), 1 with a warning**",
        "* **other** 1.2: conformant on all 9 cells, nothing of IDS",
        "fixtures 2026.1 (abababababab)",
        "| row | mine TEXT | mine IDS | other TEXT | other IDS |",
        "| alpha | 7 | **2/5 ≠1** | 5 | – |",
        "| toy | 4 | **0/3 x1** | 4 | – |",
        "`tokenspec run --impl mine --case render/two --row toy`",
        "* other: RND-010, RND-090",
        "* k:3 passes",
    ):
        assert part in text


@given(st.text(st.sampled_from("|*_<>`[]&#\\\n\r x"), max_size=12))
def test_no_name_breaks_a_markdown_table(name: str) -> None:
    head = header(f"m{name}")
    lines = markdown(Report(head, [cell(finding(GOOD), impl=f"m{name}", row=f"r{name}")])).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 3
    bars = [len([i for i, c in enumerate(line) if c == "|" and _unescaped(line, i)]) for line in table]
    assert set(bars) == {4}
    assert "\n" not in plain(name)


def _unescaped(line: str, at: int) -> bool:
    return (at - len(line[:at].rstrip("\\"))) % 2 == 0


@pytest.mark.parametrize(
    ("verdicts", "message", "colour"),
    [
        ([GOOD, GOOD], "2/2", "brightgreen"),
        ([GOOD, Verdict.FAIL], "1/2", "red"),
        ([GOOD, Verdict.XFAIL], "1/2", "yellow"),
        ([Verdict.XFAIL, Verdict.XPASS], "0/2", "red"),
        ([GOOD, Verdict.UNSUPPORTED], "1/1", "brightgreen"),
        ([GOOD, Verdict.DISAGREE], "1/1", "brightgreen"),
        ([Verdict.DISAGREE], "nothing judged", "lightgrey"),
        ([Verdict.UNSUPPORTED], "nothing judged", "lightgrey"),
        ([], "nothing judged", "lightgrey"),
    ],
)
def test_badges_are_green_only_when_all_judged_pass(verdicts: list[Verdict], message: str, colour: str) -> None:
    results = [cell(finding(verdict), case=f"render/{number}") for number, verdict in enumerate(verdicts)]
    made = badge(Report(header("mine"), results), "mine")
    assert made == {"schemaVersion": 1, "label": "tokenspec", "message": message, "color": colour}


def test_junit_is_read_by_its_consumers() -> None:
    read = JUnitXml.fromfile(io.StringIO(junit(every_verdict())))
    assert [suite.name for suite in read] == ["mine render", "other render"]
    mine, other = read
    assert (mine.tests, mine.failures, mine.errors, mine.skipped) == (11, 4, 1, 2)
    assert (other.tests, other.failures, other.errors, other.skipped) == (9, 0, 0, 0)
    assert {one.name: one.value for one in mine.properties()}["transformers"] == "5.0"
    said = {case.name: [(type(one).__name__.lower(), one.message) for one in case.result] for case in mine}
    assert said["one"] == said["wish"] == said["five"] == []
    assert said["two"] == [("failure", "RND-010 said fail")]
    assert said["three"] == [("error", "RND-010 said error")]
    assert said["six"] == [("skipped", "xfail: said xfail")]
    assert said["seven"] == [("failure", "RND-010 said xpass")]
    assert said["nine"] == [("skipped", "sources disagree: said sources disagree")]


def test_junit_tells_a_warning_beside_a_pass() -> None:
    root = ET.fromstring(junit(every_verdict()))
    (wish,) = root.iterfind(".//testcase[@name='wish']")
    assert [child.tag for child in wish] == ["system-out"]
    assert (wish.findtext("system-out") or "").startswith("WARNING render.wish (RND-090)\na wish")
    assert [one.get("value") for one in root.iterfind(".//property[@name='warnings']")] == ["1"]


def test_markdown_and_annotations_tell_warnings_apart_from_failures() -> None:
    report = every_verdict()
    failures, warnings = markdown(report).split("## Warnings")
    assert "RND-090 a wish" not in failures.split("## Failures")[1]
    assert "RND-090 a wish: warning `render.wish` by mine, 1 cell" in warnings
    lines = list(annotation_lines(report, "mine"))
    (warned,) = [line for line in lines if line.startswith("::warning")]
    assert warned.startswith("::warning title=RND-090 a wish (1 cell)::render/alpha/wish: a wish")
    assert not [line for line in lines if line.startswith("::error") and "a wish" in line]


def test_junit_skips_what_is_only_unsupported() -> None:
    report = Report(header("mine"), [cell(finding(Verdict.UNSUPPORTED, "no masks"))])
    (case,) = next(iter(JUnitXml.fromstring(junit(report).encode())))
    assert [(type(one).__name__, one.message) for one in case.result] == [("Skipped", "unsupported: no masks")]
    assert not case.is_passed


@settings(deadline=None)
@given(text=st.text(max_size=30), row=st.text(max_size=10))
def test_junit_holds_any_text_and_only_known_elements(text: str, row: str) -> None:
    text, row = (one.encode("utf-8", "replace").decode() for one in (text, row))
    report = Report(header(f"m{text}"), [cell(finding(Verdict.FAIL, text + NASTY), impl=f"m{text}", row=row)])
    root = ET.fromstring(junit(report))
    for element in root.iter():
        attributes, children = KNOWN[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children


def other_header(report: Report, **changes: object) -> Report:
    return Report({**report.header, **changes}, report.results)


def test_columns_of_runs_are_put_into_one_report() -> None:
    a = Report(header("a"), [cell(finding(GOOD), impl="a")])
    b = other_header(
        Report(header("b"), [cell(finding(Verdict.FAIL), impl="b", row="extra")]), rows={"extra": {"status": "toy"}}
    )
    b = other_header(b, suite={"tokenspec": "1.0", "transformers": "4.9"})
    both = combine([("a.jsonl", a), ("b.jsonl", b)])
    assert both.impls == ["a", "b"]
    assert len(both.results) == 2
    assert list(both.header["rows"]) == ["alpha", "toy", "extra"]
    assert both.header["suite"] == {"tokenspec": "1.0", "transformers": "5.0 and 4.9", "tokenizers": "0.20"}
    assert a.impls == ["a"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fixtures": {"version": "2026.1", "sha256": "cd" * 32}}, "other fixtures"),
        ({"suite": {"tokenspec": "2.0"}}, "other suite"),
        ({"oracle": "4.9"}, "other oracles"),
        ({"implementations": {"a": {}}}, "both have the column a"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(change: dict[str, object], says: str) -> None:
    a, b = Report(header("a"), []), other_header(Report(header("b"), []), **change)
    with pytest.raises(UsageError, match=rf"a\.jsonl and b\.jsonl .*{says}"):
        combine([("a.jsonl", a), ("b.jsonl", b)])


VERDICTS = [*(verdict.value for verdict in Verdict), "not run"]


@pytest.mark.parametrize("before", VERDICTS)
@pytest.mark.parametrize("after", VERDICTS)
def test_every_change_has_a_kind(before: str, after: str) -> None:
    kind = Change("mine", "x", before, after).kind
    broken = {"fail", "error", "rejected", "xpass"}
    assert (kind is Kind.REGRESSION) == (before == "pass")
    if kind is Kind.FIX:
        assert before in broken | {"warning", "xfail"}
        assert after == "pass"
    if kind is Kind.NEW_FAILURE:
        assert before not in broken
        assert after in broken


def test_compare_finds_what_changed_and_nothing_else() -> None:
    old = Report(
        header("mine", "gone"),
        [cell(finding(GOOD), finding(GOOD, check="render.text")), cell(finding(Verdict.FAIL), row="toy")],
    )
    new = Report(header("mine", "new"), [cell(finding(Verdict.UNSUPPORTED)), cell(finding(GOOD), row="toy")])
    old.results.append(cell(finding(GOOD), impl="gone"))
    new.results.append(cell(finding(Verdict.FAIL), impl="new"))
    assert [(one.kind, one.name, one.before, one.after) for one in compare(old, new)] == [
        (Kind.REGRESSION, "render/alpha/one render.ids", "pass", "unsupported"),
        (Kind.REGRESSION, "render/alpha/one render.text", "pass", "not run"),
        (Kind.FIX, "render/toy/one render.ids", "fail", "pass"),
    ]
    assert compare(old, old) == []
    with pytest.raises(UsageError, match="no column in common: mine, gone and other"):
        compare(old, Report(header("other"), []))


def test_details_alone_are_no_change() -> None:
    one = cell(finding(Verdict.FAIL, "said this"))
    two = msgspec.structs.replace(one, findings=[finding(Verdict.FAIL, "said that")])
    assert compare(Report(header("mine"), [one]), Report(header("mine"), [two])) == []
