"""Edits that the type checker refuses: ``tox -e types`` lets none of them in, so no run of the suite ever meets one."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from tokenspec.data import checkout_root
from tokenspec.errors import UsageError
from tokenspec.power.edits import Edit, Source
from tokenspec.power.loading import PACKAGE
from tokenspec.power.trees import replaced

_ERROR = re.compile(r"(?P<file>[^:]+):\d+: error: (?P<what>.+)")
_ALLOWED = "[unreachable]"
"""A condition that is decided leaves code behind that nothing reaches: the edit asks who notices that it is gone."""


class TypeChecker:
    """mypy, over a copy of the reference without comments: an edit is compared with the same file unedited.

    Each run checks one edit a file; an edit is refused for what it breaks in its own file.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        """Nothing is checked yet.

        Raises:
            UsageError: mypy is not installed, or there is no checkout with its settings.
        """
        root = checkout_root()
        if find_spec("mypy") is None or root is None:
            raise UsageError("--automatic leaves out what mypy refuses: work in a checkout, and `pip install mypy`")
        self._settings = root / "pyproject.toml"
        self._folder = TemporaryDirectory(prefix="tokenspec-types-")
        self._package = Path(self._folder.name) / "reference" / PACKAGE
        self._clock = 0
        for source in sources:
            self._write(source, source.tree)
        self._usual = self._errors()

    def refused(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """Those of these edits that break a type."""
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.file, []).append(edit)
        for several in zip_longest(*by_file.values()):
            at_once = [edit for edit in several if edit is not None]
            for edit in at_once:
                self._write(edit.source, replaced(edit.source.tree, edit.path, edit.new))
            found = self._errors()
            for edit in at_once:
                self._write(edit.source, edit.source.tree)
                own = Counter({key: count for key, count in found.items() if key[0] == edit.file})
                if own - self._usual:
                    yield edit

    def _write(self, source: Source, tree: ast.AST) -> None:
        """What mypy kept of a file it knows by its time of change, in whole seconds."""
        path = self._package / source.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ast.unparse(tree), encoding="utf-8")
        self._clock += 2
        os.utime(path, (self._clock, self._clock))

    def _errors(self) -> Counter[tuple[str, str]]:
        """What mypy says of each file, wherever in it."""
        command = [sys.executable, "-m", "mypy", "--config-file", str(self._settings), f"reference/{PACKAGE}"]
        told = subprocess.run(command, cwd=self._folder.name, capture_output=True, text=True, check=False)  # noqa: S603
        if told.returncode not in {0, 1}:
            raise UsageError(f"mypy does not run: {(told.stderr or told.stdout).strip()[-300:]}")
        matches = (_ERROR.match(line) for line in told.stdout.splitlines() if not line.endswith(_ALLOWED))
        return Counter((match["file"].partition(f"{PACKAGE}/")[2], match["what"]) for match in matches if match)
