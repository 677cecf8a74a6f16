"""What ships: the wheel's contents, and a smoke run from a clean environment in another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tokenspec.data import checkout_root

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(checkout_root())], check=True)
    return next(out.glob("*.whl"))


def test_top_level_is_exactly_two_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"tokenspec", "tokenspec_reference"}
    assert "tokenspec/_data/fixtures/MANIFEST.json" in names
    assert "tokenspec/_data/spec/10-renderers.md" in names
    assert "tokenspec/py.typed" in names
    assert "tokenspec/adapters/templates/node_program.mjs" in names
    code = [name for name in names if name.endswith((".py", ".pyc"))]
    assert not [name for name in code if {"cases", "mutants", "__pycache__"} & set(name.split("/"))]


def test_smoke_passes_in_a_clean_environment_elsewhere(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"{wheel}[reference]"], check=True, env=os.environ.copy())
    done = subprocess.run(
        [tmp_path / "env" / "bin" / "tokenspec", "smoke", "--impl", "reference"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
