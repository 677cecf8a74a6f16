"""The typed shape of fixtures: a case is an input, a golden is what an oracle made of it on one row.

Files are canonical JSON (UTF-8, LF, declared key order, token ids sixteen a line), so a diff is readable and a
re-run writes the same bytes. Unknown fields, duplicate keys and truncated files are errors, never ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar

import msgspec

from .errors import FixtureError

IDS_PER_LINE = 16
LARGEST_FILE = 16 * 1024 * 1024
T = TypeVar("T")


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A model-independent input.

    ``id`` is ``<area>/<slug>`` and is never reused. ``why`` says what the case pins, ``flags`` what a failure means
    (``fixtures/flags.toml``), ``requires`` which requirements it exercises, ``features`` what a row must declare for
    the case to apply. ``input`` is typed by the area. ``rows`` restricts a case to named rows. ``expect`` carries the
    expectation of cases whose answer does not depend on a model, with ``source`` naming the oracle that made it;
    ``outcome`` says whether such a case is to be answered or refused (for other cases the golden says so).
    """

    id: str
    area: str
    flags: list[str]
    requires: list[str]
    features: list[str] = []
    why: str
    since: str
    issue: str | None = None
    rows: list[str] | None = None
    source: str | None = None
    input: dict[str, Any]
    outcome: Literal["ok", "raises"] = "ok"
    expect: dict[str, Any] | None = None

    @property
    def slug(self) -> str:
        """The id without its area."""
        return self.id.split("/", 1)[1]


class Golden(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The expected outcome of one case on one row, made by the oracle named in it.

    ``pins`` are the sha256 of everything of the row that the outcome depends on; ``input_sha256`` is the hash of the
    case's input. ``expect`` is typed by the area; it is None exactly when ``outcome`` is ``raises``.
    """

    case: str
    row: str
    input_sha256: str
    pins: dict[str, str]
    oracle: dict[str, str]
    outcome: Literal["ok", "raises"]
    error: str | None = None
    expect: dict[str, Any] | None = None


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


def read_json(path: Path) -> Any:
    """Parse one fixture file, wherever it comes from.

    Raises:
        FixtureError: duplicate keys, NaN, bad UTF-8, truncation, or more nesting or bytes than any fixture has.
    """
    try:
        if (size := path.stat().st_size) > LARGEST_FILE:
            raise FixtureError(path, f"has {size >> 20} MiB; no fixture has more than {LARGEST_FILE >> 20} MiB")
        text = path.read_bytes().decode("utf-8")
        return json.loads(text, object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant)
    except RecursionError as error:
        raise FixtureError(path, "is nested too deeply to be a fixture") from error
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise FixtureError(path, str(error)) from error


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
    pad, inner = "  " * indent, "  " * (indent + 1)
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_inline(key)}: {_write(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{pad}}}"
    if isinstance(value, list | tuple) and value:
        if all(isinstance(item, int | float) for item in value):
            rows = [value[start : start + IDS_PER_LINE] for start in range(0, len(value), IDS_PER_LINE)]
            if len(rows) == 1:
                return _inline(value)
            return "[\n" + ",\n".join(inner + _inline(row)[1:-1] for row in rows) + f"\n{pad}]"
        if all(not isinstance(item, dict | list | tuple) for item in value):
            return _inline(value)
        return "[\n" + ",\n".join(inner + _span_or_nested(item, indent + 1) for item in value) + f"\n{pad}]"
    return _inline(value)


def _span_or_nested(value: object, indent: int) -> str:
    """A short list of scalars (a span, a pair) reads best on one line."""
    flat = isinstance(value, list | tuple) and not any(isinstance(item, dict | list | tuple) for item in value)
    return _inline(value) if flat else _write(value, indent)


def canonical_json(value: object) -> str:
    """The one way a fixture is written: two-space indent, sixteen numbers a line, spans one a line, final newline."""
    return _write(msgspec.to_builtins(value), 0) + "\n"


@contextmanager
def open_atomically(path: Path) -> Iterator[TextIO]:
    """A stream into a temporary file that is renamed at the end: a crash leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's file mode mask: a temporary file is private, a finished one is like any other."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_atomically(path: Path, text: str) -> None:
    """Write a whole file at once, or leave the old one."""
    with open_atomically(path) as stream:
        stream.write(text)


_RUN = re.compile(r"([FT])(\d+)")


def encode_mask(mask: list[bool]) -> str:
    """Run-length form of a mask: ``[False, False, True]`` is ``F2T1``; the empty mask is the empty string."""
    runs: list[str] = []
    start = 0
    for position in range(1, len(mask) + 1):
        if position == len(mask) or mask[position] != mask[start]:
            runs.append(f"{'T' if mask[start] else 'F'}{position - start}")
            start = position
    return "".join(runs)


def decode_mask(mask: str | list[bool]) -> list[bool]:
    """Both accepted forms of a mask to a list of booleans; a malformed run-length string is a ValueError."""
    if not isinstance(mask, str):
        return list(mask)
    runs = _RUN.findall(mask)
    if "".join(kind + count for kind, count in runs) != mask:
        raise ValueError(f"mask {mask!r} is not of the form F12T300F2")
    return [kind == "T" for kind, count in runs for _ in range(int(count))]
