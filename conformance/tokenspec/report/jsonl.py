"""The saved form of a run: JSON lines with a header, one line a cell, and a footer that proves it is whole.

Lines end with a line feed and nothing else: U+2028 inside a text is not a line end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.errors import UsageError
from tokenspec.model import open_atomically
from tokenspec.report.catalog import FORMAT
from tokenspec.verdict import CellResult

AGAIN = "Run again with --report."


@dataclass(frozen=True)
class Report:
    """A report read back: its header (see ``catalog.header``) and one result a cell and implementation."""

    header: dict[str, Any]
    results: list[CellResult]

    @property
    def impls(self) -> list[str]:
        """The columns, in order."""
        return list(self.header["implementations"])


def save_report(path: Path, head: dict[str, Any], results: Iterable[CellResult]) -> None:
    """Write a header, the results as they come, and the footer with their number and hash.

    An interruption leaves what lay at ``path`` before.
    """
    digest, count = hashlib.sha256(), 0
    encoder = msgspec.json.Encoder()
    with open_atomically(path) as stream:
        stream.write(json.dumps({"header": head}, ensure_ascii=False) + "\n")
        for result in results:
            line = encoder.encode(result)
            digest.update(line)
            count += 1
            stream.write(line.decode() + "\n")
        stream.write(json.dumps({"footer": {"cells": count, "sha256": digest.hexdigest()}}) + "\n")


def read_report(path: Path) -> Report:
    """Read a report; one that is cut, changed or foreign is a usage error that says so and what to do."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Make one with: tokenspec run --impl NAME --report {path}"
        ) from error
    if lines and not lines[-1]:
        lines.pop()
    head = _line(path, lines, 0, "header")
    if head.get("format") != FORMAT:
        raise UsageError(f"{path}: report format {head.get('format')}, this suite reads {FORMAT}. {AGAIN}")
    footer = _line(path, lines, -1, "footer")
    decoder = msgspec.json.Decoder(CellResult)
    results, digest = [], hashlib.sha256()
    for number, line in enumerate(lines[1:-1], start=2):
        digest.update(line)
        try:
            results.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: line {number} is not a cell of a report: {error}. {AGAIN}") from error
    if footer.get("cells") != len(results):
        raise UsageError(f"{path}: holds {len(results)} cells of {footer.get('cells')}. {AGAIN}")
    if footer.get("sha256") != digest.hexdigest():
        raise UsageError(f"{path}: its cells were changed after the run (hash differs from the footer's). {AGAIN}")
    return Report(head, results)


def _line(path: Path, lines: Sequence[bytes], index: int, key: str) -> dict[str, Any]:
    """The header or footer object."""
    try:
        found = json.loads(lines[index])[key]
    except (ValueError, KeyError, IndexError, TypeError):
        found = None
    if not isinstance(found, dict):
        cure = "the run was interrupted or the file was cut" if key == "footer" else "it is no report of a run"
        raise UsageError(f"{path}: no {key}: {cure}. {AGAIN}")
    return found
