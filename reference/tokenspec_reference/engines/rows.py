"""Rows of logits: over hidden states, with the head run when it is asked, and over logits that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenspec_reference.engines.output_head import OutputHead, upcast

if TYPE_CHECKING:
    import torch


class ChunkRows:
    """Rows over hidden states ``[n, width]``; the head runs when it is asked."""

    def __init__(self, head: OutputHead, hidden: torch.Tensor) -> None:
        self.head = head
        self.hidden = hidden

    def logits_of(self, candidates: Sequence[int], next_ids: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """See :class:`Rows`."""
        return self.head.logits_of(self.hidden, candidates, next_ids)

    def full(self, start: int, stop: int) -> torch.Tensor:
        """See :class:`Rows`."""
        return self.head.full(self.hidden[start:stop])


class FullRows:
    """Rows over finished logits ``[n, vocabulary]``."""

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = upcast(logits)

    def logits_of(self, candidates: Sequence[int], next_ids: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """See :class:`Rows`."""
        import torch

        own = torch.tensor(next_ids, device=self.logits.device, dtype=torch.long)
        return self.logits[:, list(candidates)], self.logits.gather(1, own[:, None])[:, 0]

    def full(self, start: int, stop: int) -> torch.Tensor:
        """See :class:`Rows`."""
        return self.logits[start:stop]
