"""How a fixture is read and written: strictly, and in one way.

Files are canonical JSON (UTF-8, LF, declared key order, short values on one line, ids sixteen a line), so a diff is
readable and a re-run writes the same bytes. Unknown fields, duplicate keys and truncated files are errors, never
ignored.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tokenspec.errors import FixtureError

IDS_PER_LINE = 16
WIDTH = 120
OUTER_LEVELS = 2
"""Levels whose entries always stand on lines of their own: the file, and the list of its entries."""
LARGEST_FILE = 16 * 1024 * 1024
T = TypeVar("T")


def input_sha256(value: object) -> str:
    """The hash that ties a golden to the input it was made from."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f"duplicate JSON key {key!r}: remove one of the two")
        keys.add(key)
    return dict(pairs)


def _reject_constant(name: str) -> None:
    raise ValueError(f'{name} is not JSON; write a string, like "-inf"')


def read_bytes(path: Path) -> bytes:
    """The content of one fixture file, wherever it comes from.

    Raises:
        FixtureError: it cannot be read, or has more bytes than any fixture.
    """
    try:
        if (size := path.stat().st_size) > LARGEST_FILE:
            raise FixtureError(path, f"has {size >> 20} MiB; no fixture has more than {LARGEST_FILE >> 20} MiB")
        return path.read_bytes()
    except OSError as error:
        raise FixtureError(path, str(error)) from error


def parse_json(content: bytes, where: object) -> Any:
    """Parse one fixture file.

    Raises:
        FixtureError: duplicate keys, NaN, bad UTF-8, truncation, or more nesting than any fixture has.
    """
    try:
        return json.loads(
            content.decode("utf-8"), object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant
        )
    except RecursionError as error:
        raise FixtureError(where, "is nested too deeply to be a fixture") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise FixtureError(where, str(error)) from error


def read_json(path: Path) -> Any:
    """Read and parse one fixture file."""
    return parse_json(read_bytes(path), path)


def convert(value: object, kind: type[T], *, where: object) -> T:
    """Decode a JSON value into a typed struct; the error names the field that does not fit."""
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise FixtureError(where, str(error)) from error


def read_fixture(path: Path, kind: type[T]) -> T:
    """Read and type one fixture file."""
    return convert(read_json(path), kind, where=path)


def toml_string(text: str) -> str:
    """A TOML basic string: that of JSON, with the one character TOML escapes and JSON does not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(value: object, indent: int) -> str:
    line = _inline(value)
    if indent >= OUTER_LEVELS and len(line) + 2 * indent <= WIDTH:
        return line
    pad, inner = "  " * indent, "  " * (indent + 1)
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_inline(key)}: {_write(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{pad}}}"
    if isinstance(value, list | tuple) and value:
        if any(isinstance(item, dict | list | tuple) for item in value):
            return "[\n" + ",\n".join(inner + _write(item, indent + 1) for item in value) + f"\n{pad}]"
        if len(value) > IDS_PER_LINE and all(isinstance(item, int | float) for item in value):
            rows = [value[start : start + IDS_PER_LINE] for start in range(0, len(value), IDS_PER_LINE)]
            return "[\n" + ",\n".join(inner + _inline(row)[1:-1] for row in rows) + f"\n{pad}]"
    return line


def canonical_json(value: object) -> str:
    """The one way a fixture is written: two-space indent, short values on one line, sixteen numbers a line."""
    return _write(msgspec.to_builtins(value), 0) + "\n"
