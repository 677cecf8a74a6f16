"""A column with the latest version of its package, and of everything else what it is pinned to."""

from __future__ import annotations

import json
import re
import shutil
from datetime import date
from pathlib import Path

from tokenspec.adapters.foreign import Foreign
from tokenspec.errors import UsageError


def with_latest(column: Foreign, within: Path, today: date) -> Foreign:
    """A copy of a column's folder below ``within`` that takes the latest version of its package.

    The day is written beside what it needs: the latest of another day has an environment of its own.

    Raises:
        UsageError: its package is not taken by a version.
    """
    text, package = column.pins.read_text(encoding="utf-8"), column.description.package
    if package not in column.versions:
        raise UsageError(f"{column.name} takes {package} by no version; pin it as {package}==VERSION in {column.pins}")
    if column.on_node:
        needs = json.loads(text)
        needs["dependencies"][package] = "latest"
        loosened = json.dumps(needs | {"description": f"{package} of {today}"}, indent=2)
    else:
        loosened = re.sub(rf"(?m)^({re.escape(package)}(?:\[[\w,-]+\])?)==[^\s;]+", r"\1", text)
        loosened += f"# {package} of {today}"
    copied = Foreign(within / column.folder.name)
    shutil.copytree(column.folder, copied.folder, ignore=shutil.ignore_patterns("__pycache__"))
    copied.pins.write_text(f"{loosened}\n", encoding="utf-8")
    return copied
