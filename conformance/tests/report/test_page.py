"""The page as text: well-formed whatever it holds, its data whole, its policy true, nothing fetched."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from justhtml import JustHTML

from tokenspec.report import page_data as page_data_module
from tokenspec.report.jsonl import Report
from tokenspec.report.page import SCRIPTS, content_hash, page, run_page, source
from tokenspec.report.page_data import page_data
from tokenspec.verdict import Exhibit, Tokens, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import NASTY, NASTY_EVIDENCE, cell, every_verdict, finding, header

CHECKS = ("render.text", "render.ids", "render.wish")
texts = st.text(max_size=40) | st.lists(
    st.sampled_from(["<", "/script", ">", "<!--", "-->", "<script", "]]>", "&", "&lt;", '"', "'", "\u2028", "\ud800"])
).map("".join)


def parsed(text: str) -> JustHTML:
    """The page as a browser reads it; a parse error raises."""
    return JustHTML(text, strict=True, sanitize=False)


def data_of(document: JustHTML) -> Any:
    """The embedded JSON."""
    (node,) = document.query("#data")
    return json.loads("".join(child.data for child in node.children))


@example(title="\x00\ud800\ufffe\x1f\x85", value="\x00\ud800", label="\U0010ffff")
@settings(max_examples=60, deadline=None)
@given(title=texts, value=texts, label=texts)
def test_no_text_can_break_the_page(title: str, value: str, label: str) -> None:
    document = parsed(page(title, {"value": value, "kind": "run"}, [(label, title)]))
    plain = parsed(page("a title", {}, [("label", "text")]))
    assert [node.name for node in document.query("*")] == [node.name for node in plain.query("*")]
    assert data_of(document) == {"value": value, "kind": "run"}


def test_a_nasty_case_stays_data() -> None:
    document = parsed(run_page(every_verdict()))
    assert not document.query("img")
    assert len(document.query("script")) == 2
    found = data_of(document)
    assert NASTY in found["details"]
    assert NASTY in found["pieces"]
    assert found["inputs"] == [NASTY]


def test_the_same_report_gives_the_same_page() -> None:
    assert run_page(every_verdict()) == run_page(every_verdict())


def test_the_policy_allows_only_our_script_and_style() -> None:
    text = run_page(every_verdict())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert rules["script-src"] == f"'{content_hash(script)}'"
    assert rules["style-src"] == f"'{content_hash(style)}'"


def test_nothing_is_fetched_and_no_text_becomes_markup() -> None:
    ours = {name: source(name) for name in (*SCRIPTS, "page.css", "page.html")}
    for name, text in ours.items():
        assert not re.search(r"https?:|url\(|@import|\bsrc=|fetch\(|XMLHttpRequest|WebSocket|import\(", text), name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            name
        )
        assert "</script" not in text or name == "page.html"


def test_the_cells_add_up_to_the_results() -> None:
    report = every_verdict()
    found = page_data(report)
    assert len(found["cells"]) == len(report.results)
    for row, result in zip(found["cells"], report.results, strict=True):
        area, model, impl, case, pattern, *_ = row
        assert found["areas"][area]["name"] == result.area
        assert found["rows"][model]["name"] == result.row
        assert found["implementations"][impl]["impl"] == result.impl
        assert found["cases"][case][0] == result.case
        shown = [
            (found["checks"][check]["name"], found["verdicts"][verdict], found["details"][detail])
            for check, verdict, detail, *_ in found["patterns"][pattern]["findings"]
        ]
        assert shown == [(one.check, one.verdict, one.detail) for one in result.findings]


def test_levels_count_as_in_the_matrix() -> None:
    found = page_data(every_verdict())
    mine = {
        found["cases"][cell[3]][0]: found["verdicts"][found["patterns"][cell[4]]["levels"]["IDS"]]
        for cell in found["cells"]
        if cell[2] == 0
    }
    assert mine["render/wish"] == "pass"
    assert [
        mine[f"render/{name}"] for name in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    ] == [verdict for verdict in Verdict if verdict is not Verdict.WARNING]


def test_equal_texts_are_stored_once() -> None:
    results = [cell(finding(Verdict.PASS), case=f"render/{number}") for number in range(500)]
    found = page_data(Report(header("mine"), results))
    assert len(found["patterns"]) == 1
    assert len(json.dumps(found["cells"])) < 500 * 30


def test_a_page_that_is_too_large_drops_tokens_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of every kind of failure keeps its tokens; cells without are marked -1, not silently empty."""
    monkeypatch.setattr(page_data_module, "MOST_EVIDENCE", 3 * page_data_module.size_of(NASTY_EVIDENCE))
    results = [
        cell(finding(Verdict.FAIL), case=f"render/{number}", impl=impl, exhibit=NASTY_EVIDENCE)
        for impl in ("mine", "other")
        for number in range(5)
    ]
    found = page_data(Report(header("mine", "other"), results))
    kept = [row[3:6:2] for row in found["cells"] if row[5] != -1]
    assert len(found["exhibit"]) == 3
    assert {row[2] for row in found["cells"] if row[5] != -1} == {0, 1}
    assert [row[5] for row in found["cells"]].count(-1) == 7
    assert kept


def test_long_details_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_data_module, "MOST_DETAILS", 5000)
    results = [cell(finding(Verdict.FAIL, f"{number} " * 3000), case=f"render/{number}") for number in range(1, 9)]
    first, second, *others = page_data(Report(header("mine"), results))["details"]
    for detail, kept in ((first, 4000), (second, 4000), *((detail, 80) for detail in others)):
        assert detail[kept:] == f" ... ({6000 - kept} more characters in the report)"


def test_the_worst_run_is_a_page_below_10_mb() -> None:
    """Fifteen thousand cells that all fail, each with tokens and a long message of its own."""
    many = [f"piece {number} " for number in range(300)]
    ids = list(range(100_000, 100_300))
    exhibit = Exhibit(
        input="x" * 3000,
        expected=Tokens(ids, many, [("content", 0, 300)], 0, 300),
        got=Tokens(ids[1:], many[1:], [("content", 0, 299)], 0, 299),
    )
    results = [
        cell(
            *(finding(Verdict.ERROR, f"{number} broke\n" + "trace " * 500, check=check) for check in CHECKS),
            case=f"render/{number % 300}",
            row=f"row-{number // 900}",
            impl=f"impl-{number // 300 % 3}",
            exhibit=exhibit,
        )
        for number in range(15_000)
    ]
    report = Report(header("impl-0", "impl-1", "impl-2"), results)
    assert len(run_page(report).encode()) < 10_000_000


def test_a_report_is_shown_without_the_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything the page says is in the report: rows, cases and checks this suite does not know are shown too."""
    report = every_verdict()
    monkeypatch.setattr("tokenspec.data.data_root", lambda: Path("/nowhere"))
    stranger = cell(finding(Verdict.PASS), row="unlisted", case="render/unlisted")
    text = run_page(Report(report.header, [*report.results, stranger]))
    assert "unlisted" in text
