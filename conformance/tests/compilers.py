"""Compilers of other languages: whether they are here, and a program of them built from files and run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

CRATES = Path("/usr/share/cargo/registry")
HERE = f'[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "{CRATES}"\n'


def needs(program: str) -> pytest.MarkDecorator:
    """Skips where a program is not installed, and says so."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"unsupported: {program} is not installed")


needs_serde = pytest.mark.skipif(
    not CRATES.is_dir(), reason="unsupported: serde is not installed as a package of the system"
)


def cargo_run(folder: Path, manifest: str, sources: Mapping[str, str], given: str = "") -> str:
    """What a program of cargo prints, with the crates of the system; ``manifest`` is what follows the package's head."""
    head = '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n'
    written = {f"src/{name}": text for name, text in sources.items()}
    for name, text in {**written, ".cargo/config.toml": HERE, "Cargo.toml": head + manifest}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        ["cargo", "run", "--quiet", "--offline"], cwd=folder, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def type_checked(folder: Path, file: str, *options: str) -> None:
    """TypeScript finds nothing wrong with a file."""
    quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder / "compiler")]
    if subprocess.run(["npm", "install", *quiet, "typescript@5.9.3"], check=False, capture_output=True).returncode:
        pytest.skip("unsupported: npm install typescript failed")
    command = [str(folder / "compiler/node_modules/.bin/tsc"), "--strict", "--noEmit", *options, file]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
