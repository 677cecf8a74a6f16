"""Byte positions of a text, seen in its NFC form.

Two tokenizers of one text need not spell the same bytes: one may bring the text into NFC first. Both sides are then
compared in NFC. A normalisation segment that NFC leaves alone keeps all its positions; of one that changes only the two
ends exist in both forms, so a token that ends inside it ends no chunk (``ALN-015``).
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

INSIDE = -1
LONGEST_UNIT = 31
"""A letter and 30 marks, as in the stream-safe text of UAX #15. A longer unit is compared as it is written."""


@dataclass(frozen=True)
class NormalText:
    """``raw`` in NFC. ``position[x]`` (int64) is where raw byte offset ``x`` lies in ``data``, ``INSIDE`` if nowhere.

    ``open_from``: offset in ``data`` where the last unit begins, which more text could still change; ``open_unit``:
    that unit, decomposed; ``pending``: the bytes of a character that is cut off, which end ``data``.
    """

    data: bytes
    position: np.ndarray
    open_from: int
    open_unit: str
    pending: bytes


def normal_text(raw: bytes) -> NormalText:
    """NFC of ``raw`` with the map of its positions; bytes that are not UTF-8 stand for themselves.

    Most text is its own NFC. Looked at are stretches of a character and those that may continue its unit, each once.
    One longer than ``LONGEST_UNIT`` stands for itself: putting marks in order costs the square of their number.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    text = decoder.decode(raw)
    pending = decoder.getstate()[0]
    normal = _normalized(text)
    data = utf8(normal)
    unit = _last_unit(text)
    is_long = len(unit) > LONGEST_UNIT
    open_from = len(data) - len(utf8(unit if is_long else unicodedata.normalize("NFC", unit)))
    position = _positions("" if normal == text else text, len(raw))
    open_unit = unit if is_long else unicodedata.normalize("NFD", unit)
    return NormalText(data + pending, position, open_from, open_unit, pending)


def _normalized(text: str) -> str:
    """NFC, but for stretches that are too long."""
    parts: list[str] = []
    done = 0
    for start, end in _stretches(text):
        if end - start > LONGEST_UNIT:
            parts += [unicodedata.normalize("NFC", text[done:start]), text[start:end]]
            done = end
    return "".join([*parts, unicodedata.normalize("NFC", text[done:])])


def _positions(text: str, length: int) -> np.ndarray:
    """Of every byte offset of ``text`` and of what follows it, where it lies in the NFC."""
    position = np.arange(length + 1)
    known: dict[str, int] = {}
    short = ((start, end) for start, end in _stretches(text) if end - start <= LONGEST_UNIT)
    found = [(start, known.setdefault(text[start:end], len(known))) for start, end in short]
    if not found:
        return position
    changes = [_changed(stretch) for stretch in known]
    inner = np.array([at for change in changes for at in change.inner], np.int64)
    sizes = np.array([len(change.inner) for change in changes])
    starts, kinds = np.array(found).T
    starts = _byte_offsets(text)[starts]
    grown = np.zeros(length + 1, np.int64)
    grown[starts + sizes[kinds] + 1] = np.array([change.growth for change in changes])[kinds]
    position += grown.cumsum()
    repeats = sizes[kinds]
    within = np.arange(repeats.sum()) - np.repeat(repeats.cumsum() - repeats, repeats)
    lies = inner[np.repeat((sizes.cumsum() - sizes)[kinds], repeats) + within]
    first = np.repeat(starts, repeats)
    position[first + 1 + within] = np.where(lies == INSIDE, INSIDE, position[first] + lies)
    return position


def _byte_offsets(text: str) -> np.ndarray:
    """Where each character begins in UTF-8; one that stands for a byte has one."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    escaped = (codes >= 0xDC80) & (codes <= 0xDCFF)
    widths = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000) - 2 * escaped
    return widths.cumsum() - widths


@dataclass(frozen=True)
class _Change:
    """What NFC makes of a stretch: how many bytes longer, and where each byte offset inside lies, from its start."""

    growth: int
    inner: tuple[int, ...]


@lru_cache(maxsize=4096)
def _changed(stretch: str) -> _Change:
    inner: list[int] = []
    length = 0
    for unit in units(stretch):
        for segment in shortest_segments(unit):
            before, after = utf8(segment), utf8(unicodedata.normalize("NFC", segment))
            inner += [length + x if before == after else INSIDE for x in range(1, len(before))]
            length += len(after)
            inner.append(length)
    return _Change(length - len(inner), tuple(inner[:-1]))


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """A character with all that may continue its unit, and characters that NFC changes alone."""
    used = [character for character in set(text) if not character.isascii()]
    continuing = re.escape("".join(filter(_may_continue, used)))
    changing = re.escape("".join(one for one in used if unicodedata.normalize("NFC", one) != one))
    if continuing or changing:
        follow = f"[{continuing}]*" if continuing else ""
        for start, end in map(re.Match.span, re.finditer(f"[{continuing}{changing}]{follow}", text)):
            yield start - (start > 0 and _may_continue(text[start])), end


def _last_unit(text: str) -> str:
    start = len(text) - 1
    while start > 0 and _may_continue(text[start]):
        start -= 1
    if len(text) - start > LONGEST_UNIT:
        return text[start:]
    return [*units(text[start:])][-1] if text else ""


@lru_cache(maxsize=4096)
def _may_continue(character: str) -> bool:
    """Whether there is anything before it with which it composes, or after which it is put in order."""
    if character.isascii():
        return False
    first = unicodedata.normalize("NFD", character)[0]
    return unicodedata.combining(first) > 0 or first in _composing()


@cache
def _composing() -> frozenset[str]:
    """Second halves of all compositions: from the decompositions of the planes that have any, and of Hangul."""
    halves = [unicodedata.decomposition(chr(code)).split() for code in range(0x20000)]
    second = {chr(int(parts[1], 16)) for parts in halves if len(parts) == 2 and not parts[0].startswith("<")}
    return frozenset(second | {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))})


def utf8(text: str) -> bytes:
    """UTF-8; what stands for a byte becomes that byte."""
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
    if unicodedata.combining(unicodedata.normalize("NFD", character)[0]):
        return True
    normal = unicodedata.normalize
    return normal("NFC", unit + character) != normal("NFC", unit) + normal("NFC", character)


def shortest_segments(unit: str) -> list[str]:
    """Cut a unit wherever both parts can be normalised apart."""
    normal = unicodedata.normalize
    whole = normal("NFC", unit)
    cuts = [cut for cut in range(1, len(unit)) if normal("NFC", unit[:cut]) + normal("NFC", unit[cut:]) == whole]
    return [unit[start:end] for start, end in pairwise([0, *cuts, len(unit)])]
