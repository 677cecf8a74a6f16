"""What a loss is told, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

Mode = Literal["p-kl", "gold", "xtoken"]


@dataclass(frozen=True)
class LossOptions:
    """``vocab_topk``: teacher columns of P-KL; ``uncommon_topk``: sorted tail of gold.

    ``reverse_kl``: KL(student, teacher) in place of KL(teacher, student).
    ``exact_token_match_only`` (P-KL): leave out chunks whose pair is not correct.
    ``in_blocks``: a few chunks at a time, which needs a fraction of the memory; otherwise all at once.
    """

    temperature: float = 1.0
    vocab_topk: int = 8192
    uncommon_topk: int = 8192
    reverse_kl: bool = False
    exact_token_match_only: bool = False
    in_blocks: bool = True


@dataclass(frozen=True)
class LossTerms:
    """Scalars: ``loss`` (with gradient), its parts, the number of valid chunks, and top-1 agreement over them."""

    loss: torch.Tensor
    kl: torch.Tensor
    l1: torch.Tensor
    valid_chunks: torch.Tensor
    top1: torch.Tensor
