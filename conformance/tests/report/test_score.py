"""The scoreboard: runs kept as small files, and the page made of them, in a browser."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tokenspec.data import checkout_root
from tokenspec.errors import FixtureError, UsageError
from tokenspec.report.combine import combine
from tokenspec.report.compare import compare
from tokenspec.report.jsonl import Report, read_report, save_report
from tokenspec.report.junit import junit
from tokenspec.report.markdown import badge, markdown
from tokenspec.report.page_data import page_data
from tokenspec.report.score import Score, read_scores, save_score, score, total
from tokenspec.verdict import Verdict

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
from sample_runs import NASTY, cell, finding, header
from site_pages import column_pages, row_pages, score_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = checkout_root() or Path()


def run_of(name: str, verdict: Verdict, said: str = "") -> Report:
    return Report(header(name), [cell(finding(verdict, said), impl=name)])


def test_a_score_holds_what_was_judged_and_comes_back(tmp_path: Path) -> None:
    found = score([run_of("a", Verdict.FAIL, "no\n at 1"), run_of("b", Verdict.UNSUPPORTED)], "2026-11-23")
    assert list(found.columns) == ["a"]
    assert found.columns["a"].passed == {"render": {"alpha": {"IDS": (0, 1)}}}
    assert [one.said for one in found.columns["a"].causes] == ["RND-010 no"]
    assert total(found.columns["a"], "render", "IDS") == (0, 1)
    save_score(tmp_path / "2026-11-23.json", found)
    assert read_scores(tmp_path) == [found]
    (tmp_path / "2026-11-23.json").rename(tmp_path / "2026-11-30.json")
    with pytest.raises(FixtureError, match=r"name it 2026-11-23\.json"):
        read_scores(tmp_path)


def test_what_cannot_be_laid_together_is_refused() -> None:
    one = run_of("a", Verdict.PASS)
    with pytest.raises(UsageError, match="comes twice"):
        score([one, one], "2026-11-23")
    other = Report({**header("b"), "oracle": "4.57.6"}, one.results)
    with pytest.raises(UsageError, match="different fixtures or oracles"):
        score([one, other], "2026-11-23")


def test_the_kept_scores_are_on_the_pages_of_columns_and_rows() -> None:
    latest = read_scores(ROOT / "conformance/scoreboard")[-1]
    page = score_pages.pages()["scoreboard.md"]
    columns, rows = column_pages.pages(), row_pages.pages()
    for name, column in latest.columns.items():
        assert f"{name}]" in page
        if f"columns/{name}.md" in columns:
            assert "\n## Results\n" in columns[f"columns/{name}.md"]
        for row in {row for found in column.passed.values() for row in found if f"rows/{row}.md" in rows}:
            assert f"](../columns/{name}.md) | {column.version}" in rows[f"rows/{row}.md"]


def test_figures_of_a_sample_say_so_and_stand_beside_no_others(tmp_path: Path) -> None:
    said = "a sample: 1 of 1,700 cells, at most 24 of an area on a row"
    one = run_of("a", Verdict.PASS)
    part = Report({**one.header, "sample": {"each": 24, "cells": 1, "of": 1700}}, one.results)
    save_report(tmp_path / "run.jsonl", part.header, part.results)
    part = read_report(tmp_path / "run.jsonl")
    assert f"* asked was {said}\n" in markdown(part)
    assert page_data(part)["sample"] == said
    assert f'value="{said}"' in junit(part)
    assert badge(part, "a")["message"] == "1/1 of a sample"
    kept = score([part], "2026-11-24")
    assert kept.sample is not None
    assert kept.sample.said == said
    assert score([one], "2026-11-24").sample is None
    other = run_of("b", Verdict.PASS)
    with pytest.raises(UsageError, match=r"asked --sample 24 and everything\. Run them again"):
        score([part, other], "2026-11-24")
    with pytest.raises(UsageError, match="asked everything and --sample 24"):
        compare(one, part)
    with pytest.raises(UsageError, match="b and a were asked"):
        combine([("b", other), ("a", part)])


def test_the_history_has_the_runs_that_were_asked_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one = run_of("a", Verdict.PASS)
    samples = [None if each is None else {"each": each, "cells": 1, "of": 9} for each in (24, None, 24, 8)]
    asked = [Report({**one.header, "sample": sample}, one.results) for sample in samples]
    runs = [score([part], f"2026-11-0{number}") for number, part in enumerate(asked, 1)]
    monkeypatch.setattr(score_pages, "specs", lambda: {"alpha": None})
    for count, days in ((1, "1"), (2, "2"), (3, "13"), (4, "4")):
        monkeypatch.setattr(score_pages, "scores", lambda shown=runs[:count]: shown)
        assert [day[-1] for day, *_ in score_pages.view()["history"]["a"]["render"]["IDS"]] == list(days)


@pytest.fixture
def two_runs(monkeypatch: pytest.MonkeyPatch) -> list[Score]:
    runs = [
        score([run_of("a", Verdict.PASS), run_of("xgrammar", Verdict.FAIL, NASTY)], "2026-11-16"),
        score([run_of("a", Verdict.FAIL), run_of("xgrammar", Verdict.FAIL, NASTY)], "2026-11-23"),
    ]
    monkeypatch.setattr(score_pages, "scores", lambda: runs)
    monkeypatch.setattr(score_pages, "specs", lambda: {"alpha": None})
    return runs


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_filters_and_keeps_its_filters_in_the_address(
    browser: Browser, two_runs: list[Score], tmp_path: Path, width: int, scheme: str
) -> None:
    (tmp_path / "_static").mkdir()
    script = (ROOT / "conformance/docs/static/scoreboard.js").read_text(encoding="utf-8")
    (tmp_path / "_static/scoreboard.js").write_text(script, encoding="utf-8")
    data = json.dumps(score_pages.view()).replace("</", "<\\/")
    path = tmp_path / "scoreboard.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{score_pages.BOARD.format(data)}", encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(10_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{path.as_uri()}#area=render&level=IDS&library=xgr")
    board = page.locator(".score-table").first
    assert board.locator("thead th").all_inner_texts() == ["model", "xgrammar1.2"]
    page.get_by_label("library").fill("")
    assert "library" not in page.url
    assert page.locator(".score-table").nth(1).inner_text().count("2026-11-") == 2
    assert board.get_by_text("0/1").count() == 2
    page.get_by_label("model").fill("nowhere")
    assert page.get_by_text("Nothing was judged here.").is_visible()
    assert "model=nowhere" in page.url
    assert not page.evaluate("window.ran")
    assert not errors
    page.close()
