"""``boundary``, the normative profile, one piece at a time: the readable twin of ``boundary_batch``.

Both sides are cut into pieces of one byte string. Wherever a student piece and a teacher piece end at the same byte,
a chunk ends. No chunk can be cut further, so the alignment is unique (``ALN-011``)::

    student   ab | cde | f | g          teacher   abc | de | fg
    ends       2    5    6   7                      3    5    7      ->  chunks [ab cde / abc de] [f g / fg]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec_reference.aligners.alignment import AlignmentPair, Piece
from tokenspec_reference.aligners.errors import TextMismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTEXT_BYTES = 12


def boundary_align(student_pieces: Sequence[Piece], teacher_pieces: Sequence[Piece]) -> list[AlignmentPair[Piece]]:
    """Walk both sides, advancing the one whose current piece ends earlier.

    Pieces are ``str`` (measured in UTF-8) or ``bytes``. If one side's text is a prefix of the other's, the pieces after
    the last common boundary are in no pair; an empty piece belongs to the chunk that starts where it stands.

    Raises:
        TextMismatch: the texts differ before either ends.
    """
    student, teacher = [[_as_bytes(piece) for piece in side] for side in (student_pieces, teacher_pieces)]
    require_common_prefix(b"".join(student), b"".join(teacher))
    pairs: list[AlignmentPair[Piece]] = []
    s_start = t_start = s_next = t_next = 0
    s_byte = t_byte = closed = 0
    while True:
        if s_byte <= t_byte and s_next < len(student):
            s_byte += len(student[s_next])
            s_next += 1
        elif t_byte <= s_byte and t_next < len(teacher):
            t_byte += len(teacher[t_next])
            t_next += 1
        else:
            return pairs
        if s_byte == t_byte > closed:
            s_tokens, t_tokens = list(student_pieces[s_start:s_next]), list(teacher_pieces[t_start:t_next])
            pairs.append(AlignmentPair(s_tokens, t_tokens, s_start, s_next, t_start, t_next, is_correct=True))
            s_start, t_start, closed = s_next, t_next, s_byte


def _as_bytes(piece: str | bytes) -> bytes:
    return piece.encode() if isinstance(piece, str) else piece


def require_common_prefix(student: bytes, teacher: bytes, *, row: int = 0) -> None:
    """Refuse texts that differ before the shorter one ends."""
    byte = common_prefix_length(student, teacher)
    if byte < min(len(student), len(teacher)):
        around = slice(max(0, byte - CONTEXT_BYTES), byte + CONTEXT_BYTES)
        raise TextMismatch(row, byte, student[around], teacher[around])


def common_prefix_length(a: bytes, b: bytes) -> int:
    """Number of leading bytes that agree, by bisection over memory comparisons."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle)
    return low
