"""Rows whose two sides do not spell the same bytes: is it one text after all, and how far?

Tried in this order: the spaces that a tokenizer adds on its own (``ALN-014``), Unicode normal form (``ALN-015``),
one side truncated (``ALN-016``); what remains is a different text (``ALN-017``, ``ALN-018``). This runs on the host,
one row at a time, and only for such rows.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

import numpy as np

from tokenspec_reference.aligners.boundary import common_prefix_length, require_common_prefix
from tokenspec_reference.aligners.unicode_forms import INSIDE, NormalText, normal_text, shortest_segments, units, utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES_PER_BYTE = 4


@dataclass(frozen=True)
class RowText:
    """One side of one row: its bytes, and where those of each position end (int64; none for special tokens, padding).

    ``optional_space``: positions whose first byte is a space that the tokenizer may have added itself.
    """

    data: bytes
    ends: np.ndarray
    optional_space: frozenset[int]
    normalises: bool

    @classmethod
    def of_pieces(cls, pieces: Sequence[bytes], optional_space: frozenset[int], *, normalises: bool) -> RowText:
        """A row of the bytes of each position."""
        ends = np.fromiter(map(len, pieces), np.int64, len(pieces)).cumsum()
        return cls(b"".join(pieces), ends, optional_space, normalises)

    @cached_property
    def pieces(self) -> tuple[bytes, ...]:
        """The bytes of each position."""
        return tuple(self.data[start:end] for start, end in pairwise([0, *self.ends.tolist()]))


@dataclass(frozen=True)
class Settled:
    """Ends of every position as ascending places (int64), equal exactly where both sides stand at the same byte.

    A place is four times a byte offset; an end that exists on one side only lies strictly between two of them.
    ``common`` is the place where the common text ends.
    """

    student_ends: np.ndarray
    teacher_ends: np.ndarray
    common: int


def settle(student: RowText, teacher: RowText, *, row: int, truncate: bool) -> Settled:
    """Find the space in which the two sides agree.

    Raises:
        TextMismatch: they differ and ``truncate`` is not set.
    """
    student, teacher = strip_added_spaces(student, teacher), strip_added_spaces(teacher, student)
    s_data, t_data, s_ends, t_ends = student.data, teacher.data, student.ends, teacher.ends
    common = common_prefix_length(s_data, t_data)
    if common < min(len(s_data), len(t_data)) and (student.normalises or teacher.normalises):
        s_text, t_text = normal_text(s_data), normal_text(t_data)
        s_ends, t_ends = s_text.position[s_ends], t_text.position[t_ends]
        s_data, t_data = s_text.data, t_text.data
        common = common_prefix_length(s_data, t_data)
        cuts = [] if common == min(len(s_data), len(t_data)) else _cuts(s_text, t_text, common)
        if cuts:
            common = min(cuts)
            s_data, t_data = s_data[:common], t_data[:common]
    if not truncate:
        require_common_prefix(s_data, t_data, row=row)
    return Settled(_places(s_ends, between=1), _places(t_ends, between=2), common * PLACES_PER_BYTE)


def _places(ends: np.ndarray, *, between: int) -> np.ndarray:
    """``between`` differs per side, so that two inner ends never count as one place."""
    inside = ends == INSIDE
    return np.maximum.accumulate(np.where(inside, 0, ends)) * PLACES_PER_BYTE + np.where(inside, between, 0)


def _cuts(student: NormalText, teacher: NormalText, common: int) -> list[int]:
    """Where a side may have been cut off inside what the other side still has whole; none if the texts differ."""
    found = [_cut(student, teacher, common), _cut(teacher, student, common)]
    return [cut for cut in found if cut is not None]


def _cut(short: NormalText, long: NormalText, common: int) -> int | None:
    """The place up to which ``short``, which ends in a unit or in a character, still agrees with ``long``."""
    if common < short.open_from:
        return None
    rest = next(units(long.data[short.open_from :].decode("utf-8", "surrogateescape")))
    whole = unicodedata.normalize("NFD", rest)
    both_end_here = long.open_from == short.open_from and bool(short.pending or long.pending)
    longest = _put_behind(short.open_unit, whole) if both_end_here else whole
    if any(_put_behind(unit, longest) != longest for unit in (short.open_unit, whole)):
        return None
    segments = (shortest_segments(unicodedata.normalize("NFC", unit)) for unit in (short.open_unit, whole))
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*segments, strict=False))
    return short.open_from + sum(len(utf8(segment)) for segment, _ in same)


def _put_behind(unit: str, other: str) -> str:
    """``unit`` with what only ``other`` has behind it, decomposed; ``other`` itself if ``unit`` is its beginning."""
    missing = list(other)
    for character in unit:
        if character in missing:
            missing.remove(character)
    return unicodedata.normalize("NFD", unit + "".join(missing))


def strip_added_spaces(side: RowText, other: RowText) -> RowText:
    """Drop an optional leading space wherever the other side has no space at the same place.

    Places are bytes, of the NFC where a side brings its text into a normal form.
    """
    if not side.optional_space:
        return side
    normalises = side.normalises or other.normalises

    def comparable(pieces: Sequence[bytes]) -> bytes:
        data = b"".join(pieces)
        return normal_text(data).data if normalises else data

    text = comparable((other.data,))
    pieces: list[bytes] = []
    settled, begun, starts = 0, 0, False  # bytes before the piece ``begun``, which nothing later changes
    for position, given in enumerate(side.pieces):
        piece = given
        if position in side.optional_space:
            starts = True
            if not text.startswith(b" ", settled + len(comparable(pieces[begun:]))):
                piece = given[1:]
        if starts and piece and (piece[:1].isascii() or not normalises):  # it composes with nothing before it
            settled, begun, starts = settled + len(comparable(pieces[begun:])), len(pieces), False
        pieces.append(piece)
    return RowText.of_pieces(pieces, frozenset(), normalises=side.normalises)
