"""The command line: exit codes, messages that say what to do next, tables that fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def tokenspec(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "tokenspec", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", **environment},
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--help"], 0, "Exit codes"),
        (["rnu"], 2, "Did you mean run"),
        (["run"], 2, "Try: tokenspec run --impl reference"),
        (["run", "--impl", "nobody"], 2, "Known:"),
        (["run", "--impl", "json:nothing"], 3, "Check the module path"),
        (["run", "--impl", "reference", "--impl", "reference"], 2, "given twice"),
        (["run", "--impl", "reference", "--gate", "other"], 2, "not among the --impl columns"),
        (["run", "--impl", "reference", "--row", "qwen-9"], 2, "no row 'qwen-9'"),
        (["run", "--impl", "reference", "--area", "poetry"], 2, "no area 'poetry'"),
        (["run", "--impl", "reference", "--case", "render/none"], 2, "tokenspec list cases"),
        (["run", "--impl", "cmd:/no/such/program"], 3, "Check the program's path"),
        (["explain", "RND-999"], 2, "tokenspec list"),
        (["bless", "--overwrite"], 2, "--erratum"),
        (["report", "md", "/no/such/file"], 2, "tokenspec run --impl NAME --report"),
        (["spec", "ack"], 2, "tokenspec spec check"),
        (["bench", "nothing"], 2, "Known:"),
    ],
)
def test_exit_codes_and_next_steps(arguments: list[str], code: int, says: str) -> None:
    done = tokenspec(*arguments)
    assert done.returncode == code, done.stderr
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_smoke_passes_for_the_reference_and_fits_100_columns() -> None:
    done = tokenspec("smoke", "--impl", "reference")
    assert done.returncode == 0, done.stdout
    assert "Next: tokenspec run --impl reference" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "\x1b" not in done.stdout


def test_a_run_can_be_saved_shown_and_compared(tmp_path: Path) -> None:
    saved = tmp_path / "run.jsonl"
    chosen = ["--impl", "reference", "--row", "toy-bpe", "--case", "render/role-user"]
    assert tokenspec("run", *chosen, "--report", str(saved)).returncode == 0
    shown = tokenspec("report", "md", str(saved))
    assert "| toy-bpe |" in shown.stdout
    badge = json.loads(tokenspec("report", "badge", str(saved), "--impl", "reference").stdout)
    assert badge["color"] == "brightgreen"
    assert tokenspec("report", "compare", str(saved), str(saved)).returncode == 0
    saved.write_text("\n".join(saved.read_text().splitlines()[:-1]))
    cut = tokenspec("report", "md", str(saved))
    assert cut.returncode == 2
    assert "Run again with --report" in cut.stderr


@pytest.mark.parametrize("name", ["RND-022", "render.text", "render/role-user", "toy-bpe"])
def test_explain_knows_every_kind_of_name(name: str) -> None:
    done = tokenspec("explain", name)
    assert done.returncode == 0
    assert name in done.stdout


@pytest.mark.parametrize("what", ["areas", "rows", "cases", "checks", "requirements", "impls"])
def test_lists_are_not_empty(what: str) -> None:
    done = tokenspec("list", what)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 4


def test_diff_marks_the_first_differing_token() -> None:
    done = tokenspec("diff", "render/role-user", "--row", "toy-bpe", "--impl", "reference")
    assert done.returncode == 0
    assert "oracle" in done.stdout
    assert "≠" not in done.stdout
