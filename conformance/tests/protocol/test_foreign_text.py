"""Nothing that an implementation says forges a line, or hides in one, on any output."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.adapters.foreign_text import foreign_text, in_reading_order
from tokenspec.cli import group

MINE = "\n::error title=forged::all passed\r\n \u202eevil\x1b[2J\u2028::stop-commands::x\x85y"
OWN = tuple(f"::error title={cause}" for cause in ("refuses what is accepted", "ValueError%3A broken", "claims TEXT"))
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Hostile:
    """Says who it is, what it claims and why it fails with text that would forge lines."""

    capabilities = {"render": {"claim": {"levels": ["TEXT"], "without": ["x" + MINE]}}}  # noqa: RUF012 - a protocol

    def info(self) -> dict[str, str]:
        return {"name": "hostile" + MINE, "version": "1" + MINE, "homepage": MINE}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        if len(request["messages"]) == 1:
            raise Rejected("bad" + MINE, "no" + MINE, "/messages" + MINE)
        raise ValueError("broken" + MINE)

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        raise Unsupported("not" + MINE)


def hostile_process() -> str:
    """The same as a program."""
    program = f"{sys.executable} -m tokenspec serve --impl tests.protocol.test_foreign_text:Hostile"
    return f"cmd:env PYTHONPATH={Path(__file__).resolve().parents[2]} {program}"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What every command prints or writes of a run of it."""
    folder = tmp_path_factory.mktemp("outputs")
    report, page = folder / "run.jsonl", folder / "run.html"
    impl = "tests.protocol.test_foreign_text:Hostile"
    chosen = [word for case in ("render/role-user", "render/role-two-turns-generation") for word in ("--case", case)]
    run = ["run", "--impl", impl, "--row", "toy-bpe", "--jobs", "1", *chosen]
    commands = {
        "run": [*run, "--report", str(report), "--html", str(page), "--show-all"],
        "ci": ["report", "ci", str(report), "--impl", impl, "--out", str(folder)],
        "md": ["report", "md", str(report)],
        "junit": ["report", "junit", str(report)],
        "score": ["report", "score", str(report), "--into", str(folder)],
        "diff": ["diff", "render/role-user", "--row", "toy-bpe", "--impl", impl],
        "smoke": ["smoke", "--impl", impl],
    }
    said = {name: CliRunner().invoke(group, words, env={"COLUMNS": "60"}).output for name, words in commands.items()}
    files = {path.name: path.read_text() for path in folder.iterdir()}
    assert {"run.jsonl", "run.html"} <= set(files)
    assert "hostile" in said["run"]
    return said | files


def test_no_output_has_a_line_or_a_character_of_the_adapter(outputs: dict[str, str]) -> None:
    for name, text in outputs.items():
        for line in text.split("\n"):
            own = name == "ci" and line.startswith(OWN)
            assert own or not line.lstrip().startswith("::"), (name, line)
            assert not HIDDEN.search(line), (name, line)
    for line in outputs["run.jsonl"].splitlines():
        assert not HIDDEN.search(json.dumps(json.loads(line), ensure_ascii=False))


@pytest.mark.parametrize(
    ("text", "one", "several"),
    [
        ("a\r\nb\nc", r"a\r\nb\nc", "a\nb\nc"),
        ("::error::x", ": :error::x", ": :error::x"),
        (" \t::x", r" \t: :x", " \t: :x"),
        ("a\n\u202e::x", r"a\n\u202e: :x", "a\n\\u202e: :x"),
        ("std::io::Error", "std::io::Error", "std::io::Error"),
        ("\u202ea\u2066b\ufeff", r"\u202ea\u2066b\ufeff", r"\u202ea\u2066b\ufeff"),
        ("\x1b[2J\x00\x7f\x9b", r"\x1b[2J\x00\x7f\x9b", r"\x1b[2J\x00\x7f\x9b"),
        ("\ud800 é 漢 👍", r"\ud800 é 漢 👍", r"\ud800 é 漢 👍"),
    ],
)
def test_text_is_escaped_in_one_line_and_in_several(text: str, one: str, several: str) -> None:
    assert foreign_text(text) == one
    assert foreign_text(text, lines=True) == several
    assert foreign_text(foreign_text(text)) == one


def test_pieces_keep_all_but_the_order_of_reading() -> None:
    assert in_reading_order("a\n\x1b\u202eb") == "a\n\x1b\\u202eb"


def test_a_program_is_as_harmless_as_an_object() -> None:
    from tokenspec.adapters.resolve import resolve

    column = resolve(hostile_process())
    try:
        assert column.info["name"] == "hostile" + foreign_text(MINE)
        assert column.capabilities["render"].claim.without == ["x" + foreign_text(MINE)]
        outcome = column.call("render", "render/role-user", {"messages": [{}]}, 20.0)
        assert (
            str(outcome) == f"rejected bad{foreign_text(MINE)} at /messages{foreign_text(MINE)}: no{foreign_text(MINE)}"
        )
    finally:
        column.close()
