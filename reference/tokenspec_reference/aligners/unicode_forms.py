"""Byte positions of a text, seen in its NFC form.

Two tokenizers of one text need not spell the same bytes: one may bring the text into NFC first. Both sides are then
compared in NFC. A normalisation segment that NFC leaves alone keeps all its positions; of one that changes only the two
ends exist in both forms, so a token that ends inside it ends no chunk (``ALN-015``).
"""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INSIDE = -1


@dataclass(frozen=True)
class NormalText:
    """``raw`` in NFC. ``position[x]`` is where raw byte offset ``x`` lies in ``data``, ``INSIDE`` if nowhere.

    ``open_from``: offset in ``data`` where the last unit begins, which more text could still change; ``open_unit``:
    that unit, decomposed; ``pending``: the bytes of a character that is cut off, which end ``data``.
    """

    data: bytes
    position: tuple[int, ...]
    open_from: int
    open_unit: str
    pending: bytes


def normal_text(raw: bytes) -> NormalText:
    """NFC of ``raw`` with the map of its positions; bytes that are not UTF-8 stand for themselves."""
    data = bytearray()
    position = [0]
    unit = ""
    open_from = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for unit in units(decoder.decode(raw)):
        open_from = len(data)
        for segment in shortest_segments(unit):
            before, after = _encode(segment), _encode(unicodedata.normalize("NFC", segment))
            position += [len(data) + x if before == after else INSIDE for x in range(1, len(before))]
            data += after
            position.append(len(data))
    pending = decoder.getstate()[0]
    position += range(len(data) + 1, len(data) + len(pending) + 1)
    return NormalText(bytes(data) + pending, tuple(position), open_from, unicodedata.normalize("NFD", unit), pending)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def units(text: str) -> Iterator[str]:
    """A letter and all that may compose with it or be reordered after it; units never influence each other."""
    unit = ""
    for character in text:
        if unit and not _continues(unit, character):
            yield unit
            unit = ""
        unit += character
    if unit:
        yield unit


def _continues(unit: str, character: str) -> bool:
    if character.isascii():
        return False
    if unicodedata.combining(character):
        return True
    normal = unicodedata.normalize
    return normal("NFC", unit + character) != normal("NFC", unit) + normal("NFC", character)


def shortest_segments(unit: str) -> list[str]:
    """Cut a unit wherever both parts can be normalised apart."""
    if len(unit) == 1:
        return [unit]
    normal = unicodedata.normalize
    whole = normal("NFC", unit)
    cuts = [cut for cut in range(1, len(unit)) if normal("NFC", unit[:cut]) + normal("NFC", unit[cut:]) == whole]
    return [unit[start:end] for start, end in pairwise([0, *cuts, len(unit)])]
