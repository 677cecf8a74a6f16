"""From the folder of a column to the column itself: over the pipe into its environment, where that is made."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenspec.adapters import Column, NotSupported, Outcome
from tokenspec.adapters.capability import Capability
from tokenspec.adapters.environment import is_made, place, python_of
from tokenspec.adapters.foreign import Foreign
from tokenspec.adapters.stdio import Process
from tokenspec.errors import AdapterError

NOT_INSTALLED = "not installed"


class NotMade:
    """What stands for a column whose environment is not here: it answers nothing, and says what to do."""

    def __init__(self, column: Foreign, name: str) -> None:
        """``name`` is what ``--impl`` called it."""
        self.name = name
        self.info = column.info(NOT_INSTALLED)
        self.announced = frozenset(column.description.operations)
        self.capabilities: dict[str, Capability] = {}
        self.reason = f"not installed; run: tokenspec columns make {name}"

    def has(self, operation: str) -> bool:
        """Whether it would answer."""
        return operation in self.announced

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """No row is loaded."""
        del model, assets
        return NotSupported(self.reason)

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Nothing is answered."""
        del operation, case, request, timeout
        return NotSupported(self.reason)

    def close(self) -> None:
        """Nothing was started."""


def reached(column: Foreign, name: str) -> Column:
    """The column over its pipe, or what stands for it while its environment is not made."""
    return Process(name, shlex.join(command(column))) if is_made(column) else NotMade(column, name)


def command(column: Foreign) -> Sequence[str]:
    """How the program of a column is started in its environment.

    Raises:
        AdapterError: node is not there.
    """
    folder = place(column)
    if not column.on_node:
        return [str(python_of(folder)), "-I", str(Path(__file__).with_name("inside.py")), str(column.folder)]
    node = shutil.which("node")
    if node is None:
        raise AdapterError(f"--impl {column.name}: node is not installed; put it on PATH.")
    program = [node, str(Path(__file__).with_name("inside.mjs")), str(column.folder)]
    return ["env", f"NODE_PATH={folder / 'node_modules'}", *program, column.name, column.description.package]
