"""A run says on the terminal and in Markdown in which form a column is judged, where it declares one, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tokenspec.cli import group

ADAPTER = """
from tokenspec_reference.adapter import ReferenceAdapter

class Plain(ReferenceAdapter):
    capabilities = {"render": {"claim": {}}}

    def info(self):
        return {"name": "mine", "version": "1"}

class Formed(Plain):
    capabilities = {
        "render": {"claim": {}, "profile": {"ending": "stop", "reasoning": "thinking"}},
        "bridge": {"profile": {"arguments": "string"}},
        "parse": {"profile": {"arguments": "string"}},
    }
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "forms_of_mine.py").write_text(ADAPTER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def said(*impls: str, more: tuple[str, ...] = ()) -> list[str]:
    columns = [word for impl in impls for word in ("--impl", impl)]
    done = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "100"}).invoke(
        group, ["run", *columns, "--row", "toy-bpe", "--case", "render/role-user", *more]
    )
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_the_head_of_a_run_has_each_declared_form_once_with_its_operations() -> None:
    lines = said("forms_of_mine:Formed", "reference")
    assert lines[:2] == [
        "mine declares: arguments=string (bridge, parse)",
        "mine declares: ending=stop, reasoning=thinking (render)",
    ]
    assert not any("declares" in line for line in lines[2:])


def test_where_nothing_is_declared_nothing_is_said() -> None:
    assert not any("declares" in line for line in said("forms_of_mine:Plain", "reference"))


def test_the_summary_has_them_below_the_column_that_declares_them() -> None:
    said("forms_of_mine:Formed", more=("--report", "run.jsonl"))
    done = CliRunner().invoke(group, ["report", "md", "run.jsonl"])
    lines = done.output.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("* **mine** 1: "))
    assert lines[head + 1 : head + 3] == [
        "  * declares arguments=string (bridge, parse)",
        "  * declares ending=stop, reasoning=thinking (render)",
    ]
