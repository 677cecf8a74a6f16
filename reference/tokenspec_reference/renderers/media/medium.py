"""One picture or video of a conversation: its kind, size, frames and hash, declared or read."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from tokenspec_reference.errors import InvalidMessages, UnsupportedByReference
from tokenspec_reference.renderers.media.picture import Picture, is_opened, open_picture, opened

Kind = Literal["image", "video"]

KINDS: tuple[Kind, ...] = ("image", "video")


@dataclass(frozen=True)
class Medium:
    """What the number of its placeholders depends on.

    Attributes:
        kind: ``image`` or ``video``.
        width: pixels.
        height: pixels.
        digest: the declared ``hash``, else the SHA-256 of its bytes in hex; None where neither is at hand.
        frames: how many frames the video has; 1 for a picture.
        frame_rate: frames per second of the video; None where nobody says.
        frame_indices: the frames that were taken of it; None where the publisher's rule is to take them.
        place: what errors call its part.
    """

    kind: Kind
    width: int
    height: int
    digest: str | None = None
    frames: int = 1
    frame_rate: float | None = None
    frame_indices: tuple[int, ...] | None = None
    place: str = dataclasses.field(default="messages", compare=False)


SOUND = ("audio", "audio_url", "input_audio")


def media_of(messages: Any, field: str = "messages") -> list[Medium]:
    """All media parts of the messages, in order; ``field`` is what errors call the messages.

    A part declares ``width`` and ``height``, a video also ``total_num_frames`` (and ``fps``, and ``frames_indices``
    where frames were taken already), and may declare ``hash``. Where a picture does not, it is opened: an image of
    Pillow, bytes, a ``data:`` URI, a path. What lies behind ``http`` is never fetched.

    Raises:
        InvalidMessages: names the part and what it lacks.
        UnsupportedByReference: a picture has to be opened and Pillow is not there.
    """
    found = []
    for index, message in enumerate(messages if isinstance(messages, (list, tuple)) else ()):
        for position, part in enumerate(parts_of(message)):
            kind = kind_of(part)
            if isinstance(part, Mapping) and part.get("type") in SOUND:
                raise UnsupportedByReference(
                    "sound is not expanded; take the part out, or render without process_multimodal",
                    field=f"{field}[{index}].content[{position}]",
                )
            if kind is not None:
                place = f"{field}[{index}].content[{position}]"
                found.append(dataclasses.replace(_measured(part, kind, place), place=place))
    return found


def refuse_media(messages: Any) -> None:
    """Refuse media that nobody described the expansion of; text alone is rendered as ever.

    Raises:
        UnsupportedByReference: a message holds a picture or a video.
    """
    for index, message in enumerate(messages if isinstance(messages, (list, tuple)) else ()):
        if any(kind_of(part) is not None for part in parts_of(message)):
            raise UnsupportedByReference(
                "what this template's processor writes for media is not described", field=f"messages[{index}]"
            )


def kind_of(part: Any) -> Kind | None:
    """What a part of a content list is; None where it is no picture and no video."""
    if not isinstance(part, Mapping):
        return None
    stated = part.get("type")
    for kind in KINDS:
        names = (kind, f"{kind}_url")
        if stated in names or (stated is None and any(part.get(name) is not None for name in names)):
            return kind
    return None


def parts_of(message: Any) -> Sequence[Any]:
    """The parts of a message whose content is a list; none where it is text."""
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, (list, tuple)) else ()


def _measured(part: Mapping[str, Any], kind: Kind, field: str) -> Medium:
    source = source_of(part, kind)
    digest = part.get("hash")
    if digest is not None and not isinstance(digest, str):
        raise InvalidMessages(f"expected text, got {type(digest).__name__}", field=f"{field}.hash")
    declared = part.get("width") is not None and part.get("height") is not None
    if kind == "image":
        if not declared:
            picture = _opened(source, field)
            return Medium(kind, picture.width, picture.height, digest or picture.digest)
        known = digest or _digest_at_hand(source, field)
        return Medium(kind, _size(part, "width", field), _size(part, "height", field), known)
    return _video(part, source, digest, field, declared=declared)


def _video(part: Mapping[str, Any], source: Any, digest: str | None, field: str, *, declared: bool) -> Medium:
    """A video is a declared size and number of frames, or a list of pictures of one size."""
    frames = list(source) if isinstance(source, (list, tuple)) else []
    if declared or not frames:
        width, height = _size(part, "width", field), _size(part, "height", field)
        count = len(frames) or _size(part, "total_num_frames", field)
        digests = [_digest_at_hand(frame, field) for frame in frames]
    else:
        pictures = [_opened(frame, f"{field}.video[{k}]") for k, frame in enumerate(frames)]
        sizes = {(picture.width, picture.height) for picture in pictures}
        if len(sizes) > 1:
            raise InvalidMessages(f"the frames have different sizes: {sorted(sizes)}", field=field)
        (width, height), count = sizes.pop(), len(frames)
        digests = [picture.digest for picture in pictures]
    known = [one for one in digests if one is not None]
    if known and len(known) == len(frames):
        digest = digest or hashlib.sha256("".join(known).encode()).hexdigest()
    rate, taken = part.get("fps"), part.get("frames_indices")
    if rate is not None and (isinstance(rate, bool) or not isinstance(rate, (int, float)) or not rate > 0):
        raise InvalidMessages(f"expected frames per second, got {rate!r}", field=f"{field}.fps")
    if taken is not None and (not isinstance(taken, (list, tuple)) or not taken or not all(map(_is_index, taken))):
        raise InvalidMessages("expected a list of frame numbers from 0", field=f"{field}.frames_indices")
    return Medium("video", width, height, digest, count, rate, None if taken is None else tuple(taken))


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _size(part: Mapping[str, Any], name: str, field: str) -> int:
    value = part.get(name)
    if value is None:
        raise InvalidMessages(f"declare {name!r}: nothing is fetched and no video is opened", field=field)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidMessages(f"expected a whole number above 0, got {value!r}", field=f"{field}.{name}")
    return value


def source_of(part: Mapping[str, Any], kind: Kind) -> Any:
    """What the part gives of the medium itself; None where it only declares it."""
    for name in (kind, f"{kind}_url", "url", "path"):
        value = part.get(name)
        if value is not None:
            return value.get("url") if isinstance(value, Mapping) else value
    return None


def _opened(source: Any, field: str) -> Picture:
    data = _bytes_at_hand(source, field)
    if data is not None:
        return open_picture(data, field)
    if is_opened(source):
        return opened(source)
    if isinstance(source, str) and not source.startswith(("http:", "https:")):
        return open_picture(_read(source.removeprefix("file://"), field), field)
    if source is None or isinstance(source, str):
        raise InvalidMessages(
            "declare 'width' and 'height', or give the picture itself: nothing is fetched", field=field
        )
    raise InvalidMessages(
        f"{type(source).__name__} is no picture; give an image of Pillow, bytes, a data: URI or a path", field=field
    )


def _digest_at_hand(source: Any, field: str) -> str | None:
    """The hash of the bytes that the part itself carries."""
    data = _bytes_at_hand(source, field)
    return None if data is None else hashlib.sha256(data).hexdigest()


def _bytes_at_hand(source: Any, field: str) -> bytes | None:
    """The bytes that the part itself carries; files are not read for this."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if not isinstance(source, str) or not source.startswith("data:"):
        return None
    head, _, payload = source.partition(",")
    if not head.endswith(";base64"):
        return unquote_to_bytes(payload)
    try:
        return base64.b64decode(payload, validate=True)
    except binascii.Error as error:
        raise InvalidMessages(f"the data: URI is no base64: {error}", field=field) from error


def _read(path: str, field: str) -> bytes:
    from pathlib import Path

    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidMessages(f"the picture cannot be read: {error}", field=field) from error
