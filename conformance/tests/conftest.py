"""A fixtures folder of one's own: tests that break fixtures never touch the committed ones.

An installed wheel is what is tested; ``generators``, and the cases and mutants of areas, are found behind it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tokenspec import data
from tokenspec.areas import find_unshipped
from tokenspec.areas.render import profiles
from tokenspec.models import rows
from tokenspec.store.case_files import read_cases, write_cases
from tokenspec.store.golden_files import read_goldens, write_goldens

sys.path.append(str(Path(__file__).resolve().parents[1]))
find_unshipped()
settings.register_profile("searching", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CLICOLOR_FORCE")


@pytest.fixture(autouse=True)
def no_stated_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests look at what a pipe gets, whatever the user's terminal, or a worker of pytest-xdist, asks for."""
    for name in TERMINAL:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def own_fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small copy of the fixtures: the toy rows, two cases, their goldens; the suite looks only there."""
    source = data.fixtures_dir()
    root = tmp_path / "root"
    for theme, slug in (("role", "role-user"), ("call_flow", "call-parallel")):
        kept = [case for case in read_cases(source / "cases/render" / f"{theme}.json") if case.slug == slug]
        write_cases(root / "fixtures/cases/render" / f"{theme}.json", "render", kept)
    goldens = read_goldens(source / "golden/toy-bpe/render.json")
    chosen = {slug: goldens.golden(slug) for slug in ("role-user", "call-parallel")}
    write_goldens(root / "fixtures/golden/toy-bpe/render.json", chosen)
    copy(source, root / "fixtures", "models/toy-bpe.toml")
    copy(source, root / "fixtures", "certificates/toy-bpe.json")
    copy(source, root / "fixtures", "flags.toml")
    (root / "fixtures" / "smoke.toml").write_text('[render]\nrole-user = "one message"\n')
    shutil.copytree(source / "toy" / "toy-bpe", root / "fixtures" / "toy" / "toy-bpe")
    shutil.copytree(data.spec_dir(), root / "spec")
    (root / "fixtures" / "ERRATA.toml").write_text("")
    monkeypatch.setattr(data, "data_root", lambda: root)
    forget_rows()
    profiles.write("toy-bpe")
    yield root / "fixtures"
    forget_rows()
    profiles._read.cache_clear()


def forget_rows() -> None:
    """Drop what the process has read of rows and carriers."""
    for cached in (rows.committed_specs, rows.carriers, rows.load):
        cached.cache_clear()


def copy(source: Path, target: Path, name: str) -> None:
    """Copy one file, making its folders."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / name, target / name)


@dataclass(frozen=True)
class Scratch:
    """A checkout of one's own, used through the command line."""

    root: Path

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run python in it, on its code."""
        paths = os.pathsep.join(str(self.root / name) for name in ("conformance", "reference", "."))
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1", "COLUMNS": "200"},
        )

    def tokenspec(self, command: str, code: int = 0) -> str:
        """What a command prints that ends with this exit code."""
        done = self.python("-m", "tokenspec", *shlex.split(command))
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """Code and spec are copies; fixtures are folders of links: what is written, a file and its rename, stays here."""
    source = data.checkout_root()
    assert source is not None
    for name in ("conformance/tokenspec", "reference/tokenspec_reference", "spec"):
        shutil.copytree(source / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (source / "fixtures").rglob("*"):
        place = tmp_path / path.relative_to(source)
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path)
    return Scratch(tmp_path)
