"""Making the environment of a column: in the user's cache, named after what it holds, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenspec.adapters.foreign import Foreign, foreign_columns
from tokenspec.data import cache_dir
from tokenspec.errors import AdapterError

TIMEOUT = 1800.0
SHOWN = 4
"""Lines of what a failed command said that its error quotes."""
NPM = ("install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
PIP = ("-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--quiet")


class NotMakeable(AdapterError):
    """The environment of a column cannot be made; ``command`` is what failed."""

    def __init__(self, column: Foreign, command: Sequence[str], said: str) -> None:
        """``said`` is the end of what it printed."""
        self.command = " ".join(command)
        super().__init__(
            f"{column.name}: {said}\n  failed: {self.command}\n  mend that, then: tokenspec columns make {column.name}"
        )


def environments() -> Path:
    """The folder with all environments; ``TOKENSPEC_CACHE_DIR`` moves it."""
    return cache_dir() / "columns"


def place(column: Foreign) -> Path:
    """Where the environment of a column is: its name, and the hash of what it needs and of its Python."""
    running = "node" if column.on_node else column.description.python or ".".join(map(str, sys.version_info[:2]))
    try:
        held = hashlib.sha256(running.encode() + b"\n" + column.pins.read_bytes()).hexdigest()
    except OSError as error:
        raise AdapterError(f"{column.pins}: {error.strerror}. A column lists what it needs there.") from error
    return environments() / f"{column.name}-{held[:12]}"


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def is_made(column: Foreign) -> bool:
    """Whether its environment is made."""
    return place(column).is_dir()


def made_columns() -> list[str]:
    """The columns of this package whose environment is here."""
    return [name for name, column in foreign_columns().items() if is_made(column)]


def interpreter(column: Foreign) -> str:
    """The Python its environment is made with.

    Raises:
        NotMakeable: no such Python is there.
    """
    wanted = column.description.python
    if wanted is None or wanted == ".".join(map(str, sys.version_info[:2])):
        return sys.executable
    found = shutil.which(f"python{wanted}")
    command = [found or f"python{wanted}", "-c", "import venv"]
    run(column, command)
    return command[0]


def run(column: Foreign, command: Sequence[str]) -> None:
    """Run one step; nothing of this process' Python reaches it, and no constraint of its pip.

    Raises:
        NotMakeable: it failed, with the last lines it said.
    """
    own = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME", "PIP_CONSTRAINT"}}
    try:
        done = subprocess.run(  # noqa: S603 - the user's own pip and npm
            command, capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=TIMEOUT, env=own
        )
    except OSError as error:
        raise NotMakeable(column, command, error.strerror or str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise NotMakeable(column, command, f"no end within {TIMEOUT:g} s") from error
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()][-SHOWN:]
        raise NotMakeable(column, command, "\n  ".join(said) or f"exit status {done.returncode}")


def steps(column: Foreign, folder: Path) -> list[tuple[str, list[str]]]:
    """What is run to make an environment in a folder, each with the word for it."""
    if column.on_node:
        return [("npm packages", [shutil.which("npm") or "npm", *NPM, "--prefix", str(folder)])]
    whatever = ["--ignore-requires-python"] if column.description.any_python else []
    install = [str(python_of(folder)), *PIP]
    torch = [pin for pin in column.pins.read_text(encoding="utf-8").splitlines() if pin.startswith("torch==")]
    return [
        ("virtual environment", [interpreter(column), "-m", "venv", str(folder)]),
        # which libraries torch needs depends on the build that pip finds, so they are no pins
        *(("torch", [*install, pin]) for pin in torch),
        ("packages", [*install, "--no-deps", *whatever, "-r", str(column.pins)]),
    ]


def make(column: Foreign, tell: Callable[[str], None] = lambda _: None) -> Path:
    """Make the environment of a column, unless it is there; ``tell`` hears which step runs.

    Raises:
        NotMakeable: a step failed; nothing is left of it.
    """
    final = place(column)
    if final.is_dir():
        return final
    environments().mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=environments(), prefix=f".{column.name}-"))
    try:
        if column.on_node:
            shutil.copy(column.pins, folder)
        for word, command in steps(column, folder):
            tell(f"{column.name}: {word}")
            run(column, command)
        try:
            folder.rename(final)
        except OSError:
            if not final.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return final
