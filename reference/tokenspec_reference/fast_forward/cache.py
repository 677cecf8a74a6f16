"""Keeps token bytes on disk under the hash of the tokenizer they came from."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

FORMAT = 1


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    digest: str
    by_id: list[bytes | None]


def load_bytes(directory: Path, digest: str) -> list[bytes | None] | None:
    """The stored bytes, or None where there are none: a damaged or foreign file counts as none and is rewritten."""
    try:
        stored = msgspec.msgpack.decode(_path(directory, digest).read_bytes(), type=_Stored)
    except (OSError, msgspec.DecodeError):
        return None
    return stored.by_id if (stored.format, stored.digest) == (FORMAT, digest) else None


def store_bytes(directory: Path, digest: str, by_id: Sequence[bytes | None]) -> None:
    """Write the file whole or not at all."""
    directory.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=directory, prefix=".token-bytes-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.msgpack.encode(_Stored(FORMAT, digest, list(by_id))))
        Path(name).replace(_path(directory, digest))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _path(directory: Path, digest: str) -> Path:
    return directory / f"token-bytes-{digest}.msgpack"
