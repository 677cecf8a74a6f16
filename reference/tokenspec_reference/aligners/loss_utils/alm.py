"""Approximate likelihood matching: how probable a whole chunk is to both sides (``ALN-083``, ``ALN-084``).

Source: tokenkit, its default difference and its two ways out of the bias of tokenisation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Literal, get_args

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.chunks import ChunkMembers, members_of_chunks
from tokenspec_reference.aligners.loss_utils.written import Sides, next_ids, require_written, written_chunks

if TYPE_CHECKING:
    from tokenspec_reference.aligners.alignment import AlignmentBatch

Difference = Literal["binary-ce", "abs"]
EPSILON = 1e-6


@dataclass(frozen=True)
class AlmOptions:
    """``append_boundary``: a chunk has the end of its word. ``merge_above``: chunks end where a word may end.

    ``binarization_temperature`` divides log-probabilities before they are compared by ``binary-ce``.
    """

    difference: Difference = "binary-ce"
    binarization_temperature: float = 100.0
    append_boundary: bool = False
    merge_above: float | None = None

    def __post_init__(self) -> None:
        """Raises ``AlignmentInputError`` for a value out of range."""
        if self.difference not in get_args(Difference):
            raise AlignmentInputError(
                f"{self.difference!r} is none of {', '.join(get_args(Difference))}", field="difference"
            )
        if not (isfinite(self.binarization_temperature) and self.binarization_temperature > 0):
            raise AlignmentInputError(
                f"must be positive and finite, is {self.binarization_temperature}", field="binarization_temperature"
            )


@dataclass(frozen=True)
class AlmTerms:
    """Scalars: ``loss`` (with gradient) and the number of valid chunks, after any were joined."""

    loss: torch.Tensor
    valid_chunks: torch.Tensor


def alm_loss(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    student_ids: torch.Tensor,
    teacher_ids: torch.Tensor,
    alignment: AlignmentBatch,
    *,
    student_boundary: torch.Tensor | None = None,
    teacher_boundary: torch.Tensor | None = None,
    options: AlmOptions | None = None,
    sample_mask: torch.Tensor | None = None,
) -> AlmTerms:
    """Loss of student logits ``[B, T_s, V_s]`` against a teacher's ``[B, T_t, V_t]`` on the ids ``[B, T]`` they read.

    ``student_boundary``, ``teacher_boundary``: int64 ``[N]``, tokens that begin a word, where the options read them.
    ``sample_mask`` ``[B]``: 0 leaves a row out. A mean over valid chunks, 0 without one.

    Raises:
        AlignmentInputError: mismatched shapes, ids beyond the columns, or no boundary tokens.
    """
    options = options or AlmOptions()
    logits, ids = (student_logits, teacher_logits.detach()), (student_ids, teacher_ids)
    require_written(logits, ids, alignment, sample_mask)
    device = student_logits.device
    alignment, ids = alignment.to(device), (student_ids.to(device), teacher_ids.to(device))
    boundary = _boundaries(student_boundary, teacher_boundary, logits, options)
    if options.merge_above is not None and boundary is not None:
        alignment = _joined(logits[1], alignment, boundary[1], sample_mask, options.merge_above)
    ours, theirs, valid = written_chunks(alignment, sample_mask, shifted=True)
    members = ours.only(valid), theirs.only(valid)
    s, t = (_log_chances(*side) for side in zip(logits, ids, members, strict=True))
    if options.append_boundary and boundary is not None:
        chunks = (alignment.student_chunk_id, alignment.teacher_chunk_id)
        behind = [_behind(*side, valid) for side in zip(logits, chunks, boundary, strict=True)]
        s, t = s + behind[0], t + behind[1]
    return AlmTerms(_difference(s, t, options).sum() / valid.sum().clamp(min=1), valid.sum())


def _boundaries(
    student: torch.Tensor | None, teacher: torch.Tensor | None, logits: Sides, options: AlmOptions
) -> Sides | None:
    if not options.append_boundary and options.merge_above is None:
        return None
    for side, ids, columns in zip(("student", "teacher"), (student, teacher), logits, strict=True):
        if ids is None or not ids.numel() or not 0 <= int(ids.min()) <= int(ids.max()) < columns.shape[-1]:
            raise AlignmentInputError(
                f"needs tokens that begin a word, each below {columns.shape[-1]}", field=f"{side}_boundary"
            )
    return (student, teacher)


def _log_chances(logits: torch.Tensor, ids: torch.Tensor, members: ChunkMembers) -> torch.Tensor:
    """Log-probability ``[C]`` of all tokens of each chunk."""
    rows = logits.flatten(0, 1)[members.positions].float()
    written = next_ids(ids).flatten()[members.positions][:, None]
    single = rows.gather(-1, written) - rows.logsumexp(-1, keepdim=True)
    return members.sums(single)[0, :, 0].clamp(max=0.0)


def _behind(logits: torch.Tensor, chunk_id: torch.Tensor, boundary: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    """Log-probability ``[C]`` that a word begins behind the last token of each valid chunk."""
    members = members_of_chunks(chunk_id, valid.shape[1]).only(valid)
    last = logits.flatten(0, 1)[members.positions[members.sizes[0].cumsum(0) - 1]].float()
    return (last[:, boundary].logsumexp(-1) - last.logsumexp(-1)).clamp(max=0.0)


def _joined(
    logits: torch.Tensor,
    alignment: AlignmentBatch,
    boundary: torch.Tensor,
    sample_mask: torch.Tensor | None,
    above: float,
) -> AlignmentBatch:
    """The alignment with valid chunks joined until a word may begin behind one."""
    valid = written_chunks(alignment, sample_mask, shifted=True)[2]
    closes = torch.zeros(valid.shape, dtype=torch.int64, device=valid.device)
    closes[valid] = (_behind(logits, alignment.teacher_chunk_id, boundary, valid).exp() > above).long()
    number = torch.where(valid, closes.cumsum(-1) - closes, -1)
    number = torch.nn.functional.pad(number, (0, 1), value=-1)
    student, teacher = (
        number.gather(1, chunk_id.where(chunk_id >= 0, valid.shape[1]))
        for chunk_id in (alignment.student_chunk_id, alignment.teacher_chunk_id)
    )
    all_valid = torch.ones_like(alignment.pair_valid)
    return replace(alignment, student_chunk_id=student, teacher_chunk_id=teacher, pair_valid=all_valid)


def _difference(student: torch.Tensor, teacher: torch.Tensor, options: AlmOptions) -> torch.Tensor:
    if options.difference == "abs":
        possible = teacher != -torch.inf
        return torch.where(possible, (teacher.where(possible, 0.0) - student).abs(), 0.0)
    s, t = (side / options.binarization_temperature - EPSILON for side in (student, teacher))
    yes = t.exp()
    return -(torch.where(yes > 0, yes * s, 0.0) - torch.expm1(t) * torch.log(-torch.expm1(s)))
