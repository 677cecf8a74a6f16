"""Slowness is no verdict: it has a reason of its own, is said at the end, and breaks no requirement."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tokenspec.adapters import Ok, patience
from tokenspec.adapters.capability import Profile
from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.patience import Patience
from tokenspec.areas.check import Check, Subject
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.cli import group
from tokenspec.errors import WorkersLost
from tokenspec.known_failures.writing import failures_in
from tokenspec.parallel import workers
from tokenspec.report.compare import SLOW, compare
from tokenspec.report.junit import junit
from tokenspec.report.markdown import markdown
from tokenspec.report.page_data import page_data
from tokenspec.report.slow import too_slow, trouble
from tokenspec.runner import Run, judge, run_all
from tokenspec.verdict import CellResult, Finding, Verdict, exit_code

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "report"))
import miniatures
import sample_runs

SAID = "2 cells were too slow for the limit of 10 s a call and not judged; allow more: tokenspec run --timeout 40"


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(patience.time, "monotonic", lambda: self.now)


@pytest.mark.parametrize(
    ("used", "left", "slow"),
    [
        (10.0, 0.0, True),
        (19.0, 0.0, True),
        (4.0, 6.0, True),
        (0.3, 9.7, True),
        (0.1, 0.0, False),
        (0.0, 0.0, False),
        (None, 0.0, True),
    ],
    ids=["computed", "two threads", "starved", "starved to the bone", "waited", "slept", "unknown"],
)
def test_a_limit_is_processor_time_for_what_computes(
    monkeypatch: pytest.MonkeyPatch, used: float | None, left: float, slow: bool
) -> None:
    clock = Clock(monkeypatch)
    limit = Patience(10.0, lambda: used)
    clock.now += 4.0
    assert limit.left() == 6.0
    clock.now += 6.0
    assert limit.left() == pytest.approx(left)
    assert limit.slow is slow
    assert limit.verdict().startswith("slow: no answer within 10 s" if slow else "timed out after 10 s")


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    begun = clock.now
    limit = Patience(10.0, lambda: 0.1 * (clock.now - begun))
    for _ in range(1000):
        clock.now += limit.left()
    assert limit.left() == 0.0
    assert clock.now - begun <= 10.0 / patience.WAITS


class Computes(miniatures.Raises):
    """Never answers, and computes all the time."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        while True:
            pass


CELLS = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=("role-user", "call-parallel")))


def test_computing_too_long_is_slow_and_waiting_is_not() -> None:
    computes = run_all(Run([InProcess("mini", Computes())], CELLS, 0.2))
    assert [result.slow for result in computes] == [0.2] * len(CELLS)
    assert {finding.verdict for result in computes for finding in result.findings} == {Verdict.ERROR}
    assert exit_code(computes, frozenset({"mini"})) == 3
    assert trouble(computes) == "too slow to judge"
    waits = run_all(Run([InProcess("mini", miniatures.Hangs())], CELLS, 0.2))
    assert [result.slow for result in waits] == [0.0] * len(CELLS)
    assert trouble(waits) == "adapter errors"


def test_a_call_of_a_check_that_is_slow_breaks_nothing() -> None:
    run = Run([InProcess("mini", Computes())], CELLS, 1.0)
    cell = CELLS[0]
    subject = Subject(
        cell=cell,
        request=cell.request(),
        output={},
        outcome=Ok({}),
        expect={},
        mutated=False,
        profile=Profile(),
        rows={},
        call=lambda request: run.call_again(run.columns[0], cell, request),
    )
    asks = Check("render.asks", "render", "IDS", ("RND-010",), lambda one: one.call(one.request))
    found = judge(asks, subject, frozenset({"IDS"}))
    assert found is not None
    assert (found.verdict, found.slow, found.non_conformant) == (Verdict.ERROR, 1.0, False)


def slow_run() -> sample_runs.Report:
    slow = Finding(
        check="render.ids", level="IDS", requires=["RND-010"], verdict=Verdict.ERROR, detail="slow: none", slow=10.0
    )
    cells = [sample_runs.cell(slow, case=f"render/{name}") for name in ("one", "two")]
    return sample_runs.Report(sample_runs.header("mine"), cells)


def test_every_view_says_it_at_the_end() -> None:
    report = slow_run()
    assert too_slow(report.results) == {"mine": SAID}
    assert "## Too slow to judge" in markdown(report)
    assert "**too slow to judge**" in markdown(report)
    assert f'<property name="tokenspec.slow" value="mine: {SAID}" />' in junit(report)
    assert '<error message="slow: none" type="slow">' in junit(report)
    assert page_data(report)["implementations"][0]["said"] == f"too slow to judge; {SAID}"


def test_a_comparison_calls_it_silence() -> None:
    report = slow_run()
    passed = [sample_runs.cell(sample_runs.finding(Verdict.PASS), case=result.case) for result in report.results]
    changes = compare(sample_runs.Report(report.header, passed), report)
    assert {change.after for change in changes} == {SLOW}


def test_it_is_never_written_as_a_known_failure() -> None:
    assert [failures_in(result) for result in slow_run().results] == [[], []]


def test_a_fast_run_says_nothing() -> None:
    fast: list[CellResult] = sample_runs.every_verdict().results
    assert too_slow(fast) == {}


ADAPTER = """
class Computes:
    def info(self): return {"name": "computes", "version": "1"}
    def render(self, request):
        while True: pass
"""
CHOSEN = ("role-user", "toy-bpe")


def test_both_faces_say_how_many_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "computes.py").write_text(ADAPTER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    options = ["--impl", "computes:Computes", "--area", "render", "--case", CHOSEN[0], "--row", CHOSEN[1]]
    done = CliRunner().invoke(group, ["run", *options, "--timeout", "0.2"])
    assert done.exit_code == 3
    assert "too slow to judge" in done.output
    last = done.output.splitlines()[-1]
    assert last.startswith("computes: ")
    assert last.endswith(
        "too slow for the limit of 0.2 s a call and not judged; allow more: tokenspec run --timeout 0.8"
    )
    chosen = ["--tokenspec-area", "render", "--tokenspec-case", CHOSEN[0], "--tokenspec-row", CHOSEN[1]]
    words = ["-p", "no:cacheprovider", "--pyargs", "tokenspec.suite", "--tokenspec-impl", "computes:Computes", *chosen]
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    pytested = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--tokenspec-timeout", "0.2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert pytested.returncode == 1
    assert "allow more: --tokenspec-timeout 0.8" in pytested.stdout


def test_a_worker_that_is_gone_is_no_riddle() -> None:
    with (
        pytest.raises(WorkersLost, match=r"memory runs out.*--jobs 1 \(now 2\)"),
        workers(2) as pool,
    ):
        pool.submit(os._exit, 9).result()
