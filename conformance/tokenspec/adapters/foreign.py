"""Columns in an environment of their own: a folder each, so that no dependency of theirs meets ours.

    columns/<name>/
        column.toml           who it is and what it answers
        requirements.txt      all that it needs, pinned; nothing else is installed (npm: package.json)
        adapter.py            a class ``Adapter``, as in ``tokenspec.adapters`` (npm: adapter.mjs)

The folder of a column is also what ``--impl`` takes: ``--impl ./columns/mine``. The name of a column is that of its
folder, with hyphens. ``tokenspec columns make`` makes its environment; until then it answers *unsupported*.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from tokenspec.data import PACKAGE
from tokenspec.errors import AdapterError

DESCRIPTION = "column.toml"
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)", re.MULTILINE)


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``column.toml`` says.

    Attributes:
        package: the package that is judged; its pin is the version of the column.
        what: one line on what is called.
        operations: what the adapter answers.
        homepage: of the project.
        issues: where its bugs are reported.
        python: the version its packages need, ``3.12``; None: the one that runs.
        any_python: whether they are installed whatever Python they say they want: what is called runs on others, too.
        adapter: ``module:Class`` where the adapter is no ``adapter.py`` of the folder.
        variables: of the process' environment, beside those that keep it off the network.
    """

    package: str
    what: str
    operations: list[str]
    homepage: str = ""
    issues: str = ""
    python: str | None = None
    any_python: bool = False
    adapter: str | None = None
    variables: dict[str, str] = {}


@dataclass(frozen=True)
class Foreign:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        """What ``--impl`` calls it."""
        return self.folder.name.replace("_", "-")

    @cached_property
    def description(self) -> Description:
        """What its ``column.toml`` says.

        Raises:
            AdapterError: it cannot be read.
        """
        path = self.folder / DESCRIPTION
        try:
            return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Description)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise AdapterError(f"{path}: {error}. A column says package, what and operations there.") from error

    @property
    def on_node(self) -> bool:
        """Whether its packages come through npm."""
        return (self.folder / "package.json").is_file()

    @property
    def pins(self) -> Path:
        """The file that lists what it needs."""
        return self.folder / ("package.json" if self.on_node else "requirements.txt")

    @cached_property
    def versions(self) -> dict[str, str]:
        """The pinned version of each package.

        Raises:
            AdapterError: there is no such file.
        """
        try:
            text = self.pins.read_text(encoding="utf-8")
        except OSError as error:
            raise AdapterError(f"{self.pins}: {error.strerror}. A column lists what it needs there.") from error
        return dict(json.loads(text)["dependencies"]) if self.on_node else dict(PIN.findall(text))

    @property
    def version(self) -> str:
        """The version that its environment brings."""
        return self.versions.get(self.description.package, "unpinned")

    @property
    def needs(self) -> str:
        """``needs 12 packages, python3.12``."""
        python = f", python{self.description.python}" if self.description.python else ""
        return f"needs {len(self.versions)} {'npm ' if self.on_node else ''}packages{python}"

    def info(self, version: str) -> dict[str, str]:
        """Who answers."""
        about = {"homepage": self.description.homepage, "issues": self.description.issues}
        language = "javascript" if self.on_node else "python"
        return {"name": self.name, "version": version, "language": language, **{k: v for k, v in about.items() if v}}


def home() -> Path:
    """Where the columns of this package lie."""
    return PACKAGE / "columns"


def foreign_columns() -> dict[str, Foreign]:
    """The columns of this package that live in an environment of their own, by name."""
    found = (Foreign(path.parent) for path in sorted(home().glob(f"*/{DESCRIPTION}")))
    return {column.name: column for column in found}


def foreign_column(text: str) -> Foreign | None:
    """The column of that name, or of the folder named so; None where there is none."""
    if os.sep in text or text in {".", ".."}:
        folder = Path(text).resolve()
        return Foreign(folder) if (folder / DESCRIPTION).is_file() else None
    return foreign_columns().get(text)


class NotObtainable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that was to be a column: what was run, and what it said."""

    name: str
    version: str
    command: str
    said: str


class _Tried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    column: list[NotObtainable]


def not_obtainable() -> list[NotObtainable]:
    """What was tried and cannot run."""
    path = home() / "not_obtainable.toml"
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Tried).column
