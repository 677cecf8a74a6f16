"""Every reproduction that is kept shows what it says: here, or by the Python of its column's own environment."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tokenspec.adapters.resolve import registered
from tokenspec.areas.selection import all_cases
from tokenspec.columns.ranks import HARMONY, write_ranks
from tokenspec.data import cache_dir
from tokenspec.models import load
from tokenspec.reproduction.kept import Reproduction, reproductions
from tokenspec.requirements import requirements

VERSIONS = (
    "import importlib.metadata as m, json; print(json.dumps({d.name.lower(): d.version for d in m.distributions()}))"
)


def pinned(one: Reproduction) -> set[tuple[str, str]]:
    return {(name.lower().replace("_", "-"), version) for name, version in one.pins.items()}


@cache
def holds(python: str) -> frozenset[tuple[str, str]]:
    said = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True).stdout
    return frozenset((name.replace("_", "-"), version) for name, version in json.loads(said).items())


def cached(pattern: str) -> list[Path]:
    return sorted(cache_dir().glob(pattern))


def interpreter(one: Reproduction) -> str:
    """Of this environment, those that were made for columns, and those that TOKENSPEC_PYTHONS names."""
    made = [str(path) for path in cached("columns/*/bin/python")]
    named = [path for path in os.environ.get("TOKENSPEC_PYTHONS", "").split(os.pathsep) if path]
    found = next((python for python in (sys.executable, *made, *named) if pinned(one) <= holds(python)), None)
    assert found, f"no Python here has {one.pins}; make one, and name it in TOKENSPEC_PYTHONS"
    return found


def arguments(one: Reproduction) -> list[str]:
    return [str(load(one.written.model).directory)] if one.written.model else []


def printed_here(one: Reproduction) -> str:
    """In this process, so that what many import is imported once."""
    wrong = {name: version for name, version in one.pins.items() if importlib.metadata.version(name) != version}
    assert not wrong, f"seen in {wrong}, which is not installed here: look at it again"
    said, before = io.StringIO(), sys.argv
    sys.argv = [one.slug, *arguments(one)]
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(one.written.script, one.id, "exec"), {"__name__": "__main__"})
    finally:
        sys.argv = before
    return said.getvalue()


def printed_there(one: Reproduction, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    script = folder / ("script.mjs" if one.written.language == "javascript" else "script.py")
    script.write_text(one.written.script, encoding="utf-8")
    if one.written.language == "javascript":
        ((package, version),) = one.pins.items()
        found = [
            path for place in ("node", "columns/*") for path in cached(f"{place}/node_modules/{package}/package.json")
        ]
        right = [path for path in found if json.loads(path.read_text())["version"] == version]
        assert right, f"{package} {version} is in none of the environments that columns have here"
        (folder / "node_modules").symlink_to(right[0].parents[package.count("/") + 1])
        command = ["node", str(script)]
    else:
        command = [interpreter(one), str(script), *arguments(one)]
    if "openai-harmony" in one.pins:
        write_ranks(load("gpt-oss").directory, folder / HARMONY)
        environment["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def marked(one: Reproduction) -> pytest.param:
    marks = [] if one.written.ci else [pytest.mark.columns]
    return pytest.param(one, id=one.id, marks=[*marks, pytest.mark.real] if one.written.model else marks)


@pytest.mark.parametrize("one", [marked(one) for one in reproductions().values()])
def test_a_reproduction_shows_what_it_says(one: Reproduction, tmp_path: Path) -> None:
    said = printed_here(one) if one.written.ci else printed_there(one, tmp_path)
    assert said == one.prints


def test_reproductions_cite_what_there_is_and_are_short() -> None:
    assert len(reproductions()) >= 25
    cases = all_cases()
    for one in reproductions().values():
        assert set(one.written.cites) <= set(requirements()), one.id
        assert one.written.case is None or one.written.case in cases, one.id
        assert len([line for line in one.written.script.splitlines() if line.strip()]) <= 18, one.id
        assert one.written.ci <= (one.column in registered()), one.id
