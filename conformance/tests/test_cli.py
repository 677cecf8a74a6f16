"""The command line: exit codes, messages that say what to do next, tables that fit."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from tokenspec.cli import group, reported
from tokenspec.cli.look import listing
from tokenspec.data import fixtures_dir


def tokenspec(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "tokenspec", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", **environment},
    )


ONE_CELL = ("--row", "toy-bpe", "--case", "render/role-user")
TIMED = (["run", "--impl", "reference", *ONE_CELL], ["smoke"], ["columns", "latest"], ["render"], ["try"])
SELECTING = (
    ["run", "--impl", "reference"],
    *([] if fixtures_dir().parent.name == "_data" else [["bless"]]),  # an installed wheel refuses it first
    ["fixtures", "verify"],
    ["fixtures", "list"],
)
UNMATCHED = (
    ["--row", "toy-nfd", "--area", "render"],
    ["--row", "toy-nfd", "--area", "render", "--row", "toy-bpe"],
    ["--area", "aligners", "--area", "render", "--row", "toy-bpe"],
    ["--case", "render/role-user", "--row", "toy-nfd"],
    ["--case", "parse/xml-", "--case", "render/role-user", "--area", "parse", "--area", "render", "--row", "toy-nfd"],
    ["--row", "toy-bpe", "--area", "render", "--status", "real"],
)
WRONG: list[tuple[int, str, list[str]]] = [
    (2, "Did you mean run", ["rnu"]),
    (2, "Try: tokenspec run --impl reference", ["run"]),
    (2, "Known:", ["run", "--impl", "nobody"]),
    (3, "Check the module path", ["run", "--impl", "json:nothing"]),
    (3, "Check the program's path", ["run", "--impl", "cmd:/no/such/program"]),
    (3, "Give one: cmd:PROGRAM ARGS", ["run", "--impl", "cmd:"]),
    (2, "given twice", ["run", "--impl", "reference", "--impl", "reference"]),
    (2, "nosuchcase", ["run", "--impl", "reference", *ONE_CELL, "--case", "nosuchcase"]),
    (2, "nosuch-", ["run", "--impl", "reference", *ONE_CELL, "--case", "render/nosuch-"]),
    *((2, f"{words[0]} {words[1]} matches no cell", [*verb, *words]) for verb in SELECTING for words in UNMATCHED),
    (2, "Give: --impl 'cmd:PROGRAM'", ["run", "--impl", "reference", "--area", "protocol"]),
    *((2, "is no time limit", [*verb, "--timeout", limit]) for verb in TIMED for limit in ("0", "-1", "nan", "inf")),
    (2, "is no share", ["run", "--impl", "reference", "--require-judged", "nan"]),
    (2, "is no share", ["report", "ci", "a", "--impl", "b", "--out", "c", "--fail-under", "nan"]),
    (2, "is no share", ["mutants", "--at-least", "nan"]),
    (2, "is no time limit", ["mutants", "--search", "inf"]),
    (2, "is no time limit", ["report", "issue", "a", "--seconds", "-1"]),
    *((2, "-3 is not in the range", [verb, "--jobs", "-3"]) for verb in ("run", "mutants")),
    (2, "0 is not in the range", ["mutants", "--sample", "0"]),
    (2, "not among the --impl columns", ["run", "--impl", "reference", "--gate", "other"]),
    (2, "no row 'qwen-9'", ["run", "--impl", "reference", "--row", "qwen-9"]),
    (2, "no area 'poetry'", ["run", "--impl", "reference", "--area", "poetry"]),
    (2, "tokenspec list cases", ["run", "--impl", "reference", "--case", "render/none"]),
    (2, "is not one of 'real'", ["run", "--impl", "reference", "--status", "nice"]),
    (2, "is not one of '5.23.0'", ["run", "--impl", "reference", "--oracle", "1.2.3"]),
    (2, "--write-known-failures", ["run", "--impl", "reference", "--known-failures", "/no/such.toml", *ONE_CELL]),
    (2, "Try: tokenspec smoke --impl reference", ["smoke"]),
    (2, "no row 'nope'", ["smoke", "--impl", "reference", "--row", "nope"]),
    (2, "tokenspec list", ["explain", "RND-999"]),
    (2, "Missing argument 'NAME'", ["explain"]),
    (2, "Missing option '--row'", ["diff", "render/role-user"]),
    (2, "Did you mean render/role-user", ["diff", "render/role-usr", "--row", "toy-bpe", "--impl", "reference"]),
    (2, "Give a list of messages", ["render", "/no/such.json", "--row", "toy-bpe"]),
    (2, "did you mean: qwen3", ["models", "pull", "qwen33"]),
    (2, "give a REPO with --revision SHA, or --from-dir DIR", ["models", "add"]),
    (2, "save_pretrained", ["models", "add", "--from-dir", "/no/such"]),
    (2, "--erratum", ["bless", "--overwrite"]),
    (2, "Did you mean 'lint'", ["fixtures", "lnt"]),
    (2, "tokenspec spec check", ["spec", "ack"]),
    (2, "Did you mean 'check'", ["new", "chek"]),
    (2, "did you mean parse-last-character-lost", ["mutants", "--only", "parse-last-character"]),
    (2, "tokenspec run --impl NAME --report", ["report", "md", "/no/such/file"]),
    (2, "is not one of 'python'", ["adapter", "new", "--lang", "cobol"]),
    (2, "Known:", ["serve", "--impl", "nobody"]),
    (2, "Known:", ["bench", "nothing"]),
    (2, "the name of a data set of the hub", ["audit", "/no/such.jsonl", "--row", "toy-bpe"]),
    (2, "Missing option '-o'", ["prepare", "/no/such.jsonl", "--row", "toy-bpe"]),
]


@pytest.mark.parametrize(("code", "cure", "arguments"), WRONG, ids=[" ".join(words) for *_, words in WRONG])
def test_wrong_usage_ends_in_one_line_with_the_cure(
    code: int, cure: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tokenspec", *arguments])
    with pytest.raises(SystemExit) as ended:
        reported(group)
    said = capsys.readouterr().err
    assert ended.value.code == code, said
    assert cure.lower() in said.splitlines()[-1].lower()


@pytest.mark.parametrize("verb", ["run", "smoke", "render", "try", "mutants"])
def test_the_help_of_an_option_names_no_bound_that_is_none(verb: str) -> None:
    done = CliRunner().invoke(group, [verb, "--help"])
    assert done.exit_code == 0
    assert "None" not in done.stdout


@pytest.mark.parametrize(
    ("value", "is_noted"),
    [("true", False), ("False", False), ('"high"', False), ("3", False), ("nope", True), ("NaN", True), ("", True)],
)
def test_an_option_that_is_no_json_is_noted(value: str, is_noted: bool, tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text('[{"role": "user", "content": "hi"}]')
    words = ["render", "--row", "toy-bpe", str(given), "--option", f"enable_thinking={value}", "--json"]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0
    assert ("is no JSON, so the template gets it as a text" in done.stderr) is is_noted


def test_the_help_names_the_exit_codes() -> None:
    done = tokenspec("--help")
    assert done.returncode == 0, done.stderr
    assert "Exit codes" in done.stdout


@pytest.mark.parametrize("arguments", ["--help", "list cases", "explain RND-022", "spec check"])
def test_a_reader_may_leave(arguments: str) -> None:
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m tokenspec {arguments} | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


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


@pytest.mark.parametrize("what", ["areas", "rows", "cases", "checks", "requirements", "flags", "impls"])
def test_lists_are_not_empty(what: str) -> None:
    done = tokenspec("list", what)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 4


def test_diff_marks_the_first_differing_token() -> None:
    done = tokenspec("diff", "render/role-user", "--row", "toy-bpe", "--impl", "reference")
    assert done.returncode == 0
    assert "oracle" in done.stdout
    assert "≠" not in done.stdout


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("what", ["areas", "operations", "rows", "cases", "checks", "requirements", "flags", "impls"])
def test_a_list_holds_in_its_width_and_keeps_its_words(what: str, width: int) -> None:
    done = CliRunner().invoke(group, ["list", what], env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    assert max(map(cell_len, done.stdout.splitlines())) <= width
    _, rows = listing(what)
    said = "".join(done.stdout.split())
    assert [row[0] for row in rows if "".join(row[0].split()) not in said] == []
