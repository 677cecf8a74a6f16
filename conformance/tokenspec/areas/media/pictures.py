"""Pictures of cases: written here, byte for byte, so that no binary lies in the tree and no library decides the bytes.

A case writes ``{"type": "image", "picture": [width, height, shade]}``, and behind the shade how the camera was held, as
the EXIF tag of orientation says it (6: width and height change places upright). The request has the picture in that
place, or under the name that ``under`` says. Without a ``type`` that name tells what the part is.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

MEDIA_TYPES = {"image": "image", "image_url": "image", "video": "video", "video_url": "video"}
"""The types of media parts, and the modality of each."""
LONGEST_BLOCK = 65_535
EXIF = b"MM\0*" + struct.pack(">IHHHI", 8, 1, 0x0112, 3, 1)
"""A directory of one entry, the orientation, up to its value."""


def png(width: int, height: int, shade: int, held: int = 0) -> bytes:
    """A picture of one shade (0 black, 1 white): one bit a pixel, stored without compression.

    ``held`` is its orientation; 0: it has none.
    """
    row = b"\0" + (b"\xff" if shade else b"\0") * ((width + 7) // 8)
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    exif = ((b"eXIf", EXIF + struct.pack(">H", held) + bytes(6)),) if held else ()
    parts = ((b"IHDR", header), *exif, (b"IDAT", _stored(row * height)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _stored(data: bytes) -> bytes:
    """A zlib stream that every implementation would write the same way: stored blocks."""
    blocks = [data[start : start + LONGEST_BLOCK] for start in range(0, len(data), LONGEST_BLOCK)]
    last = len(blocks) - 1
    packed = b"".join(
        struct.pack("<BHH", number == last, len(block), len(block) ^ 0xFFFF) + block
        for number, block in enumerate(blocks)
    )
    return b"\x78\x01" + packed + struct.pack(">I", zlib.adler32(data))


def data_uri(width: int, height: int, shade: int, held: int = 0) -> str:
    """The picture as a ``data:`` URI."""
    return "data:image/png;base64," + base64.b64encode(png(width, height, shade, held)).decode()


def bytes_of(source: Any) -> bytes | None:
    """The bytes of a ``data:`` URI, none where they cannot be read; None where it is another source."""
    if not isinstance(source, str) or not source.startswith("data:"):
        return None
    head, _, payload = source.partition(",")
    try:
        return base64.b64decode(payload, validate=True) if head.endswith(";base64") else unquote_to_bytes(payload)
    except binascii.Error:
        return b""


def with_pictures(messages: list[Any]) -> list[Any]:
    """Messages as they are asked: a picture or a list of pictures in the place of its description."""
    return [_mapped(message, _carried) for message in messages]


def without_data(messages: list[Any]) -> list[Any]:
    """Messages as a template sees them: that there is a medium, and nothing of it."""
    return [_mapped(message, _bare) for message in messages]


def modality_of(part: Any) -> str | None:
    """The modality of a part of a content list; None where it is no medium."""
    if not isinstance(part, dict):
        return None
    stated = part["type"] if "type" in part else next((name for name in MEDIA_TYPES if name in part), part.get("under"))
    return MEDIA_TYPES.get(stated or "")


def media_parts(messages: list[Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(message, modality, part) of all media parts, in order."""
    for index, message in enumerate(messages):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if (kind := modality_of(part)) is not None:
                yield index, kind, part


def _mapped(message: Any, change: Any) -> Any:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = [part if modality_of(part) is None else change(part) for part in content]
    return {**message, "content": parts}


def _carried(part: dict[str, Any]) -> dict[str, Any]:
    name: str = part.get("under") or part["type"]
    declared = {key: value for key, value in part.items() if key not in {"picture", "pictures", "under"}}
    if "picture" in part:
        uri = data_uri(*part["picture"])
        return {**declared, name: {"url": uri} if name.endswith("_url") else uri}
    if "pictures" in part:
        return {**declared, name: [data_uri(*picture) for picture in part["pictures"]]}
    return declared


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    kind: str = part.get("type") or modality_of(part) or ""
    stated = {"type": kind} if "type" in part else {}
    return {**stated, kind: {"url": "medium"} if kind.endswith("_url") else "medium"}
