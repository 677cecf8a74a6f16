"""A budget for the thinking segment: after ``max_tokens`` thinking tokens the end tag is forced, token by
token.

>>> think = ThinkModeLogitsProcessor([8, 9], max_tokens=2, vocab_size=16)
>>> state = think.init(rows=1)
>>> shown = []
>>> for token in (5, 5, 8, 9, 5):
...     shown.append(think.allow(state).ids(0))
...     state = think.advance(state, [token])
>>> shown
[None, None, [8], [9], None]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.contain import ContainTable
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns
from tokenspec_reference.processors.think_policy import Boundaries, Close, Counting, ThinkConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


@dataclass(frozen=True, eq=False)
class ThinkState:
    """Per row, int64 on the device: matched part of the begin tag, of the end tag, of the closing sequence (of the end
    tag, if it is that), thinking tokens. ``longest`` bounds ``count`` on the host, so that a step long before the
    budget does not touch the device.
    """

    begin: Tensor
    end: Tensor
    closing: Tensor
    count: Tensor
    longest: int


class ThinkModeLogitsProcessor:
    """The same policy for many rows. Raises ``ConfigError``; the arguments are those of ``ThinkConfig``."""

    name = "think"

    def __init__(
        self,
        end_ids: Sequence[int],
        *,
        max_tokens: int | None,
        vocab_size: int,
        begin_ids: Sequence[int] = ThinkConfig.begin_ids,
        counting: Counting = ThinkConfig.counting,
        close: Close = ThinkConfig.close,
        mask_boundaries: Boundaries = ThinkConfig.mask_boundaries,
        closing_ids: Sequence[int] | None = None,
        min_tokens: int = ThinkConfig.min_tokens,
        device: torch.device | str = "cpu",
    ) -> None:
        """Validate the policy and tabulate the tags."""
        self.config = ThinkConfig(
            tuple(end_ids),
            max_tokens,
            vocab_size,
            begin_ids=tuple(begin_ids),
            counting=counting,
            close=close,
            mask_boundaries=mask_boundaries,
            closing_ids=None if closing_ids is None else tuple(closing_ids),
            min_tokens=min_tokens,
        )
        self.vocab_size = vocab_size
        self.device = torch.device(device)
        self._begin = ContainTable(self.config.begin_ids if counting == "after_begin" else (), device)
        self._end = ContainTable(self.config.end_ids, device)
        self._end_ids = torch.tensor(self.config.end_ids, dtype=torch.int64, device=device)
        other = self.config.closing != self.config.end_ids
        self._closing = ContainTable(self.config.closing, device) if other else self._end
        self._closing_ids = torch.tensor(self.config.closing, dtype=torch.int64, device=device)

    def init(self, rows: int) -> ThinkState:
        """No token yet."""
        zeros = torch.zeros(rows, dtype=torch.int64, device=self.device)
        return ThinkState(zeros, zeros, zeros, zeros, 0)

    def allow(self, state: ThinkState) -> AllowSet:
        """The next end-tag id where it is forced; elsewhere everything but the banned boundary ids."""
        rows, budget = state.count.shape[0], self.config.max_tokens
        begun, ended = state.begin == self._begin.length, state.end == self._end.length
        quiet = self.config.close == "budget" and (budget is None or state.longest < budget)
        if quiet:
            force = None
        else:
            spent = torch.zeros_like(begun) if budget is None else state.count >= budget
            force = begun & ~ended & ((spent | (state.end > 0)) if self.config.close == "eager" else spent)
        bans = self._bans(begun, ended) + self._early(state, begun & ~ended)
        free = AllowSet.everything(rows, self.vocab_size, self.device)
        if bans:
            columns = [torch.where(where, token, PAD) for token, where in bans]
            free = replace(AllowSet.except_for(torch.stack(columns, dim=1), self.vocab_size), never_empty=True)
        return free if force is None else self._forced(state).where(force, free)

    def _forced(self, state: ThinkState) -> AllowSet:
        """The id that continues the end tag where it is the longer begun one or closing is eager, else the closing
        sequence.
        """
        forced = self._end_ids[state.end.clamp(max=self._end.length - 1)]
        if self._closing is not self._end:
            other = self._closing_ids[state.closing.clamp(max=self._closing.length - 1)]
            tag = state.end > (0 if self.config.close == "eager" else state.closing)
            forced = torch.where(tag, forced, other)
        listed = torch.zeros_like(forced, dtype=torch.bool)
        return AllowSet(
            forced.unsqueeze(1), listed, self.vocab_size, only_listed=True, bans=False, never_empty=True, padded=False
        )

    def _early(self, state: ThinkState, thinking: Tensor) -> list[tuple[int, Tensor]]:
        """The id that would end the segment before its minimum."""
        if self.config.min_tokens == 0:
            return []
        fateful = 0 if self.config.close == "eager" else self._end.length - 1
        where = thinking & (state.count < self.config.min_tokens) & (state.end == fateful)
        return [(self.config.end_ids[fateful], where)]

    def _bans(self, begun: Tensor, ended: Tensor) -> list[tuple[int, Tensor]]:
        if self.config.mask_boundaries == "none":
            return []
        begin = (self.config.begin_ids[0], begun)
        return [begin] if self.config.mask_boundaries == "begin" else [begin, (self.config.end_ids[0], ended)]

    def advance(
        self,
        state: ThinkState,
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> ThinkState:
        """Count and match the sampled tokens."""
        rows = state.count.shape[0]
        flags = active_rows(active, rows, self.device)
        for column in token_columns(tokens, rows, self.vocab_size, self.device, flags):
            begun = state.begin == self._begin.length
            thinking = begun & (state.end < self._end.length)
            opening = ~begun
            if flags is not None:
                thinking, opening = thinking & flags, opening & flags
            end = torch.where(thinking, self._end.next(state.end, column), state.end)
            closing = end
            if self._closing is not self._end:
                closing = torch.where(thinking, self._closing.next(state.closing, column), state.closing)
            state = ThinkState(
                begin=torch.where(opening, self._begin.next(state.begin, column), state.begin),
                end=end,
                closing=closing,
                count=state.count + thinking,
                longest=state.longest + 1,
            )
        return state

    def reorder(self, state: ThinkState, src: Tensor | Sequence[int]) -> ThinkState:
        """New row i = old row ``src[i]``."""
        index = source_rows(src, state.count.shape[0], self.device)
        begin, end, closing, count = (part[index] for part in (state.begin, state.end, state.closing, state.count))
        return ThinkState(begin, end, closing, count, state.longest)

    def join(self, states: Sequence[ThinkState]) -> ThinkState:
        """Rows of several states."""
        parts = ([getattr(state, name) for state in states] for name in ("begin", "end", "closing", "count"))
        begin, end, closing, count = (torch.cat(part) for part in parts)
        return ThinkState(begin, end, closing, count, max(state.longest for state in states))
