"""``tokenspec models``: the table, the outcome lines, the exit codes."""

import json
import re

import pytest
from click.testing import CliRunner, Result

from tests.models.world import World
from tokenspec.cli.models import models as command
from tokenspec.models import clients

ESCAPE = re.compile(r"\x1b\[")


def call(*arguments: str, columns: int = 100) -> Result:
    """Run the verb with a fixed width and no colour."""
    return CliRunner().invoke(command, list(arguments), env={"COLUMNS": str(columns), "NO_COLOR": "1"})


def test_the_shipped_table_fits_a_hundred_columns_without_colour_codes() -> None:
    result = call("list")
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 100
    assert not ESCAPE.search(result.output)
    for name in ("qwen3-instruct-2507", "stand-in", "Llama 3.2 community", "llama-cpp-python"):
        assert name in result.output


def test_the_list_says_what_is_missing_and_how_to_get_it(world: World) -> None:
    assert "missing ones come with: tokenspec models pull tiny" in call("list").output
    assert call("pull").exit_code == 0
    assert call("list").output.splitlines()[-1] == "1 rows, 1 here"


def test_json_lines_for_scripts(world: World) -> None:
    (line,) = call("list", "--json", "--status", "real").output.splitlines()
    row = json.loads(line)
    assert row == {
        "row": "tiny",
        "family": "template",
        "status": "real",
        "licence": "own",
        "source": "ranks, finished, templates",
        "cached": False,
    }


def test_a_pull_tells_sizes_outcome_and_total(world: World) -> None:
    result = call("pull", "tiny")
    assert result.exit_code == 0
    assert "downloading ranks-1.whl (0.0 MB)" in result.output
    assert re.search(r"ready +tiny: built in \d+\.\d s from ranks, templates", result.output)
    assert re.search(r"1 of 1 rows ready, \d+\.\d MB downloaded, \d+\.\d s", result.output)
    assert "ready  tiny: cached" in call("pull").output


def test_a_failed_row_gives_exit_code_one_and_its_reason(world: World) -> None:
    for archive in world.registry.iterdir():
        archive.unlink()
    result = call("pull")
    assert result.exit_code == 1
    assert "failed tiny: unsupported: assets missing" in result.output
    assert "run: tokenspec models pull tiny" in result.output


def test_offline_uses_this_machine_only(world: World) -> None:
    assert call("pull", "--offline").exit_code == 1
    assert world.downloads == []


def test_rows_that_cannot_be_had_here_are_left_out_unless_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        clients, "unavailable", lambda carrier: "npm is not installed" if carrier.id != "ranks" else None
    )
    result = call("pull")
    assert result.exit_code == 0
    assert "left out tiny: npm is not installed" in result.output
    assert "0 of 0 rows ready" in result.output
