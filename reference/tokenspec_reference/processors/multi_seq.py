"""Finished sequences keep only their end-of-sequence token.

>>> multi = MultiSeqLogitsProcessor(eos_token_id=2, vocab_size=4)
>>> state = multi.finish(multi.init(rows=2), [False, True])
>>> multi.allow(state).to_lists()
[None, [2]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import ShapeMismatch, config_error
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


@dataclass(frozen=True, eq=False)
class FinishedRows:
    """``finished`` bool ``[rows]``; ``any_possible`` is False while no row can be finished."""

    finished: Tensor
    any_possible: bool = False


class MultiSeqLogitsProcessor:
    """Stateless but for the flags it is given: ``advance`` changes nothing, ``finish`` sets them."""

    name = "multi_seq"

    def __init__(self, eos_token_id: int, *, vocab_size: int, device: torch.device | str = "cpu") -> None:
        """Raises ``ConfigError`` for an end-of-sequence id outside the vocabulary."""
        if type(eos_token_id) is not int or not 0 <= eos_token_id < vocab_size:
            raise config_error("/eos_token_id", Rule.TOKEN_ID_RANGE, f"{eos_token_id!r} is outside [0, {vocab_size})")
        self.eos_token_id = eos_token_id
        self.vocab_size = vocab_size
        self.device = torch.device(device)

    def init(self, rows: int) -> FinishedRows:
        """No row is finished."""
        return FinishedRows(torch.zeros(rows, dtype=torch.bool, device=self.device))

    def finish(self, state: FinishedRows, finished: Tensor | Sequence[bool]) -> FinishedRows:
        """Replace the flags: one bool per row."""
        flags = active_rows(finished, state.finished.shape[0], self.device, field="finished")
        if flags is None:
            raise ShapeMismatch("one bool per row is needed", field="finished")
        known = any(finished) if not isinstance(finished, torch.Tensor) else True
        return FinishedRows(flags.clone(), known)

    def allow(self, state: FinishedRows) -> AllowSet:
        """The end-of-sequence id on finished rows, everything elsewhere."""
        if not state.any_possible:
            return AllowSet.everything(state.finished.shape[0], self.vocab_size, self.device)
        listed = torch.where(state.finished, self.eos_token_id, PAD).unsqueeze(1)
        return AllowSet(listed, ~state.finished, self.vocab_size, bans=False, never_empty=True)

    def advance(
        self,
        state: FinishedRows,
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> FinishedRows:
        """Check the tokens; the flags only change through ``finish``."""
        rows = state.finished.shape[0]
        token_columns(tokens, rows, self.vocab_size, self.device, active_rows(active, rows, self.device))
        return state

    def reorder(self, state: FinishedRows, src: Tensor | Sequence[int]) -> FinishedRows:
        """New row i = old row ``src[i]``."""
        index = source_rows(src, state.finished.shape[0], self.device)
        return FinishedRows(state.finished[index], state.any_possible)

    def join(self, states: Sequence[FinishedRows]) -> FinishedRows:
        """Rows of several states."""
        flags = torch.cat([state.finished for state in states])
        return FinishedRows(flags, any(state.any_possible for state in states))
