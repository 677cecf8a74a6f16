"""The lists on the command line and in pytest: exit codes, matrix, report, what is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tokenspec.cli import group
from tokenspec.errors import UsageError
from tokenspec.report.jsonl import read_report

ADAPTER = """
from tokenspec_reference.adapter import ReferenceAdapter

class Broken(ReferenceAdapter):
    def info(self):
        return {"name": "broken", "version": "1.5"}

    def render(self, request):
        if request["messages"][-1]["role"] == "user":
            return {**super().render(request), "token_ids": [1]}
        return super().render(request)

class Mended(ReferenceAdapter):
    def info(self):
        return {"name": "broken", "version": "2.0"}
"""
ONLY_BRIDGES = """
class Mine:
    def info(self):
        return {"name": "mine", "version": "1"}

    def bridge(self, request):
        return {"unsupported": {"reason": "later"}}
"""
CHOSEN = ["--row", "toy-bpe", "--case", "render/role-user", "--case", "render/call-parallel"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "adapter_of_mine.py").write_text(ADAPTER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def run(*options: str, impl: str = "adapter_of_mine:Broken") -> Result:
    return CliRunner().invoke(group, ["run", "--impl", impl, *CHOSEN, *options])


def test_from_a_failing_run_to_a_green_one_to_a_stale_list(here: Path) -> None:
    assert run().exit_code == 1
    refused = run("--write-known-failures", "known.toml")
    assert "Nothing was written" in str(refused.exception)
    assert not (here / "known.toml").exists()
    written = run("--write-known-failures", "known.toml", "--reason", "ids are stubbed", "--issue", "#3")
    assert written.exit_code == 0, written.output
    assert "wrote known.toml: 0 entries kept," in written.output
    text = (here / "known.toml").read_text()
    assert 'implementation = "broken"' in text
    assert 'requirement = "RND-010"' in text
    listed = run("--known-failures", "known.toml", "--report", "run.jsonl")
    assert listed.exit_code == 0, listed.output
    assert "x1" in listed.output
    assert "conformant but for" in listed.output
    assert re.search(r"^broken: \d+ verdicts fail as known\.toml lists", listed.output, re.MULTILINE)
    lines = [json.loads(line) for line in (here / "run.jsonl").read_text().splitlines()]
    assert lines[0]["header"]["known_failures"][0]["complaints"] == []
    assert "xfail" in {finding["verdict"] for line in lines[1:-1] for finding in line["findings"]}
    again = run("--write-known-failures", "known.toml")
    assert (again.exit_code, (here / "known.toml").read_text()) == (0, text)
    mended = run("--known-failures", "known.toml", impl="adapter_of_mine:Mended")
    assert mended.exit_code == 1
    assert "XPASS" in mended.output
    assert "known.toml:6: render/role-user on toy-bpe" in mended.output
    assert "Remove the entry" in mended.output
    emptied = run("--write-known-failures", "known.toml", impl="adapter_of_mine:Mended")
    assert emptied.exit_code == 0
    assert "[[failure]]" not in (here / "known.toml").read_text()


def test_an_entry_that_can_never_run_fails_a_run_in_which_all_passes(here: Path) -> None:
    (here / "known.toml").write_text(
        'implementation = "broken"\n[[failure]]\ncase = "render/gone"\nrow = "*"\ncheck = "*"\n'
        'class = "fail"\nreason = "withdrawn"\nissue = "#1"\n'
    )
    done = run("--known-failures", "known.toml", impl="adapter_of_mine:Mended")
    assert done.exit_code == 1
    assert "known.toml:2: render/gone on *, * matches no cell of the suite" in done.output
    beside = run("--known-failures", "known.toml", "--impl", "reference", "--gate", "reference")
    assert beside.exit_code == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--known-failures", "none.toml"], "no such file"),
        (["--reason", "x"], "--write-known-failures"),
        (["--known-failures", "a.toml", "--write-known-failures", "b.toml"], "leave --known-failures away"),
        (
            ["--write-known-failures", "b.toml", "--impl", "reference", "--reason", "x", "--issue", "#1"],
            "--gate IMPL",
        ),
        (["--write-known-failures", "b.toml"], "--reason TEXT --issue URL"),
        (["--write-known-failures", "b.toml", "--reason", "x"], "--reason TEXT --issue URL"),
        (["--write-known-failures", "b.toml", "--reason", "x", "--issue", "soon"], "owner/repo#7 or #7"),
        (["--write-known-failures", "."], "is a directory"),
        (["--report", "adapter_of_mine.py/run.jsonl"], "cannot write adapter_of_mine.py/run.jsonl"),
        (["--html", "."], "it is a folder; name a file in it"),
    ],
)
def test_wrong_options_are_refused_before_work_begins(
    here: Path, options: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del here

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("judged before the options were looked at")

    monkeypatch.setattr("tokenspec.cli.run.judge", begun)
    done = run(*options)
    assert isinstance(done.exception, (UsageError, SystemExit))
    assert says in f"{done.exception} {done.output}"


def test_what_a_list_refuses_after_a_run_leaves_its_report(here: Path) -> None:
    (here / "known.toml").write_text('implementation = "broken"\n')
    refused = run("--write-known-failures", "known.toml", "--report", "run.jsonl")
    assert "say why and where they are tracked" in str(refused.exception)
    assert read_report(here / "run.jsonl").results


def test_areas_that_only_the_reference_answers_are_not_run(here: Path) -> None:
    (here / "only_bridges.py").write_text(ONLY_BRIDGES)
    words = ["run", "--impl", "only_bridges:Mine", "--impl", "reference", "--row", "toy-bpe", "--report", "run.jsonl"]
    CliRunner().invoke(group, [*words, "--jobs", "1"])
    assert {result.area for result in read_report(here / "run.jsonl").results} == {"bridge"}


@pytest.mark.parametrize("workers", [[], pytest.param(["-n", "1"], marks=pytest.mark.tools)], ids=["alone", "xdist"])
def test_the_pytest_face_is_as_strict(here: Path, workers: list[str]) -> None:
    if workers:
        pytest.importorskip("xdist")
    run("--write-known-failures", "known.toml", "--reason", "ids are stubbed", "--issue", "#3")

    def suite(impl: str) -> subprocess.CompletedProcess[str]:
        chosen = [f"--tokenspec-{option[2:]}" if option.startswith("--") else option for option in CHOSEN]
        pytest_ = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "tokenspec.suite"]
        return subprocess.run(
            [*pytest_, "--tokenspec-impl", impl, *chosen, "--tokenspec-known-failures", "known.toml", *workers],
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, (str(here), os.environ.get("PYTHONPATH", "")))),
            },
        )

    listed = suite("adapter_of_mine:Broken")
    assert listed.returncode == 0, listed.stdout
    assert "verdicts fail as known.toml lists" in listed.stdout
    assert ": 0 verdicts" not in listed.stdout
    stale = (here / "known.toml").read_text().replace("render/role-user", "render/gone")
    (here / "known.toml").write_text(stale)
    gone = suite("adapter_of_mine:Mended")
    assert gone.returncode == 1
    assert "matches no cell of the suite" in gone.stdout
    assert "failed" not in gone.stdout.splitlines()[-1]
    (here / "known.toml").write_text("implementation = 3")
    assert "say whose failures these are" in suite("adapter_of_mine:Mended").stderr
