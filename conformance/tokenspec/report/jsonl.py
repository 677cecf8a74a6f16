"""The saved form of a run: JSON lines with a header, one line a cell, and a footer that proves it is whole."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.adapters import Column
from tokenspec.errors import UsageError
from tokenspec.model import write_atomically
from tokenspec.verdict import CellResult

FORMAT = 1


def header(columns: Iterable[Column]) -> dict[str, Any]:
    """Who was judged, by what."""
    versions = {}
    for package in ("tokenspec", "transformers", "tokenizers", "jinja2", "torch"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "format": FORMAT,
        "suite": versions,
        "python": platform.python_version(),
        "implementations": {column.name: column.info for column in columns},
    }


def write_report(path: Path, columns: Iterable[Column], results: Iterable[CellResult]) -> None:
    """Write a whole report, atomically."""
    lines = [json.dumps({"header": header(columns)}, ensure_ascii=False)]
    lines += [msgspec.json.encode(result).decode() for result in results]
    lines.append(json.dumps({"footer": {"cells": len(lines) - 1}}))
    write_atomically(path, "\n".join(lines) + "\n")


@dataclass(frozen=True)
class Report:
    """A report read back."""

    header: dict[str, Any]
    results: list[CellResult]


def read_report(path: Path) -> Report:
    """Read a report; a truncated or foreign file is a usage error that says so."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        head = json.loads(lines[0])["header"]
        footer = json.loads(lines[-1])["footer"]
        results = [msgspec.json.decode(line, type=CellResult) for line in lines[1:-1]]
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Make one with: tokenspec run --impl NAME --report {path}"
        ) from error
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise UsageError(
            f"{path}: not a whole report ({error}); it has no footer or was cut. Run again with --report."
        ) from error
    if head.get("format") != FORMAT or footer["cells"] != len(results):
        raise UsageError(
            f"{path}: {len(results)} cells of {footer['cells']}, format {head.get('format')}. Run again with --report."
        )
    return Report(head, results)
