"""CONTRIBUTING tells the truth: its skeletons are written, its commands are understood, its map is there."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from tokenspec.cli import group
from tokenspec.data import checkout_root

ROOT = checkout_root() or Path()
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^ *```sh\n(.*?)^ *```$", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = [
    *(line.strip().partition("  #")[0] for block in BLOCKS for line in block.splitlines()),
    *re.findall(r"`((?:tokenspec|tox) [^`]+)`", TEXT),
]
OURS = [command for command in COMMANDS if command.startswith("tokenspec ")]
PARTS = {"records.py", "area.py", "oracle/", "checks/", "cases/", "mutants/"}


def test_the_page_has_commands() -> None:
    assert len(OURS) > 15
    assert all(command.startswith(("tokenspec ", "tox")) for command in COMMANDS)


@pytest.mark.parametrize("command", sorted({command for command in OURS if command != "tokenspec new"}))
def test_a_command_is_understood(command: str) -> None:
    verb: click.Command = group
    context = click.Context(group)
    words = shlex.split(command)[1:]
    while isinstance(verb, click.Group):
        word = words.pop(0)
        found = verb.get_command(context, word)
        assert found is not None, f"{command}: there is no {word}"
        verb = found
    verb.make_context(verb.name, words)


def test_every_environment_of_tox_is_there() -> None:
    known = configparser.ConfigParser(interpolation=None)
    known.read(ROOT / "tox.ini")
    named = [
        name for command in COMMANDS for names in re.findall(r"^tox -e (\S+)", command) for name in names.split(",")
    ]
    assert {"dev", "area", "lint"} <= set(named)
    assert [name for name in named if f"testenv:{name}" not in known] == []


def test_the_map_is_of_this_tree() -> None:
    folders = re.findall(r"^\| `([a-z_/]+/)(?:<\w+>/)?`", TEXT, re.MULTILINE)
    assert {"spec/", "conformance/tokenspec/"} <= set(folders)
    for folder in set(folders) - PARTS:
        assert (ROOT / folder).is_dir(), folder
    for part in PARTS:
        assert f"| `{part}` |" in TEXT
        assert (ROOT / "conformance/tokenspec/areas/processors" / part).exists()


def test_its_skeletons_are_written_and_listed_until_they_are_filled_in(scratch: Any) -> None:
    asked = [command.removeprefix("tokenspec ") for command in OURS if command.startswith("tokenspec new ")]
    assert {command.split()[1] for command in asked} == {"requirement", "case", "check", "mutant", "family", "area"}
    places = 0
    for command in asked:
        said = scratch.tokenspec(command)
        assert "wrote " in said
        places += len(re.findall(r"^  \d+: ", said, re.MULTILINE))
    left = scratch.tokenspec("spec check", code=1)
    assert left.count("T11 ") == places > 20
    for command in asked:
        if "requirement" not in command:
            scratch.tokenspec(command, code=2)
