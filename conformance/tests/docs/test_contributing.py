"""CONTRIBUTING tells the truth: its skeletons are written, its commands are understood, its map is there."""

from __future__ import annotations

import re
from typing import Any

from tests.docs.commands import ROOT, of_document

PAGE = ROOT / "CONTRIBUTING.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = [command.text.partition("  #")[0] for command in of_document(PAGE)]
OURS = [command for command in COMMANDS if command.startswith("tokenspec ")]
PARTS = {"records.py", "area.py", "oracle/", "checks/", "cases/", "mutants/"}


def test_the_page_has_commands() -> None:
    assert len(OURS) > 15
    assert all(command.startswith(("tokenspec ", "tox")) for command in COMMANDS)


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
