"""The saved form of a run: JSON lines with a header, one line a cell, and a footer that proves it is whole.

Lines end with a line feed and nothing else: U+2028 inside a text is not a line end. A report whose name ends in ``.gz``
is compressed, to about a twenty-fifth.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from tokenspec.errors import UsageError
from tokenspec.report.catalog import FORMAT
from tokenspec.report.sample import Sample
from tokenspec.store.writing import is_special, naming, open_atomically
from tokenspec.verdict import CellResult

AGAIN = "Run again with --report."
GZIP = b"\x1f\x8b"
PART = ".part"


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
        stream.write(footer_line(count, digest.hexdigest()) + "\n")


def footer_line(count: int, digest: str) -> str:
    """The last line of a report: how many cells it has, and the hash of their lines."""
    return json.dumps({"footer": {"cells": count, "sha256": digest}})


@contextmanager
def growing_report(path: Path | None, head: dict[str, Any]) -> Iterator[Callable[[CellResult], None]]:
    """While a run lasts, keep its cells in ``PATH.part``: the report, without a footer, of a run that is killed."""
    if path is None or is_special(path):
        yield lambda _result: None
        return
    part, encoder = path.with_name(path.name + PART), msgspec.json.Encoder()
    try:
        with naming(part), part.open("wb") as stream:
            stream.write(json.dumps({"header": head}).encode() + b"\n")

            def keep(result: CellResult) -> None:
                stream.write(encoder.encode(result) + b"\n")
                stream.flush()

            yield keep
    finally:
        part.unlink(missing_ok=True)


def read_report(path: Path) -> Report:
    """Read a report; one that is cut, changed or foreign is a usage error that says so and what to do.

    ``NAME.part`` has no footer, and its last line may be half written.
    """
    lines = _bytes_of(path).split(b"\n")
    if path.suffix == PART:
        cells = lines[1:-1]
        lines[-1] = footer_line(len(cells), hashlib.sha256(b"".join(cells)).hexdigest()).encode()
    elif not lines[-1]:
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
    check_header(path, head, results)
    return Report(head, results)


class Words(msgspec.Struct):
    """What every header holds, so that a report made by hand or by another program fails here and not in a view."""

    suite: dict[str, str]
    python: str
    fixtures: dict[Literal["version", "sha256"], str]
    oracle: str
    require_judged: float
    implementations: dict[str, dict[str, Any]]
    areas: dict[str, dict[Literal["title", "levels"], Any]]
    rows: dict[str, dict[str, str]]
    cases: dict[str, str]
    sizes: dict[str, int]
    checks: dict[str, dict[str, Any]]
    requirements: dict[str, dict[Literal["level", "title", "link", "text"], str]]
    known_failures: list[dict[str, Any]]
    reasons: dict[str, dict[str, Any] | None]
    sample: Sample | None = None


def check_header(path: Path, head: dict[str, Any], results: Sequence[CellResult]) -> None:
    """The header has all its words, and every result belongs to a column and an area it names."""
    try:
        words = msgspec.convert(head, Words)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: header: {error}. {AGAIN}") from error
    for result in results:
        for what, name, known in (("column", result.impl, words.implementations), ("area", result.area, words.areas)):
            if name not in known:
                raise UsageError(
                    f"{path}: {result.name} is of a {what} {name!r} that the header does not name. {AGAIN}"
                )


def _bytes_of(path: Path) -> bytes:
    """The bytes of a report, which may be compressed under any name."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Make one with: tokenspec run --impl NAME --report {path}"
        ) from error
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(f"{path}: compressed, and damaged or cut: {error}. {AGAIN}") from error


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
