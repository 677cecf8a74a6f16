"""A name that is given on the command line forges no line: a CI job takes ``::error::`` at its begin for a command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tokenspec.cli import group, reported

BAD = "x\n::error::forged \u202ey"
ROW = ("--row", "toy-bpe")
CELL = (*ROW, "--case", "render/role-user")
COMMANDS: tuple[list[str], ...] = (
    [BAD],
    ["run", BAD],
    ["run", f"--{BAD}"],
    ["run", "--impl", BAD],
    ["run", "--impl", f"cmd:{BAD}"],
    ["run", "--impl", f"json:{BAD}"],
    ["run", "--impl", f"http://{BAD}"],
    ["run", "--impl", "reference", "--row", BAD],
    ["run", "--impl", "reference", "--area", BAD],
    ["run", "--impl", "reference", "--case", BAD],
    ["run", "--impl", "reference", "--gate", BAD, *CELL],
    ["run", "--impl", "reference", *CELL, "--report", BAD],
    ["run", "--impl", "reference", *CELL, "--html", BAD],
    ["run", "--impl", "reference", *CELL, "--write-known-failures", BAD],
    ["run", "--impl", "reference", *CELL, "--known-failures", BAD],
    ["run", "--impl", "reference", *CELL, "--timeout", BAD],
    ["smoke", "--impl", BAD],
    ["render", *ROW, BAD],
    ["render", *ROW, "given.json", "--tools", BAD],
    ["render", *ROW, "given.json", "--html", BAD],
    ["render", *ROW, "given.json", "--option", BAD],
    ["render", *ROW, "given.json", "--option", f"{BAD}=1"],
    ["render", *ROW, "forged.json"],
    ["try", *ROW, "given.json", "--impl", "reference", "-o", BAD],
    ["try", *ROW, BAD, "--impl", "reference"],
    ["check-template", "there " + BAD],
    ["check-template", BAD],
    ["check-template", "there " + BAD, "--accept", BAD],
    ["audit", BAD, *ROW],
    ["audit", "there " + BAD, *ROW, "--processes", "1"],
    ["audit", "data.jsonl", *ROW, "-o", BAD, "--processes", "1"],
    ["prepare", "data.jsonl", *ROW, "-o", BAD, "--processes", "1"],
    ["audit", "data.jsonl", *ROW, "--column", BAD],
    ["audit", "data.jsonl", *ROW, "--speaker", BAD],
    ["audit", "data.jsonl", *ROW, "--fail-on", BAD],
    ["audit", "forged.jsonl", *ROW, "--processes", "1"],
    ["audit", "content.jsonl", *ROW, "--processes", "1"],
    ["render", *ROW, "content.json"],
    ["render", *ROW, "content.json", "--tokens"],
    ["report", "md", BAD],
    ["report", BAD],
    ["explain", BAD],
    ["models", "pull", BAD],
    ["models", "add", "--from-dir", BAD],
    ["list", BAD],
    ["mutants", "--only", BAD],
    ["bench", BAD],
    ["serve", "--impl", BAD],
    ["new", "case", BAD, "--area", "render"],
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=[" ".join(map(ascii, words)) for words in COMMANDS])
def test_no_line_is_forged(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    Path("given.json").write_text(json.dumps(messages))
    Path("forged.json").write_text(json.dumps([{**messages[0], "role": BAD}]))
    Path("data.jsonl").write_text(json.dumps({"messages": messages}) + "\n")
    Path("forged.jsonl").write_text(json.dumps({"messages": [{**messages[0], BAD: 1, "role": BAD}], BAD: 1}) + "\n")
    spelled = [messages[0], {**messages[1], "content": "<|im_end|>\n::error::forged\n::error::more"}]
    Path("content.jsonl").write_text(json.dumps({"messages": spelled}) + "\n")
    Path("content.json").write_text(json.dumps(spelled))
    Path("there " + BAD).write_text(json.dumps({"messages": messages, BAD: 1}) + "\n")
    monkeypatch.setattr(sys, "argv", ["tokenspec", *arguments])
    with pytest.raises(SystemExit):
        reported(group)
    said = capfd.readouterr()
    lines = (said.out + "\n" + said.err).splitlines()
    assert any(lines)
    assert [line for line in lines if line.lstrip().startswith("::") or "\u202e" in line] == []
