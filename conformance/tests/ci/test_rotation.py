"""The long environments of `.ci/run` take turns: the script itself runs, with a tox that only notes what it is asked."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tokenspec.data import checkout_root

ROOT = checkout_root() or Path()
PYTHON = """#!/bin/sh
mkdir -p .venv/bin
printf '#!/bin/sh\\n' > .venv/bin/pip
printf '#!/bin/sh\\necho "$@" >> asked; case "$*" in *"$BROKEN"*) exit 1;; esac\\n' > .venv/bin/tox
chmod +x .venv/bin/pip .venv/bin/tox
"""


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "--allow-empty", "-q", "-m", "one")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the script alone."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    git(folder, "init", "-q")
    git(folder, "add", ".ci/run")
    commit(folder)
    return folder


def ran(folder: Path, *words: str, broken: str = "none is broken") -> tuple[int, list[str], str]:
    """Run the script; the exit code, what tox was asked, and what was printed."""
    programs = folder.parent / "bin"
    programs.mkdir(exist_ok=True)
    for name, text in {"python3": PYTHON, "chromium": "#!/bin/sh\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (folder / "asked").unlink(missing_ok=True)
    done = subprocess.run(
        [str(folder / ".ci/run"), *words],
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "BROKEN": broken},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, (folder / "asked").read_text().splitlines(), done.stdout


def chosen(folder: Path) -> str:
    """The environments of the last call of tox."""
    code, asked, printed = ran(folder)
    assert code == 0, printed
    assert len(asked) == 3
    _, option, names = asked[-1].split()
    assert option == "-e"
    assert names in printed
    return names


def test_each_long_environment_has_its_turn_and_exists(checkout: Path) -> None:
    first, turns = chosen(checkout), list[str]()
    for _ in range(40):
        commit(checkout)
        turns.append(chosen(checkout))
        if turns[-1] == first:
            break
    assert turns[-1] == first, "no turn comes again"
    assert len(set(turns)) == len(turns) >= 11
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    named = {name for turn in turns for name in turn.split(",")}
    assert {f"testenv:{name}" for name in named} <= set(tox.sections())
    assert not named & set(tox["tox"]["env_list"].split(", "))


def test_a_clone_has_the_same_turn_and_a_shallow_one_says_that_it_cannot_count(checkout: Path) -> None:
    for _ in range(4):
        commit(checkout)
    whole, shallow = checkout.parent / "whole", checkout.parent / "shallow"
    git(checkout, "clone", "-q", checkout.as_uri(), str(whole))
    git(checkout, "clone", "-q", "--depth", "1", checkout.as_uri(), str(shallow))
    assert chosen(whole) == chosen(checkout)
    for folder in (shallow, checkout):
        if folder is checkout:
            shutil.rmtree(checkout / ".git")
        code, asked, printed = ran(folder)
        assert (code, len(asked)) == (0, 3)
        assert "the day chooses the long environment" in printed


def test_whatever_fails_fails_the_whole_and_the_rest_runs(checkout: Path) -> None:
    for broken in ("run-parallel", "testenv.deps=", chosen(checkout)):
        code, asked, _ = ran(checkout, broken=broken)
        assert (code, len(asked)) == (1, 3)


def test_what_is_asked_by_hand_runs_alone(checkout: Path) -> None:
    assert ran(checkout, "-e", "servers")[:2] == (0, ["-e servers"])
