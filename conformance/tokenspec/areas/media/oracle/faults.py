"""What is wrong with a conversation that is refused: each fault with its code and its place in the request."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tokenspec.areas.media.oracle.processors import ProcessorRefuses, placeholders_of
from tokenspec.areas.media.pictures import bytes_of, modality_of, with_pictures, without_data
from tokenspec.areas.media.records import MediaInput
from tokenspec.areas.media.settings import settings_of
from tokenspec.areas.refusal import Due, escaped
from tokenspec.models import Row
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options


def stated_faults(given: MediaInput, row: Row) -> list[Due]:
    """What the chapter refuses before a processor is asked: numbers it does not have, and what no part may say."""
    found = [Due("invalid-input", [place]) for place in _no_numbers(given.media, row)]
    for where, kind, part in _parts(_asked(given)):
        found += [Due("invalid-messages", [place]) for place in _not_said(where, kind, part)]
    return found


def found_faults(given: MediaInput, row: Row, ask: Callable[[MediaInput, Row, list[Any]], object]) -> list[Due]:
    """Why template or processor refuse: media that are refused alone, texts that spell placeholders, or all of it."""
    asked = _asked(given)
    found = []
    for where, kind, part in _parts(asked):
        alone = [{"role": "user", "content": [{**part, "type": kind}]}]
        try:
            ask(MediaInput(messages=alone, media=given.media), row, alone)
        except ProcessorRefuses:
            found.append(Due("media-refused", [where]))
    pads = placeholders_of(row, settings_of(given.media, row.spec))
    spelling = [f"/messages/{index}" for index, message in enumerate(asked) if _spells(_words(message), pads)]
    spelling += ["/tools"] if _spells(given.tools, pads) else []
    found += [Due("invalid-messages", [place]) for place in spelling]
    whole = [*given.messages, *([given.next.answer, *given.next.messages] if given.next else ())]
    try:
        text = TransformersOracle(row).text(without_data(whole), given.tools, effective_options(row, given.options))
    except OracleRefuses:
        return [*found, Due("template-raises", ["/messages"])]
    held = [modality_of(part) for message in whole for part in _content(message)]
    if not spelling and any(text.count(pad) != held.count(kind) for kind, pad in pads.items()):
        found.append(Due("invalid-messages", ["/messages"]))
    return found


def _asked(given: MediaInput) -> list[Any]:
    """The messages as they stand in the request."""
    return with_pictures(given.messages if given.next is None else given.next.messages)


def _content(message: Any) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _words(message: Any) -> Any:
    """A message without its media."""
    parts = [part for part in _content(message) if modality_of(part) is None]
    return {**message, "content": parts} if _content(message) else message


def _parts(messages: list[Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(pointer, modality, part) of the media parts of a request."""
    for index, message in enumerate(messages):
        for position, part in enumerate(_content(message)):
            if (kind := modality_of(part)) is not None:
                yield f"/messages/{index}/content/{position}", kind, part


def _spells(value: Any, pads: Mapping[str, str]) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return any(pad in text for pad in pads.values())


def _no_numbers(media: Mapping[str, Mapping[str, Any]], row: Row) -> Iterator[str]:
    assert row.spec.media is not None
    own = row.spec.media.settings
    for kind, numbers in media.items():
        if kind not in own:
            yield f"/media/{escaped(kind)}"
            continue
        for name, value in numbers.items():
            if name not in own[kind] or not _is_positive(value):
                yield f"/media/{kind}/{escaped(name)}"


def _not_said(where: str, kind: str, part: dict[str, Any]) -> Iterator[str]:
    """Where a part says what no medium has, or leaves out what nobody can read off it."""
    source = next((part[name] for name in (kind, f"{kind}_url", "url") if part.get(name) is not None), None)
    source = source.get("url") if isinstance(source, dict) else source
    frames = source if kind == "video" and isinstance(source, list) else []
    if part.get("hash") is not None and not isinstance(part["hash"], str):
        yield f"{where}/hash"
    if (part.get("width") is None or part.get("height") is None) and (kind == "image" or frames):
        yield from _unreadable(where, [source] if kind == "image" else frames)
    else:
        if not part.get("hash") and any(bytes_of(one) == b"" for one in (source, *frames)):
            yield where
        for name in ("width", "height", *(("total_num_frames",) if kind == "video" and not frames else ())):
            if part.get(name) is None:
                yield where
            elif type(part[name]) is not int or part[name] < 1:
                yield f"{where}/{name}"
    if kind == "video":
        taken = part.get("frames_indices")
        if part.get("fps") is not None and not _is_positive(part["fps"]):
            yield f"{where}/fps"
        if taken is not None and not (isinstance(taken, list) and taken and all(map(_is_index, taken))):
            yield f"{where}/frames_indices"


def _is_positive(value: Any) -> bool:
    return type(value) in {int, float} and value > 0


def _is_index(value: Any) -> bool:
    return type(value) is int and value >= 0


def _unreadable(where: str, pictures: list[Any]) -> Iterator[str]:
    """The pictures whose size nobody can read: one is its part, a frame is one of the part's."""
    sizes = [_size_of(picture) for picture in pictures]
    for number, size in enumerate(sizes):
        if size is None:
            yield where if len(sizes) == 1 else f"{where}/video/{number}"
    if len(set(sizes) - {None}) > 1:
        yield where


def _size_of(source: Any) -> tuple[int, int] | None:
    """The size of a picture that a part carries; None where it carries none."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(bytes_of(source) or b"")) as image:
            return image.width, image.height
    except OSError:
        return None
