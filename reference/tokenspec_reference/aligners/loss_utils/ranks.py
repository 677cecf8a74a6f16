"""What ranks of a parallel run tell one another, as functions that a trainer brings (``ALN-076``).

Nothing here knows a process group. A rank that is alone tells itself what it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Exchange = Callable[[torch.Tensor], torch.Tensor]


def alone(values: torch.Tensor) -> torch.Tensor:
    """What one rank has is what all have."""
    return values


def nothing_follows(first: torch.Tensor) -> torch.Tensor:
    """Behind the last position stands no token of a chunk."""
    return torch.full_like(first, -1)


@dataclass(frozen=True)
class Ranks:
    """All functions are called by every rank, in the same order, with tensors of equal shapes.

    ``data_sum``: added over ranks that hold other rows; counts that divide, which have no gradient.
    ``sequence_sum``: added over ranks that hold other positions of the same rows, gradients with them.
    ``sequence_max``: the largest over them; no gradient.
    ``sequence_next``: from the first column ``[B, 1]`` of a rank, that of the rank behind it, -1 behind the last.
    ``vocabulary_gather``: logits ``[B, T, V / ranks]`` to ``[B, T, V]``, gradients with them.
    """

    data_sum: Exchange = alone
    sequence_sum: Exchange = alone
    sequence_max: Exchange = alone
    sequence_next: Exchange = nothing_follows
    vocabulary_gather: Exchange = alone


ALONE = Ranks()
