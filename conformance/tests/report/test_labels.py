"""Columns are called what they call themselves, wherever people read; commands name them as they were given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tokenspec.cli import group
from tokenspec.errors import UnknownName
from tokenspec.report.compare import compare, what_changed
from tokenspec.report.jsonl import Report, read_report, save_report
from tokenspec.report.labels import impl_called, labels
from tokenspec.report.markdown import markdown
from tokenspec.report.page import run_page
from tokenspec.verdict import Finding, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import cell, finding, header

GIVEN = "wrong:Wrong"


@pytest.mark.parametrize(
    ("given", "called"),
    [
        ({"wrong:Wrong": "wrong"}, ["wrong"]),
        ({"cmd:node a.mjs --x": "mylib"}, ["mylib"]),
        ({"reference": "tokenspec-reference"}, ["reference"]),
        ({"a:B": "same", "c:D": "same"}, ["a:B", "c:D"]),
        ({"a:B": "same", "c:D": "same", "e:F": "other"}, ["a:B", "c:D", "other"]),
        ({"a:B": "reference", "reference": "reference"}, ["a:B", "reference"]),
        ({"a:B": ""}, ["a:B"]),
    ],
)
def test_a_label_is_what_a_column_says_it_is_where_no_other_says_so(given: dict[str, str], called: list[str]) -> None:
    found = labels({impl: {"name": name, "version": "1"} for impl, name in given.items()})
    assert found == dict(zip(given, called, strict=True))


def test_a_column_without_a_name_is_called_as_it_was_given() -> None:
    assert labels({"a:B": {}}) == {"a:B": "a:B"}


def report_of(*findings: Finding) -> Report:
    """A column that was given by its path and calls itself otherwise."""
    head = header(GIVEN)
    head["implementations"][GIVEN]["name"] = "said"
    return Report(head, [cell(*findings, impl=GIVEN)])


def without_commands(text: str) -> str:
    """What is left of a text when the options that name a column are taken away."""
    return text.replace(f"--impl {GIVEN}", "--impl ...")


SLOW = Finding(
    check="render.ids", level="IDS", requires=["RND-010"], verdict=Verdict.ERROR, detail="slow: none", slow=10.0
)


@pytest.mark.parametrize("found", [finding(Verdict.FAIL), finding(Verdict.UNSUPPORTED), finding(Verdict.PASS), SLOW])
def test_markdown_calls_a_column_by_its_label(found: Finding) -> None:
    text = markdown(report_of(found))
    assert "* **said** 1.2: " in text
    assert GIVEN not in without_commands(text)


def test_a_column_that_answered_nothing_of_an_area_is_called_by_its_label() -> None:
    silent, answers = report_of(finding(Verdict.UNSUPPORTED)), cell(finding(Verdict.PASS), impl="other:Other")
    head = {**silent.header, "areas": {"render": {"title": "Renderers", "levels": ["IDS"]}}}
    head["implementations"]["other:Other"] = {"name": "another", "version": "1"}
    text = markdown(Report(head, [*silent.results, answers]))
    assert "| row | another |" in text
    assert "nothing judged here: said\n" in text


def test_the_command_that_repeats_a_cell_names_the_column_as_it_was_given() -> None:
    assert f"`tokenspec run --impl {GIVEN} --case render/one --row alpha`" in markdown(report_of(finding(Verdict.FAIL)))


def test_lists_of_causes_and_of_changes_call_a_column_by_its_label(tmp_path: Path) -> None:
    for name, verdict in (("old", Verdict.PASS), ("new", Verdict.FAIL)):
        made = report_of(finding(verdict))
        save_report(tmp_path / name, made.header, made.results)
    for words in (["issue", "new"], ["compare", "old", "new"], ["compare", "old", "new", "--md"]):
        files = [str(tmp_path / word) if word in {"old", "new"} else word for word in words]
        printed = CliRunner().invoke(group, ["report", *files]).stdout
        assert "said" in printed
        assert GIVEN not in printed


def test_the_title_of_a_page_has_labels() -> None:
    assert "<title>tokenspec: said</title>" in run_page(report_of(finding(Verdict.PASS)))


def test_a_column_is_found_by_what_was_given_and_by_its_label() -> None:
    infos = {"cmd:node a.mjs": {"name": "mylib"}, "reference": {"name": "tokenspec-reference"}}
    assert impl_called("cmd:node a.mjs", infos) == impl_called("mylib", infos) == "cmd:node a.mjs"
    assert impl_called("reference", infos) == "reference"
    with pytest.raises(UnknownName, match="Did you mean mylib"):
        impl_called("mylip", infos)
    twice = {"cmd:a": {"name": "mylib"}, "cmd:b": {"name": "mylib"}}
    with pytest.raises(UnknownName, match="no column 'mylib'"):
        impl_called("mylib", twice)


def saved(path: Path, impl: str, verdict: Verdict) -> Path:
    results = [cell(finding(verdict), impl=impl)]
    head = header(impl)
    head["implementations"][impl]["name"] = "mylib"
    save_report(path, head, results)
    return path


def test_reports_take_a_label_where_they_take_a_column(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jsonl", "cmd:./a", Verdict.PASS)
    for words in (["badge", str(path)], ["ci", str(path), "--out", str(tmp_path / "out")]):
        for name in ("mylib", "cmd:./a"):
            done = CliRunner().invoke(group, ["report", *words, "--impl", name])
            assert done.exception is None or isinstance(done.exception, SystemExit), done.exception


def test_runs_of_one_program_by_two_paths_are_compared(tmp_path: Path) -> None:
    old = read_report(saved(tmp_path / "old.jsonl", "cmd:./a", Verdict.PASS))
    new = read_report(saved(tmp_path / "new.jsonl", "cmd:/elsewhere/a", Verdict.FAIL))
    [change] = compare(old, new)
    assert (change.impl, change.before, change.after) == ("cmd:/elsewhere/a", "pass", "fail")
    assert "* mylib: " in what_changed(old, new, 5)
