"""The pages of the site tell the truth: their files are written, their commands run, their output compared.

In a page, a ``python`` block with a caption is a file, and a ``console`` block is commands with what they print. Counts
may grow and white space may shift; everything else must be as printed, and ``...`` stands for anything.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "pages"
BLOCK = re.compile(
    r"^```\{code-block\} (python|console)\n(?::caption: (\S+)\n)?\n?(.*?)^```$", re.MULTILINE | re.DOTALL
)
EXECUTED = [path for path in sorted(PAGES.glob("*.md")) if "{code-block} console" in path.read_text(encoding="utf-8")]


def steps(text: str) -> Iterator[tuple[str, str]]:
    """(file name, source) and (``$``-command, expected output), in the order of the page."""
    for kind, caption, body in BLOCK.findall(text):
        if kind == "python":
            yield caption, body
            continue
        for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
            command, _, output = part.partition("\n")
            if command:
                yield command, output


def normal(text: str) -> str:
    """Counts and rules of any length are alike."""
    return re.sub(r"─+", "─", re.sub(r"\d+(\.\d+)?", "0", text)).replace("0/0", "0")


@pytest.mark.parametrize("path", EXECUTED, ids=lambda path: path.stem)
def test_the_commands_of_a_page_print_what_it_says(path: Path, tmp_path: Path) -> None:
    checker = doctest.OutputChecker()
    for said, body in steps(path.read_text(encoding="utf-8")):
        if not said.startswith("$ "):
            (tmp_path / said).write_text(body, encoding="utf-8")
            continue
        program, *arguments = shlex.split(said[2:])
        assert program == "tokenspec"
        done = subprocess.run(
            [sys.executable, "-m", "tokenspec", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
        )
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert checker.check_output(normal(body), normal(done.stdout), flags), (
            f"{said}\nprinted\n{done.stdout[-3000:]}{done.stderr[-2000:]}\nthe page says\n{body}"
        )


def test_the_quickstart_is_three_steps_and_is_executed() -> None:
    text = (PAGES / "quickstart.md").read_text(encoding="utf-8")
    assert [line[:5] for line in text.splitlines() if line.startswith("## ")][:3] == ["## 1.", "## 2.", "## 3."]
    assert PAGES / "quickstart.md" in EXECUTED
    assert sum(said.startswith("$ ") for said, _ in steps(text)) >= 3
