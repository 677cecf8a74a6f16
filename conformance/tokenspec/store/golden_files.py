"""Goldens on disk: ``golden/[stand-in/]<row>/<area>.json``, the whole grade of a row in an area.

Pins and oracle stand once at the top; a golden that differs in one of them says so itself. Goldens are keyed by slug.
Flips (``flips/<version>/...``) have the same form.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

import msgspec

from tokenspec.errors import FixtureError
from tokenspec.store.canonical import canonical_json, parse_json, read_bytes
from tokenspec.store.records import Answer, Golden, Outcome, Source
from tokenspec.store.writing import locked, write_atomically

FILES_KEPT = 256


class GoldenEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A golden without what the file says for all."""

    input_sha256: str
    outcome: Outcome
    pins: dict[str, str] | None = None
    oracle: dict[str, str] | None = None
    error: str | None = None
    witnesses: dict[str, list[str]] = {}
    expect: dict[str, Any] | None = None
    answers: dict[Source, Answer] = {}


class GoldenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The goldens of one row in one area, by slug."""

    row: str
    area: str
    pins: dict[str, str]
    oracle: dict[str, str]
    cases: dict[str, GoldenEntry]

    def golden(self, slug: str) -> Golden | None:
        """One golden, whole; None where the file has none of that name."""
        entry = self.cases.get(slug)
        if entry is None:
            return None
        return Golden(
            case=f"{self.area}/{slug}",
            row=self.row,
            input_sha256=entry.input_sha256,
            pins=self.pins if entry.pins is None else entry.pins,
            oracle=self.oracle if entry.oracle is None else entry.oracle,
            outcome=entry.outcome,
            error=entry.error,
            expect=entry.expect,
            witnesses=entry.witnesses,
            answers=entry.answers,
        )


def read_goldens(path: Path) -> GoldenFile | None:
    """The goldens of one file, or None where there is no file. What is returned is shared: it is never changed.

    Raises:
        FixtureError: the file is cut, has a field or a slug twice, or one that is not known; the place is named.
    """
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return _read(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=FILES_KEPT)
def _read(path: Path, _written: int, _size: int) -> GoldenFile:
    return decode_goldens(read_bytes(path), path)


def decode_goldens(content: bytes, path: PurePath) -> GoldenFile:
    """One file of goldens out of its bytes; ``path`` is its place, which says its row and area, too."""
    try:
        file = msgspec.json.decode(content, type=GoldenFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        parse_json(content, path)
        raise FixtureError(path, str(error)) from error
    if content.count(b'\n    "') != len(file.pins) + len(file.oracle) + len(file.cases):
        parse_json(content, path)  # not the canonical form, or a key twice: the strict reader tells which
    said = (path.stem, path.parent.name)
    if (file.area, file.row) != said:
        raise FixtureError(path, f"says area {file.area!r} of row {file.row!r}, but lies at {said[1]}/{said[0]}")
    return file


def write_goldens(path: Path, changes: Mapping[str, Golden | None]) -> None:
    """Put goldens into a file, or take them out (None), and leave the others. The file is whole at any time.

    The file's folder and name are its row and area. A file without goldens goes.

    Raises:
        FixtureError: the file that is there cannot be read; it is left alone.
    """
    with locked(path):
        file = read_goldens(path)
        goldens = {} if file is None else {slug: golden for slug in file.cases if (golden := file.golden(slug))}
        for slug, golden in changes.items():
            if golden is None:
                goldens.pop(slug, None)
            else:
                goldens[slug] = golden
        if goldens:
            write_atomically(path, canonical_json(file_of(path.parent.name, path.stem, goldens.values())))
        elif file is not None:
            path.unlink()


def file_of(row: str, area: str, goldens: Iterable[Golden]) -> GoldenFile:
    """One file's content: what most goldens say of pins and oracle stands at the top, the slugs are sorted."""
    ordered = sorted(goldens, key=lambda golden: golden.slug)
    pins = most_said([golden.pins for golden in ordered])
    oracle = most_said([golden.oracle for golden in ordered])
    return GoldenFile(
        row=row,
        area=area,
        pins=pins,
        oracle=oracle,
        cases={
            golden.slug: GoldenEntry(
                input_sha256=golden.input_sha256,
                outcome=golden.outcome,
                pins=None if golden.pins == pins else golden.pins,
                oracle=None if golden.oracle == oracle else golden.oracle,
                error=golden.error,
                witnesses=golden.witnesses,
                expect=golden.expect,
                answers=golden.answers,
            )
            for golden in ordered
        },
    )


def most_said(values: list[dict[str, str]]) -> dict[str, str]:
    """The most frequent value; of several the first in the order of their JSON."""
    counted = Counter(json.dumps(value) for value in values)
    chosen: dict[str, str] = json.loads(min(counted, key=lambda text: (-counted[text], text)))
    return chosen
