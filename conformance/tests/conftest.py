"""A fixtures folder of one's own: tests that break fixtures never touch the committed ones.

``mutants`` and ``generators`` are found behind everything installed, so that an installed wheel is what is tested.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tokenspec import data
from tokenspec.fixtures import profiles
from tokenspec.models import rows

sys.path.append(str(Path(__file__).resolve().parents[1]))
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


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
    for name in ("role-user", "call-parallel"):
        copy(source, root / "fixtures", f"cases/render/{name}.json")
        copy(source, root / "fixtures", f"golden/toy-bpe/render/{name}.json")
    copy(source, root / "fixtures", "models/toy-bpe.toml")
    copy(source, root / "fixtures", "certificates/toy-bpe.json")
    copy(source, root / "fixtures", "flags.toml")
    shutil.copytree(source / "toy" / "toy-bpe", root / "fixtures" / "toy" / "toy-bpe")
    shutil.copytree(data.spec_dir(), root / "spec")
    (root / "fixtures" / "ERRATA.toml").write_text("")
    monkeypatch.setattr(data, "data_root", lambda: root)
    rows.specs.cache_clear()
    rows.load.cache_clear()
    profiles.write("toy-bpe")
    yield root / "fixtures"
    rows.specs.cache_clear()
    rows.load.cache_clear()
    profiles._read.cache_clear()


def copy(source: Path, target: Path, name: str) -> None:
    """Copy one file, making its folders."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / name, target / name)
