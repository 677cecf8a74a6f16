"""A saved run: what is written is read back, and what is cut, changed or foreign is refused by name."""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokenspec.errors import UsageError
from tokenspec.report.jsonl import Report, read_report, save_report
from tokenspec.verdict import CellResult, Exhibit, Finding, Tokens, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import cell, every_verdict, finding, header

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["\u2028", "\u2029", "\x85", "\x0b\x0c\x1c", "\r\n", "</script>", '"', "\\u2028"]
)
words = st.text(string.ascii_lowercase, min_size=1, max_size=5)
token_runs = st.builds(
    Tokens,
    st.lists(st.integers(0, 2**53), max_size=4),
    st.lists(texts, max_size=4),
    st.lists(st.tuples(words, st.none() | st.integers(0, 9), st.integers(1, 9)), max_size=3),
    st.integers(0, 99),
    st.integers(0, 999),
)
exhibits = st.none() | st.builds(
    Exhibit, input=texts, expected=st.none() | token_runs, got=st.none() | token_runs, got_lines=st.lists(texts)
)
findings = st.builds(
    Finding,
    check=words,
    level=words,
    requires=st.lists(words, min_size=1, max_size=2),
    verdict=st.sampled_from(Verdict),
    severity=st.sampled_from(["MUST", "SHOULD", "MAY"]),
    detail=texts,
)
results = st.builds(
    CellResult,
    impl=words,
    area=words,
    row=texts,
    case=words,
    seconds=st.floats(0, 1e3),
    findings=st.lists(findings, max_size=3),
    exhibit=exhibits,
)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(
    saved=st.lists(results, max_size=5),
    names=st.lists(texts, max_size=3, unique=True),
    file=st.sampled_from(["run.jsonl", "run.jsonl.gz"]),
)
def test_what_is_written_is_read_back(tmp_path: Path, saved: list[CellResult], names: list[str], file: str) -> None:
    path = tmp_path / file
    head = header(*names, *(result.impl for result in saved))
    head["areas"] = {result.area: {"title": result.area, "levels": []} for result in saved}
    save_report(path, head, saved)
    assert read_report(path) == Report(json.loads(json.dumps(head)), saved)


def test_a_compressed_report_is_small_and_one_that_is_cut_is_refused(tmp_path: Path) -> None:
    plain, small = tmp_path / "run.jsonl", tmp_path / "run.jsonl.gz"
    saved = [cell(finding("render.text"), case=f"render/case-{number}") for number in range(500)]
    for path in (plain, small):
        save_report(path, header("mini"), saved)
    assert 10 * small.stat().st_size < plain.stat().st_size
    for damaged in (small.read_bytes()[:-9], small.read_bytes()[:40] + bytes(40) + small.read_bytes()[80:]):
        small.write_bytes(damaged)
        with pytest.raises(UsageError, match="compressed, and damaged or cut"):
            read_report(small)


@quick
@given(data=st.data())
def test_a_report_that_lacks_anything_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "run.jsonl"
    whole = every_verdict()
    save_report(path, whole.header, whole.results)
    raw = path.read_bytes()
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw) - 2))])
    with pytest.raises(UsageError, match="Run again with --report"):
        read_report(path)


@quick
@given(data=st.data())
def test_a_report_without_one_of_its_lines_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "run.jsonl"
    whole = every_verdict()
    save_report(path, whole.header, whole.results)
    lines = path.read_bytes().split(b"\n")[:-1]
    del lines[data.draw(st.integers(0, len(lines) - 1))]
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(UsageError, match="Run again with --report"):
        read_report(path)


def test_a_changed_verdict_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    whole = every_verdict()
    save_report(path, whole.header, whole.results)
    path.write_text(path.read_text().replace('"verdict":"fail"', '"verdict":"pass"', 1))
    with pytest.raises(UsageError, match="changed after the run"):
        read_report(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no header"),
        ("{}", "no header"),
        ("[1]\n[2]\n", "no header"),
        ('{"header": 5}\n', "no header"),
        ('{"header": {"format": 1}}\n{"footer": {"cells": 0}}\n', "report format 1, this suite reads 3"),
        ('{"header": {"format": 3}}\n', "no footer"),
        ('{"header": {"format": 3}}\n{"impl": 1}\n{"footer": {"cells": 1}}\n', "line 2 is not a cell"),
        ('{"header": {"format": 3}}\n\xff\n{"footer": {"cells": 1}}\n', "line 2 is not a cell"),
        ('{"header": {"format": 3}}\n{"footer": {"cells": 3}}\n', "holds 0 cells of 3"),
    ],
)
def test_foreign_files_are_refused_with_what_to_do(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=says):
        read_report(path)


ALLOWED = (("require_judged", 5), ("sizes", {"x": 5}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (key, value)
        for key in header("mine")
        for value in (None, 5, [5], {"x": 5})
        if key != "format" and (key, value) not in ALLOWED
    ],
)
def test_a_header_without_its_words_is_refused(tmp_path: Path, key: str, value: object) -> None:
    head = header("mine")
    if value is None:
        del head[key]
    else:
        head[key] = value
    save_report(tmp_path / "run.jsonl", head, [])
    with pytest.raises(UsageError, match=rf"header: .*{key}"):
        read_report(tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("impl", "area", "says"), [("other", "render", "column 'other'"), ("mine", "verse", "area 'verse'")]
)
def test_results_of_nobody_are_refused(tmp_path: Path, impl: str, area: str, says: str) -> None:
    stray = CellResult(impl=impl, area=area, row="alpha", case=f"{area}/x", seconds=0.0, findings=[])
    save_report(tmp_path / "run.jsonl", header("mine"), [stray])
    with pytest.raises(UsageError, match=says):
        read_report(tmp_path / "run.jsonl")


def test_an_interrupted_run_leaves_the_old_report(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("the old one")

    def interrupted() -> Iterator[CellResult]:
        yield every_verdict().results[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_report(path, header("mine"), interrupted())
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_results_are_written_as_they_come(tmp_path: Path) -> None:
    """Memory stays bounded: what was written lies in the file before the next result is asked for."""
    large = finding(Verdict.FAIL, "x" * 100_000)

    def stream() -> Iterator[CellResult]:
        for number in range(5):
            (growing,) = tmp_path.iterdir()
            assert growing.stat().st_size >= 100_000 * (number - 1)
            yield cell(large)

    save_report(tmp_path / "run.jsonl", header("mine"), stream())
    assert len(read_report(tmp_path / "run.jsonl").results) == 5
