"""Where conversations come from: files of JSON, tables, `datasets` folders, the hub; cut into shards of rows."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tokenspec.datasets.place import Place
from tokenspec.datasets.row_groups import RowGroups
from tokenspec.errors import UsageError

Kind = Literal["lines", "json", "table", "groups"]
LINES = (".jsonl", ".ndjson")
TABLES = {".parquet": "parquet", ".csv": "csv", ".arrow": "arrow"}
MEBIBYTE = 2**20
LONGEST_CELL = 2**31 - 1
"""Bytes of one cell of a table that csv may hold; records that are too large are findings, not errors of a reader."""


@dataclass(frozen=True)
class Source:
    """What is read. ``files`` are places in order; a ``table`` is opened by ``datasets``: ``loader`` says how.

    ``groups`` are Parquet files of an object store, of which a shard reads its own row groups.
    """

    kind: Kind
    name: str
    files: tuple[str, ...] = ()
    loader: str = ""
    split: str = "train"


@dataclass(frozen=True)
class Shard:
    """Rows ``first`` to ``first + count`` of a source; of lines also where they stand in which file."""

    number: int
    first: int
    count: int
    path: str = ""
    offset: int = 0
    line: int = 0


@dataclass(frozen=True)
class Given:
    """One row: its index in the source, its place for people, and the record, or why there is none."""

    row: int
    place: str
    record: Any = None
    trouble: tuple[str, str] | None = None


def find(data: str, split: str) -> Source:
    """What ``data`` names: a file, a folder, or a data set of the hub.

    Raises:
        UsageError: nothing that can be read.
    """
    if "://" in data and not (place := Place.of(data)).is_local:
        return _of_store(place, split)
    path = Place.of(data).path
    if path.is_file():
        return _of_file(path, split)
    if path.is_dir():
        if (path / "dataset_info.json").exists() or (path / "dataset_dict.json").exists():
            return Source("table", path.name, (str(path),), "folder", split)
        lines = tuple(str(file) for file in sorted(path.iterdir()) if file.suffix in LINES)
        if lines:
            return Source("lines", path.name, lines)
        for suffix, loader in TABLES.items():
            if files := tuple(str(file) for file in sorted(path.glob(f"*{suffix}"))):
                return Source("table", path.name, files, loader, split)
        if any(file.suffix in {*LINES, *TABLES} for file in path.rglob("*")):
            return Source("table", path.name, (str(path),), "hub", split)
        raise UsageError(f"{data}: no .jsonl, .parquet, .csv or .arrow file in this folder")
    if path.suffix or data.startswith(("/", ".", "file:")):
        raise UsageError(f"{data}: no such file or folder. Give a file, a folder, or the name of a data set of the hub")
    return Source("table", data, (data,), "hub", split)


def _of_store(place: Place, split: str) -> Source:
    """Files of an object store: lines, or Parquet, which is read by its row groups."""
    try:
        if place.is_file():
            return _of_file(place, split)
        for kind, suffixes in (("lines", LINES), ("groups", (".parquet",))):
            if files := tuple(file.uri for file in place.files() if file.suffix in suffixes):
                return Source(kind, place.name, files, split=split)  # type: ignore[arg-type]
    except OSError as error:
        raise UsageError(f"{place}: cannot be read: {error}") from error
    raise UsageError(f"{place}: no .jsonl or .parquet file there. Other tables: convert them, or copy them here")


def _of_file(path: Path | Place, split: str) -> Source:
    if path.suffix in TABLES:
        if isinstance(path, Path):
            return Source("table", path.name, (str(path),), TABLES[path.suffix], split)
        if path.suffix == ".parquet":
            return Source("groups", path.name, (str(path),), split=split)
        raise UsageError(f"{path}: of an object store .jsonl, .json and .parquet are read. Convert it, or copy it here")
    with Place(str(path)).open() as stream:
        head = stream.read(4096)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UsageError(f"{path}: byte 0: the file is UTF-16. Save it as UTF-8")
    if path.suffix in LINES:
        return Source("lines", path.name, (str(path),))
    if path.suffix != ".json":
        raise UsageError(f"{path}: expected .jsonl, .json, .parquet, .csv, .arrow or a folder")
    is_list = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["
    return Source("json" if is_list else "lines", path.name, (str(path),))


def cut(source: Source, rows: int) -> list[Shard]:
    """The shards of a source, ``rows`` rows each, in its order.

    Raises:
        UsageError: it cannot be opened.
    """
    if source.kind == "lines":
        return list(_cut_lines(source, rows))
    total = len(_records(source))
    return [Shard(k, first, min(rows, total - first)) for k, first in enumerate(range(0, total, rows))]


def _cut_lines(source: Source, rows: int) -> Iterator[Shard]:
    number = first = 0
    for path in source.files:
        offset = count = number_of_line = 0
        begins = 0, 0
        with Place(path).open() as stream:
            for line in stream:
                if count == 0:
                    begins = offset, number_of_line
                offset += len(line)
                number_of_line += 1
                count += bool(line.strip())
                if count == rows:
                    yield Shard(number, first, count, path, *begins)
                    number, first, count = number + 1, first + count, 0
        if count:
            yield Shard(number, first, count, path, *begins)
            number, first = number + 1, first + count


def read(source: Source, shard: Shard, largest: int = 16 * MEBIBYTE) -> Iterator[Given]:
    """The rows of a shard; one that cannot be read, or has more than ``largest`` bytes, is there with its trouble."""
    if source.kind == "lines":
        yield from _read_lines(shard, largest)
        return
    records = _records(source)
    for row in range(shard.first, shard.first + shard.count):
        yield _of_table(records, row, f"{source.name}:row {row}", largest)


def _of_table(records: Any, row: int, place: str, largest: int) -> Given:
    try:
        record = records[row]
        size = _size(record)
    except OSError:
        raise  # the disk or the store, not the row
    except Exception as error:  # noqa: BLE001 - what a cell holds and nobody can read is said of its row
        return Given(row, place, trouble=("broken-record", f"{type(error).__name__}: {error}"))
    if size > largest:
        return Given(row, place, trouble=("too-large", f"{size} bytes, {largest} allowed"))
    return Given(row, place, record)


def _read_lines(shard: Shard, largest: int) -> Iterator[Given]:
    row, number, name = shard.first, shard.line, Place(shard.path).name
    with Place(shard.path).open() as stream:
        stream.seek(shard.offset)
        while row < shard.first + shard.count:
            line = stream.readline()
            number += 1
            if not line.strip():
                continue
            yield _given(row, f"{name}:{number}", line.removeprefix(codecs.BOM_UTF8) if number == 1 else line, largest)
            row += 1


def _given(row: int, place: str, line: bytes, largest: int) -> Given:
    from tokenspec_reference.preparation.json_text import parse

    if len(line) > largest:
        return Given(row, place, trouble=("too-large", f"{len(line)} bytes, {largest} allowed"))
    try:
        return Given(row, place, parse(line.decode("utf-8")))
    except UnicodeDecodeError as error:
        return Given(
            row, place, trouble=("wrong-encoding", f"byte {error.start} (0x{line[error.start]:02x}) is no UTF-8")
        )
    except json.JSONDecodeError as error:
        return Given(row, place, trouble=("broken-record", f"column {error.colno}: {error.msg}"))
    except (RecursionError, ValueError) as error:
        return Given(row, place, trouble=("broken-record", f"{type(error).__name__}: {error}"))


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 1


@lru_cache(maxsize=1)
def _records(source: Source) -> Any:
    """Rows by index: a list of JSON in memory, or a table that stays on disk."""
    if source.kind == "json":
        from tokenspec_reference.preparation.json_text import parse

        path = Place(source.files[0])
        try:
            found = parse(path.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: byte {error.start} is not UTF-8. Save the file as UTF-8") from error
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}: {error.msg}"
            raise UsageError(f"{path}: {where}. One record a line (.jsonl) would lose only that one") from error
        except (RecursionError, ValueError) as error:
            raise UsageError(f"{path}: {error}. One record a line (.jsonl) would lose only that one") from error
        return found
    return RowGroups.of(source.files) if source.kind == "groups" else _table(source)


def _table(source: Source) -> Any:
    import csv

    import datasets

    csv.field_size_limit(LONGEST_CELL)
    try:
        if source.loader == "folder":
            opened = datasets.load_from_disk(source.files[0])
            if isinstance(opened, datasets.DatasetDict):
                if source.split not in opened:
                    raise UsageError(f"{source.name}: no split {source.split!r}; it has {', '.join(opened)}")
                opened = opened[source.split]
            return opened
        if source.loader == "hub":
            return datasets.load_dataset(source.files[0], split=source.split)
        return datasets.load_dataset(source.loader, data_files=list(source.files), split="train")
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{source.name}: cannot be opened: {error}") from error


def hashes(source: Source) -> dict[str, str]:
    """What the source is, for a manifest: the sha256 of each file by its name, or the fingerprint of a table."""
    if source.loader == "hub" and (folder := Path(source.files[0])).is_dir():
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): Place(str(path)).sha256() for path in files}
    if source.loader in {"folder", "hub"}:
        return {source.name: str(getattr(_records(source), "_fingerprint", ""))}
    return {Place(path).name: Place(path).sha256() for path in source.files}
