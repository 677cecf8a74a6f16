"""What an alignment is: pairs of half-open index ranges, and the dense tensors a loss consumes.

Source: NeMo-RL x_token, ``AlignmentPair``, ``AlignmentBatch``, ``_pairs_to_batch``, ``_drop_padding`` and
``_remap_pairs_to_original``; here the records are frozen and every function returns a new value.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

Piece = TypeVar("Piece", str, bytes)
Range = tuple[int, int]
NO_SPAN = (-1, -1)


@dataclass(frozen=True)
class AlignmentPair(Generic[Piece]):
    """Student tokens ``[s_start, s_end)`` correspond to teacher tokens ``[t_start, t_end)``.

    A side without tokens (a gap, ``nw-compat`` only) has start and end ``-1``. ``is_correct``: the two sides spell
    the same text, in the sense of the profile (``ALN-022``, ``ALN-037``).
    """

    s_tokens: list[Piece]
    t_tokens: list[Piece]
    s_start: int
    s_end: int
    t_start: int
    t_end: int
    is_correct: bool = False

    @property
    def student(self) -> Range:
        """Half-open student range, ``(-1, -1)`` if empty."""
        return self.s_start, self.s_end

    @property
    def teacher(self) -> Range:
        """Half-open teacher range, ``(-1, -1)`` if empty."""
        return self.t_start, self.t_end

    @property
    def one_to_one(self) -> bool:
        """Exactly one original token on each side."""
        return self.s_start >= 0 <= self.t_start and self.s_end - self.s_start == self.t_end - self.t_start == 1

    def shifted(self, student: int, teacher: int) -> AlignmentPair[Piece]:
        """The same pair with its ranges moved; an empty side keeps its sentinel."""
        s_start, s_end = _shift(self.student, student)
        t_start, t_end = _shift(self.teacher, teacher)
        return replace(self, s_start=s_start, s_end=s_end, t_start=t_start, t_end=t_end)


def _shift(span: Range, offset: int) -> Range:
    return NO_SPAN if span == NO_SPAN else (span[0] + offset, span[1] + offset)


@dataclass(frozen=True)
class AlignmentBatch:
    """Dense-padded alignment of a batch: ``P = max(1, most pairs of a row)``; all tensors on one device.

    ``pair_valid``, ``pair_is_correct``: bool ``[B, P]``. ``*_exact_partition_mask``: bool ``[B, T]``, tokens of a
    correct 1-1 pair. ``*_chunk_id``: int64 ``[B, T]``, pair index or ``-1``. ``num_chunks``: int64 ``[B]``.
    """

    pair_valid: torch.Tensor
    pair_is_correct: torch.Tensor
    student_exact_partition_mask: torch.Tensor
    teacher_exact_partition_mask: torch.Tensor
    student_chunk_id: torch.Tensor
    teacher_chunk_id: torch.Tensor
    num_chunks: torch.Tensor

    def to(self, device: torch.device | str) -> AlignmentBatch:
        """The same batch on ``device``."""
        return AlignmentBatch(**{f.name: getattr(self, f.name).to(device) for f in fields(self)})


def pairs_to_batch(
    rows: Sequence[Sequence[AlignmentPair[Piece]]], *, student_length: int, teacher_length: int
) -> AlignmentBatch:
    """Pack one list of pairs per row. Every pair is valid and counted, gap pairs included (``ALN-038``).

    A span that does not fit into ``[0, length)`` writes no chunk id, as upstream.
    """
    count = len(rows)
    width = max(1, max((len(pairs) for pairs in rows), default=0))
    valid = torch.zeros(count, width, dtype=torch.bool)
    correct = torch.zeros(count, width, dtype=torch.bool)
    exact = [torch.zeros(count, length, dtype=torch.bool) for length in (student_length, teacher_length)]
    chunk = [torch.full((count, length), -1, dtype=torch.int64) for length in (student_length, teacher_length)]
    for row, pairs in enumerate(rows):
        valid[row, : len(pairs)] = True
        for index, pair in enumerate(pairs):
            correct[row, index] = pair.is_correct
            for side, (start, end) in enumerate((pair.student, pair.teacher)):
                length = chunk[side].shape[1]
                if 0 <= start < length and 0 < end <= length:
                    chunk[side][row, start:end] = index
                if pair.is_correct and pair.one_to_one and start < length:
                    exact[side][row, start] = True
    numbers = torch.tensor([len(pairs) for pairs in rows], dtype=torch.int64)
    return AlignmentBatch(valid, correct, exact[0], exact[1], chunk[0], chunk[1], numbers)


def spans_to_batch(
    rows: Sequence[tuple[Sequence[tuple[int, int, int, int]], Sequence[bool]]],
    *,
    student_length: int,
    teacher_length: int,
) -> AlignmentBatch:
    """``pairs_to_batch`` of rows of spans (in order, disjoint, ``-1`` for an empty side) with their correctness."""
    width = max(1, max((len(spans) for spans, _ in rows), default=0))
    valid, correct = torch.zeros(2, len(rows), width, dtype=torch.bool)
    lengths = student_length, teacher_length
    exact = [torch.zeros(len(rows), length, dtype=torch.bool) for length in lengths]
    chunk = [torch.full((len(rows), length), -1, dtype=torch.int64) for length in lengths]
    for row, (spans, right) in enumerate(rows):
        table = torch.tensor(spans, dtype=torch.int64).reshape(-1, 4)
        marks = torch.tensor(right, dtype=torch.bool)
        valid[row, : len(spans)] = True
        correct[row, : len(spans)] = marks
        sizes = table[:, 1::2] - table[:, ::2]
        alone = marks & (sizes == 1).all(1)
        for side in (0, 1):
            chunk[side][row, _positions(table[:, 2 * side], sizes[:, side])] = torch.repeat_interleave(sizes[:, side])
            exact[side][row, table[alone, 2 * side]] = True
    numbers = torch.tensor([len(spans) for spans, _ in rows], dtype=torch.int64)
    return AlignmentBatch(valid, correct, exact[0], exact[1], chunk[0], chunk[1], numbers)


def _positions(starts: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    """All positions of ranges, one range after another."""
    before = sizes.cumsum(0) - sizes
    return torch.arange(int(sizes.sum())) + torch.repeat_interleave(starts - before, sizes)


def spans_of(batch: AlignmentBatch) -> list[list[tuple[int, int, int, int]]]:
    """Per row ``(s_start, s_end, t_start, t_end)`` of every chunk, the hull of its positions; -1, -1 where it has none.

    The inverse of ``pairs_to_batch`` where no pair is empty or masked. A special token without a partner can lie inside
    a span; it has no chunk id.
    """
    sides = (batch.student_chunk_id.tolist(), batch.teacher_chunk_id.tolist())
    found = [[hulls(row, int(count)) for row, count in zip(side, batch.num_chunks, strict=True)] for side in sides]
    return [[(*s, *t) for s, t in zip(*row, strict=True)] for row in zip(*found, strict=True)]


def hulls(chunk_id: Sequence[int], count: int) -> list[Range]:
    """The hull of the positions of each of ``count`` chunks; -1, -1 for one without any."""
    found = [NO_SPAN] * count
    for position, chunk in enumerate(chunk_id):
        if chunk >= 0:
            start = position if found[chunk] == NO_SPAN else found[chunk][0]
            found[chunk] = (start, position + 1)
    return found


def drop_padding(
    batch: AlignmentBatch,
    *,
    student_attention_mask: torch.Tensor | None = None,
    teacher_attention_mask: torch.Tensor | None = None,
) -> AlignmentBatch:
    """Where a mask is 0, chunk id becomes ``-1`` and the partition False; pair tensors stay as they are.

    Per position, so left and right padding are the same (``ALN-005``). In ``nw-compat`` a pair of pads stays
    ``pair_valid``, as upstream; ``valid_chunk_mask`` removes it because its sizes are 0.
    """
    student_id, student_exact = _masked(
        batch.student_chunk_id, batch.student_exact_partition_mask, student_attention_mask
    )
    teacher_id, teacher_exact = _masked(
        batch.teacher_chunk_id, batch.teacher_exact_partition_mask, teacher_attention_mask
    )
    return replace(
        batch,
        student_chunk_id=student_id,
        teacher_chunk_id=teacher_id,
        student_exact_partition_mask=student_exact,
        teacher_exact_partition_mask=teacher_exact,
    )


def _masked(
    chunk_id: torch.Tensor, exact: torch.Tensor, mask: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    if mask is None:
        return chunk_id, exact
    padding = mask.to(chunk_id.device) == 0
    return chunk_id.masked_fill(padding, -1), exact & ~padding


def remap_pairs(
    pairs: Sequence[AlignmentPair[Piece]], student_ranges: Sequence[Range], teacher_ranges: Sequence[Range]
) -> list[AlignmentPair[Piece]]:
    """Carry canonical index ranges back to original tokens.

    Start is the start of the first canonical token's range, end the end of the last one's (``ALN-036``).
    """
    remapped = []
    for pair in pairs:
        s_start, s_end = _original(pair.student, student_ranges)
        t_start, t_end = _original(pair.teacher, teacher_ranges)
        remapped.append(replace(pair, s_start=s_start, s_end=s_end, t_start=t_start, t_end=t_end))
    return remapped


def _original(span: Range, ranges: Sequence[Range]) -> Range:
    return NO_SPAN if span[0] == -1 else (ranges[span[0]][0], ranges[span[1] - 1][1])
