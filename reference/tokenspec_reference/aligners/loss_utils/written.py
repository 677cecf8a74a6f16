"""Tokens that were written, and the logits they are charged to: what the losses of the literature read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tokenspec_reference.aligners.devices import require_device_of
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.chunks import (
    ChunkMembers,
    members_of_chunks,
    require_pairs,
    shift_next,
    valid_chunk_mask,
)

if TYPE_CHECKING:
    from tokenspec_reference.aligners.alignment import AlignmentBatch

Sides = tuple[torch.Tensor, torch.Tensor]


def next_ids(ids: torch.Tensor) -> torch.Tensor:
    """The token behind every position of ``[B, T]``; at the last, which predicts none that is known, its own."""
    return torch.cat([ids[:, 1:], ids[:, -1:]], 1)


def written_chunks(
    alignment: AlignmentBatch, sample_mask: torch.Tensor | None, *, shifted: bool
) -> tuple[ChunkMembers, ChunkMembers, torch.Tensor]:
    """Members of both sides, and which chunks count, bool ``[B, C]``; ``shifted``: the positions before the tokens."""
    width = alignment.pair_valid.shape[1]
    sides = (alignment.student_chunk_id, alignment.teacher_chunk_id)
    ours, theirs = (members_of_chunks(shift_next(side) if shifted else side, width) for side in sides)
    valid = valid_chunk_mask(ours.sizes, theirs.sizes, alignment.pair_valid)
    if sample_mask is not None:
        valid = valid & sample_mask.bool()[:, None].to(valid.device)
    return ours, theirs, valid


def require_written(logits: Sides, ids: Sides, alignment: AlignmentBatch, sample_mask: torch.Tensor | None) -> None:
    """Refuse what no loss over written tokens can be made of.

    Raises:
        AlignmentInputError: shapes that do not belong together, logits on two devices, an id in a chunk beyond the
            columns of its logits, or an id of no chunk.
    """
    require_device_of(logits[0], teacher_logits=logits[1])
    rows = len(logits[0])
    if sample_mask is not None and sample_mask.shape != (rows,):
        raise AlignmentInputError(
            f"has shape {tuple(sample_mask.shape)}; one entry a row is needed, {rows}", field="sample_mask"
        )
    chunks = (alignment.student_chunk_id, alignment.teacher_chunk_id)
    for side, rows_of_side, own, chunk_id in zip(("student", "teacher"), logits, ids, chunks, strict=True):
        if rows_of_side.dim() != 3 or rows_of_side.shape[:2] != chunk_id.shape or not rows_of_side.numel():
            raise AlignmentInputError(
                f"has shape {tuple(rows_of_side.shape)}; the alignment was made for {tuple(chunk_id.shape)} tokens",
                field=f"{side}_logits",
            )
        if own.shape != chunk_id.shape:
            raise AlignmentInputError(
                f"has shape {tuple(own.shape)}; the alignment was made for {tuple(chunk_id.shape)} tokens",
                field=f"{side}_ids",
            )
        read = own[chunk_id >= 0]
        if read.numel() and not 0 <= int(read.min()) <= int(read.max()) < rows_of_side.shape[-1]:
            raise AlignmentInputError(
                f"has ids outside the {rows_of_side.shape[-1]} columns of its logits", field=f"{side}_ids"
            )
    require_pairs(alignment)
