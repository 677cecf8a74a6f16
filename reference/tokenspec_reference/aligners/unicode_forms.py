"""Byte positions of a text, seen in its NFC form.

Two tokenizers of one text need not spell the same bytes: one may bring the text into NFC first. Both sides are then
compared in NFC. A normalisation segment that NFC leaves alone keeps all its positions; of one that changes only the two
ends exist in both forms, so a token that ends inside it ends no chunk (``ALN-015``).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INSIDE = -1


@dataclass(frozen=True)
class NormalText:
    """``raw`` in NFC. ``position[x]`` is where raw byte offset ``x`` lies in ``data``, ``INSIDE`` if nowhere.

    ``open_from``: offset in ``data`` where the last segment begins, which more text could still change;
    ``open_tail``: that segment, decomposed.
    """

    data: bytes
    position: tuple[int, ...]
    open_from: int
    open_tail: str


def normal_text(raw: bytes) -> NormalText:
    """NFC of ``raw`` with the map of its positions; bytes that are not UTF-8 stand for themselves."""
    data = bytearray()
    position = [0]
    segment = ""
    open_from = 0
    for segment in _segments(raw.decode("utf-8", "surrogateescape")):
        before = segment.encode("utf-8", "surrogateescape")
        after = unicodedata.normalize("NFC", segment).encode("utf-8", "surrogateescape")
        open_from = len(data)
        same = before == after
        position += [open_from + x if same else INSIDE for x in range(1, len(before))]
        data += after
        position.append(len(data))
    return NormalText(bytes(data), tuple(position), open_from, unicodedata.normalize("NFD", segment))


def _segments(text: str) -> Iterator[str]:
    """Maximal stretches that normalise on their own: a starter and what composes with it or is reordered after it."""
    segment = ""
    for character in text:
        if segment and not _continues(segment, character):
            yield segment
            segment = ""
        segment += character
    if segment:
        yield segment


def _continues(segment: str, character: str) -> bool:
    if character.isascii():
        return False
    if unicodedata.combining(character):
        return True
    normal = unicodedata.normalize
    return normal("NFC", segment + character) != normal("NFC", segment) + normal("NFC", character)
