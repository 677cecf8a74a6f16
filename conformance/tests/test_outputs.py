"""Outputs never take the place of an input or of each other; what cannot be written is one line."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tokenspec.cli import group, reported
from tokenspec.datasets.place import Place
from tokenspec.errors import UsageError
from tokenspec.store.writing import refuse_outputs

MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
ROW = ("--row", "toy-bpe")
CELL = (*ROW, "--case", "render/role-user", "--impl", "reference")
OVERLAPS = (
    ["render", *ROW, "given.json", "--html", "given.json"],
    ["render", *ROW, "given.json", "--html", "link.json"],
    ["render", *ROW, "link.json", "--html", "given.json"],
    ["render", *ROW, "given.json", "--html", "sub/../given.json"],
    ["render", *ROW, "given.json", "--tools", "tools.json", "--html", "tools.json"],
    ["try", *ROW, "given.json", "-o", "given.json"],
    ["run", *CELL, "--report", "new/a", "--html", "new/a"],
    ["run", *CELL, "--report", "a", "--write-known-failures", "a"],
    ["run", *CELL, "--known-failures", "known.toml", "--html", "known.toml"],
    ["run", "--impl", "reference", "--row", "folder", "--html", "folder/tokenizer.json"],
    *(["report", verb, "saved.jsonl", "-o", "saved.jsonl"] for verb in ("html", "md", "junit", "json", "issue")),
    ["report", "badge", "saved.jsonl", "--impl", "reference", "-o", "saved.jsonl"],
    ["report", "combine", "given.json", "saved.jsonl", "-o", "saved.jsonl"],
    ["report", "ci", "saved.jsonl", "--impl", "reference", "--out", "o", "--summary", "saved.jsonl"],
    ["report", "ci", "saved.jsonl", "--impl", "reference", "--out", "o", "--summary", "o/report.html"],
    ["report", "ci", "report.html", "--impl", "reference", "--out", "."],
    ["report", "score", "2026-11-01.json", "--date", "2026-11-01", "--into", "."],
    ["prepare", *ROW, "folder/data.jsonl", "-o", "folder"],
    ["audit", *ROW, "folder/data.jsonl", "-o", "folder"],
    ["audit", "--tokenizer", "folder", "--template", "folder/t.jinja", "given.json", "-o", "folder"],
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with inputs, in which the command stands."""
    monkeypatch.chdir(tmp_path)
    for folder in ("sub", "folder"):
        (tmp_path / folder).mkdir()
    for name in ("given.json", "saved.jsonl", "tools.json", "known.toml", "report.html", "2026-11-01.json"):
        (tmp_path / name).write_text(json.dumps(MESSAGES))
    for name in ("tokenizer.json", "t.jinja", "data.jsonl"):
        (tmp_path / "folder" / name).write_text(json.dumps(MESSAGES))
    (tmp_path / "link.json").symlink_to("given.json")
    return tmp_path


def ended(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["tokenspec", *arguments])
    with pytest.raises(SystemExit) as end:
        reported(group)
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize("arguments", OVERLAPS, ids=" ".join)
def test_an_output_that_is_an_input_or_another_output_is_refused(
    arguments: list[str], files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    assert ended(arguments, monkeypatch) == 2
    said = capsys.readouterr().err
    assert "name another file" in said or "Give another folder with -o" in said
    assert len(said.splitlines()) == 1
    assert {path: path.read_bytes() for path in files.rglob("*") if path.is_file()} == before


def test_a_pipe_may_be_named_twice_and_other_files_are_taken(files: Path) -> None:
    os.mkfifo(files / "pipe")
    refuse_outputs([files / "pipe", None, files / "new" / "a", files / "b"], ["-", None, files / "given.json"])
    with pytest.raises(UsageError, match="another option"):
        refuse_outputs([files / "b", files / "sub" / ".." / "b"])


WRITING = (
    (["render", *ROW, "given.json", "--html", "page.html"], "page.html"),
    (["try", *ROW, "given.json", "--impl", "reference", "-o", "page.html"], "page.html"),
    (["run", *CELL, "--report", "a.jsonl"], "a.jsonl"),
    (["run", *CELL, "--report", "a.jsonl.gz"], "a.jsonl.gz"),
    (["run", *CELL, "--html", "page.html"], "page.html"),
)


class Full(io.FileIO):
    """A file on a disk without room."""

    def write(self, _data: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("arguments", "named"), WRITING, ids=[" ".join(words) for words, _ in WRITING])
def test_a_full_disk_is_one_line_that_names_the_file(
    arguments: list[str],
    named: str,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("os.fdopen", lambda handle, *_, **__: io.BufferedWriter(Full(handle, "wb")))
    assert ended(arguments, monkeypatch) == 3
    said = capfd.readouterr().err
    assert said.count("tokenspec: ") == 1
    assert f"{named}: No space left on device. Free some room" in said
    assert "Traceback" not in said


def test_a_file_of_a_data_set_is_named_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fdopen", lambda handle, *_, **__: io.BufferedWriter(Full(handle, "wb")))
    with pytest.raises(OSError, match=r"No space left on device: .*report\.html"):
        Place.of(str(tmp_path / "report.html")).write(b"x")
    assert list(tmp_path.iterdir()) == []


def test_standard_output_without_room_is_one_line(tmp_path: Path) -> None:
    """The bound of a file's size stands for a disk that fills up."""
    import resource

    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "tokenspec", "list", "rows"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": ""},  # unbuffered, Python itself says nothing of a short write
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        )
    assert done.returncode == 3
    assert done.stderr == "tokenspec: File too large. Free some room, or write to another disk\n"
