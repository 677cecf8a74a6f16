"""Averages of per-token rows over chunks (``ALN-050``, ``ALN-051``)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks

if TYPE_CHECKING:
    from collections.abc import Mapping

EPSILON = 1e-10


def chunk_log_prob_sums(
    log_probs: torch.Tensor, chunk_id: torch.Tensor, max_chunks: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums ``[B, C, V]`` and sizes ``[B, C]`` (float32) of ``log_probs`` ``[B, T, V]`` per chunk; id -1 counts nowhere.

    Both are additive over shards of T, so ranks may add theirs before ``chunk_average_finalize``.

    Raises:
        AlignmentInputError: shapes that do not belong together, or an id outside ``[-1, max_chunks)``.
    """
    if log_probs.dim() != 3 or chunk_id.shape != log_probs.shape[:2]:
        raise AlignmentInputError(
            f"has shape {tuple(chunk_id.shape)}; log_probs {tuple(log_probs.shape)} needs [B, T] of its own",
            field="chunk_id",
        )
    require_chunk_ids(chunk_id, max_chunks, field="chunk_id")
    members = members_of_chunks(chunk_id.to(log_probs.device), max_chunks)
    return members.sums(log_probs.flatten(0, 1)[members.positions]), members.sizes.float()


@dataclass(frozen=True)
class ChunkMembers:
    """The positions of a batch that lie in chunks, chunk after chunk.

    ``positions``: int64 ``[N]``, places in the flattened ``[B * T]``. ``sizes``: int64 ``[B, C]``, of this rank.
    """

    positions: torch.Tensor
    sizes: torch.Tensor
    ranks: Ranks = ALONE

    @property
    def all_sizes(self) -> torch.Tensor:
        """Sizes over the ranks that hold other positions of the same rows."""
        return self.ranks.sequence_sum(self.sizes)

    def only(self, valid: torch.Tensor) -> ChunkMembers:
        """The members of the chunks that are marked in bool ``[B, C]``; sizes become ``[1, marked]``."""
        kept = valid.flatten().repeat_interleave(self.sizes.flatten())
        return ChunkMembers(self.positions[kept], self.sizes.flatten()[valid.flatten()][None], self.ranks)

    def between(self, chunks: tuple[int, int], members: tuple[int, int]) -> ChunkMembers:
        """Consecutive chunks of one row of sizes, with the members that are theirs; no number is read back."""
        return ChunkMembers(self.positions[slice(*members)], self.sizes[:, slice(*chunks)], self.ranks)

    def sums(self, rows: torch.Tensor) -> torch.Tensor:
        """Sums ``[B, C, V]`` of one row ``[N, V]`` a position, 0 for an empty chunk; always in the same order."""
        found = torch.segment_reduce(rows, "sum", lengths=self.sizes.flatten(), axis=0, initial=0, unsafe=True)
        return found.reshape(*self.sizes.shape, rows.shape[-1])

    def means(self, rows: torch.Tensor) -> torch.Tensor:
        """Means ``[B, C, V]`` of one row a position, 0 for an empty chunk."""
        return chunk_average_finalize(self.ranks.sequence_sum(self.sums(rows)), self.all_sizes.float())[0]


def require_chunk_ids(chunk_id: torch.Tensor, max_chunks: int, *, field: str) -> None:
    """Refuse an id that is neither -1 nor of a chunk.

    Raises:
        AlignmentInputError: an id outside ``[-1, max_chunks)``.
    """
    if bool(((chunk_id < -1) | (chunk_id >= max_chunks)).any()):
        raise AlignmentInputError(f"has ids outside [-1, {max_chunks})", field=field)


def require_pairs(alignment: AlignmentBatch) -> None:
    """Refuse an alignment whose pairs are not those of its chunk ids.

    Raises:
        AlignmentInputError: pairs of other rows, or an id outside ``[-1, P)``.
    """
    rows, pairs = len(alignment.student_chunk_id), alignment.pair_valid
    for name, flags in (("pair_valid", pairs), ("pair_is_correct", alignment.pair_is_correct)):
        if flags.shape != pairs.shape or len(pairs) != rows:
            raise AlignmentInputError(f"has shape {tuple(flags.shape)}; pairs of {rows} rows are needed", field=name)
    if len(alignment.teacher_chunk_id) != rows:
        raise AlignmentInputError(f"has {len(alignment.teacher_chunk_id)} rows, not {rows}", field="teacher_chunk_id")
    require_chunk_ids(alignment.student_chunk_id, pairs.shape[1], field="student_chunk_id")
    require_chunk_ids(alignment.teacher_chunk_id, pairs.shape[1], field="teacher_chunk_id")


def members_of_chunks(chunk_id: torch.Tensor, max_chunks: int, ranks: Ranks = ALONE) -> ChunkMembers:
    """Members of the chunks of ``[B, T]`` ids; a position with id -1 is in none: nothing that stands there counts."""
    rows = torch.arange(len(chunk_id), device=chunk_id.device)[:, None] * max_chunks
    positions = (chunk_id >= 0).flatten().nonzero()[:, 0]
    chunks = (chunk_id + rows).flatten()[positions]
    sizes = torch.bincount(chunks, minlength=len(chunk_id) * max_chunks).reshape(len(chunk_id), max_chunks)
    return ChunkMembers(positions[chunks.argsort(stable=True)], sizes, ranks)


def chunk_average_finalize(chunk_sums: torch.Tensor, chunk_sizes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Means ``[B, C, V]`` (0 for an empty chunk) and the unchanged sizes."""
    return chunk_sums / (chunk_sizes[..., None] + EPSILON), chunk_sizes


def chunk_average_log_probs(
    log_probs: torch.Tensor, chunk_id: torch.Tensor, max_chunks: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """``chunk_average_finalize`` of ``chunk_log_prob_sums``."""
    return chunk_average_finalize(*chunk_log_prob_sums(log_probs, chunk_id, max_chunks))


def valid_chunk_mask(
    student_sizes: torch.Tensor, teacher_sizes: torch.Tensor, pair_valid: torch.Tensor
) -> torch.Tensor:
    """Chunks with tokens on both sides whose pair is valid, bool ``[B, C]``."""
    return (student_sizes > 0) & (teacher_sizes > 0) & pair_valid


def shift_next(chunk_id: torch.Tensor, ranks: Ranks = ALONE) -> torch.Tensor:
    """Chunk of the *next* token at every position, ``-1`` at the last: logits at t predict token t + 1."""
    return torch.cat([chunk_id[:, 1:], ranks.sequence_next(chunk_id[:, :1])], 1)


def alignment_from_flat_batch(data: Mapping[str, torch.Tensor], *, prefix: str = "alignment_") -> AlignmentBatch:
    """Collect the fields ``<prefix><field>`` of a flat batch; the tensors are not copied.

    Raises:
        AlignmentInputError: a field is missing.
    """
    missing = [prefix + field.name for field in fields(AlignmentBatch) if prefix + field.name not in data]
    if missing:
        raise AlignmentInputError(f"is missing from the batch (and {len(missing) - 1} more)", field=missing[0])
    return AlignmentBatch(**{field.name: data[prefix + field.name] for field in fields(AlignmentBatch)})
