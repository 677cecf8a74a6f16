"""The size of a picture that has to be opened: the one place that needs Pillow, and only when it is reached."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.errors import InvalidMessages, UnsupportedByReference

ORIENTATION = 0x0112
"""The EXIF tag of how a camera was held."""
TURNED = frozenset({5, 6, 7, 8})
"""Its values under which width and height change places, as every processor turns the picture upright first."""


@dataclass(frozen=True)
class Picture:
    """Size in pixels, upright, and the SHA-256 of the bytes in hex."""

    width: int
    height: int
    digest: str


def is_opened(source: Any) -> bool:
    """Whether somebody opened the picture already (an image of Pillow, which is not imported for this)."""
    return all(hasattr(source, name) for name in ("size", "mode", "tobytes", "getexif"))


def opened(image: Any) -> Picture:
    """An image of Pillow; its bytes are mode, size and pixels."""
    width, height = _upright(image)
    pixels = hashlib.sha256(f"{image.mode} {image.size} ".encode())
    pixels.update(image.tobytes())
    return Picture(width, height, pixels.hexdigest())


def open_picture(data: bytes, field: str) -> Picture:
    """The size that the header of a PNG, JPEG, GIF or WebP file says; its pixels are not decoded.

    Raises:
        UnsupportedByReference: Pillow is not installed.
        InvalidMessages: the bytes are no picture.
    """
    try:
        from PIL import Image
    except ImportError:
        raise UnsupportedByReference(
            "the picture has to be opened, which needs Pillow: pip install 'tokenspec[images]'; "
            "or declare 'width' and 'height'",
            field=field,
        ) from None
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = _upright(image)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InvalidMessages(f"the bytes are no picture that Pillow opens: {error}", field=field) from error
    return Picture(width, height, hashlib.sha256(data).hexdigest())


def _upright(image: Any) -> tuple[int, int]:
    width, height = image.size
    return (height, width) if image.getexif().get(ORIENTATION) in TURNED else (width, height)
