"""Key-value metadata of a GGUF file (the tokenizer lives there; tensors are not read)."""

from __future__ import annotations

import struct
from typing import Any

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_HEADER = struct.Struct("<4sIQQ")


def read_metadata(data: bytes) -> dict[str, Any]:
    """All metadata of a little-endian GGUF file, version 2 or 3.

    Raises:
        ValueError: not such a file, or it ends early.
    """
    if len(data) < _HEADER.size:
        raise ValueError(f"{len(data)} bytes are shorter than a GGUF header")
    magic, version, _, entries = _HEADER.unpack_from(data)
    if magic != b"GGUF" or version not in (2, 3):
        raise ValueError(f"expected GGUF version 2 or 3, found {magic!r} version {version}")
    offset, metadata = _HEADER.size, {}
    try:
        for _ in range(entries):
            key, offset = _read(data, offset, _STRING)
            (kind,) = struct.unpack_from("<I", data, offset)
            metadata[key], offset = _read(data, offset + 4, kind)
    except struct.error as error:
        raise ValueError(f"the file ends inside its metadata at byte {offset}") from error
    return metadata


def _read(data: bytes, offset: int, kind: int) -> tuple[Any, int]:
    if kind == _STRING:
        (length,) = struct.unpack_from("<Q", data, offset)
        end = offset + 8 + length
        if end > len(data):
            raise struct.error
        return data[offset + 8 : end].decode(), end
    if kind == _ARRAY:
        item, count = struct.unpack_from("<IQ", data, offset)
        offset += 12
        if item in _SCALARS:
            fmt = f"<{count}{_SCALARS[item][1]}"
            return list(struct.unpack_from(fmt, data, offset)), offset + struct.calcsize(fmt)
        values = []
        for _ in range(count):
            value, offset = _read(data, offset, item)
            values.append(value)
        return values, offset
    if kind not in _SCALARS:
        raise ValueError(f"unknown value type {kind} at byte {offset}")
    fmt = _SCALARS[kind]
    (value,) = struct.unpack_from(fmt, data, offset)
    return value, offset + struct.calcsize(fmt)
