"""``columns list`` where a plain install lacks what some columns take."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tokenspec.adapters import resolve as resolving
from tokenspec.cli import group
from tokenspec.errors import AdapterError

resolve = resolving.resolve


def without_numpy(name: str) -> object:
    """What a plain install makes of the reference."""
    if name == "reference":
        missing = ModuleNotFoundError("No module named 'numpy'", name="numpy")
        raise AdapterError("--impl reference: it does not load") from missing
    return resolve(name)


def test_a_list_in_a_plain_install_ends_with_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving, "resolve", without_numpy)
    done = CliRunner().invoke(group, ["columns", "list"], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "takes what is not installed here: numpy" in done.output
    assert done.output.rstrip().splitlines()[-1] == "To have them all: pip install 'tokenspec[reference]'"


@pytest.mark.parametrize("width", ["40", "60", "80", "100", "200"])
def test_a_list_begins_with_its_header_in_every_width(width: str) -> None:
    done = CliRunner().invoke(group, ["columns", "list"], env={"COLUMNS": width})
    first = " ".join(done.output.split()[:5])
    assert first == "column version here areas what"
    assert "cannot run here" in done.output


def test_a_list_of_all_that_is_here_advises_nothing() -> None:
    done = CliRunner().invoke(group, ["columns", "list"])
    assert done.exit_code == 0, done.output
    assert "To have them all" not in done.output
