"""Sums over chunks without both sides' ``[T, V]`` in memory: a few chunks at a time, gradients with them.

A position is in one chunk at most, so the gradient of its logits is known as soon as its chunk was compared: it is
written down there, and nothing of a block is kept for the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import torch

from tokenspec_reference.aligners.loss_utils.chunks import ChunkMembers

Compare = Callable[[torch.Tensor, ChunkMembers, ChunkMembers], tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
"""Of logits ``[N, V]`` (float32) of the student's members, its chunks and the teacher's, per chunk: divergence,
distance, and whether the best tokens agree (0 or 1)."""

NUMBERS_AT_ONCE = 1 << 20
POSITIONS_AT_ONCE = 32
"""Binds for vocabularies below 32,768 only, whose blocks are small anyway; so does a small test see several blocks."""


def chunk_sums(
    student_logits: torch.Tensor,
    ours: ChunkMembers,
    theirs: ChunkMembers,
    valid: torch.Tensor,
    compare: Compare,
    *,
    weights: torch.Tensor | None = None,
    in_blocks: bool = True,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum over valid chunks ``[B, C]`` of divergence and distance, with gradient; and all three sums ``[3]`` without.

    ``weights`` ``[B, C]`` multiply the divergence of each chunk; None counts each once.
    ``in_blocks``: about a million logits at a time, or fewer; otherwise all at once through autograd, the plain twin.
    """
    ours, theirs = ours.only(valid), theirs.only(valid)
    flat = student_logits.flatten(0, 1)
    shares = torch.ones(int(valid.sum()), device=flat.device) if weights is None else weights[valid].to(flat.device)
    if not in_blocks:
        sums = _weighted(compare(flat[ours.positions].float(), ours, theirs), shares)
        return sums[0] + sums[1], sums.detach()
    rows = min(POSITIONS_AT_ONCE, NUMBERS_AT_ONCE // flat.shape[-1])
    total, sums = _BlockedSums.apply(flat, list(_blocks(ours, theirs, shares, rows)), compare)
    return total, sums


def _weighted(values: tuple[torch.Tensor, torch.Tensor, torch.Tensor], shares: torch.Tensor) -> torch.Tensor:
    """Sums ``[3]`` of divergence, distance and agreement of chunks, the divergence by the share of each."""
    divergence, distance, same = values
    return torch.stack([(divergence * shares).sum(), distance.sum(), same.sum()])


def _blocks(
    ours: ChunkMembers, theirs: ChunkMembers, shares: torch.Tensor, rows: int
) -> Iterator[tuple[ChunkMembers, ChunkMembers, torch.Tensor]]:
    """Consecutive chunks of at most so many positions on either side, at least one; the same on all ranks.

    All sizes are read back at once, whatever the number of blocks.
    """
    largest = torch.maximum(ours.all_sizes, theirs.all_sizes)
    sizes, *own = torch.cat([largest, ours.sizes, theirs.sizes]).tolist()
    edges = [0, *_cuts(sizes, rows), len(sizes)] if sizes else []
    ends = [[0, *accumulate(side)] for side in own]
    for start, end in pairwise(edges):
        yield (
            ours.between((start, end), (ends[0][start], ends[0][end])),
            theirs.between((start, end), (ends[1][start], ends[1][end])),
            shares[start:end],
        )


def _cuts(sizes: list[int], rows: int) -> Iterator[int]:
    """The chunks with which a block begins, but for the first."""
    reached = 0
    for start, size in enumerate(sizes):
        if reached and reached + size > rows:
            yield start
            reached = 0
        reached += size


class _BlockedSums(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(
        ctx: Any,
        flat: torch.Tensor,
        blocks: list[tuple[ChunkMembers, ChunkMembers, torch.Tensor]],
        compare: Compare,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        wanted = ctx.needs_input_grad[0]
        gradient = torch.zeros_like(flat) if wanted else None
        sums = torch.zeros(3, device=flat.device)
        for ours, theirs, shares in blocks:
            with torch.enable_grad():
                rows = flat.detach()[ours.positions].requires_grad_(wanted)
                values = _weighted(compare(rows.float(), ours, theirs), shares)
                if gradient is not None:
                    (gradient[ours.positions],) = torch.autograd.grad(values[0] + values[1], rows)
            sums += values.detach()
        ctx.gradient = gradient
        ctx.mark_non_differentiable(sums)
        return sums[0] + sums[1], sums

    @staticmethod
    def backward(ctx: Any, *arriving: torch.Tensor) -> tuple[torch.Tensor | None, None, None]:
        gradient, ctx.gradient = ctx.gradient, None
        if gradient is None:
            raise RuntimeError("the gradient of a loss in blocks is there once; in_blocks=False keeps it")
        return gradient.mul_(arriving[0].to(gradient.dtype)), None, None
