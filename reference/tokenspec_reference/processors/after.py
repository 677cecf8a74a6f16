"""A constraint that waits for a tag: a tree for the answer, behind the end of thinking.

>>> from tokenspec_reference.processors import ThinkModeLogitsProcessor
>>> processor = After([8, 9], ThinkModeLogitsProcessor([5], max_tokens=1, vocab_size=10))
>>> processor.allow(processor.advance(processor.init(rows=2), [[3, 3, 8], [8, 9, 3]])).to_lists()
[None, [5]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.chain import Chain
from tokenspec_reference.processors.contain import ContainTable
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import ConfigError, config_error, range_problems
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import LooksAtLogits, active_rows, source_rows, token_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.processor import Processor


@dataclass(frozen=True, eq=False)
class Waiting:
    """``seen`` int64 ``[rows]``: the matched part of the tag; ``inner``: the state of the processor behind it."""

    seen: Tensor
    inner: Any


class After:
    """``processor`` constrains a row from the end of the first ``tag_ids`` on, as if generation began there."""

    name = "after"

    def __init__(
        self, tag_ids: Sequence[int], processor: Processor[Any], *, device: torch.device | str = "cpu"
    ) -> None:
        """Raises ``ConfigError`` for a tag that is empty or no ids of the vocabulary, and for what cannot wait.

        A chain conflicts on rows that have not come to the tag, and flags of finished rows wait for none.
        """
        if not tag_ids:
            raise config_error("/tag_ids", Rule.TAG_IDS_EMPTY, "without a tag there is nothing to wait for")
        problems = range_problems("/tag_ids", tag_ids, processor.vocab_size)
        if problems:
            raise ConfigError(problems)
        if isinstance(processor, MultiSeqLogitsProcessor | Chain):
            reason = f"{processor.name} cannot wait; put After around each of the chain's members that can"
            raise config_error("/processor/kind", Rule.KIND, reason)
        self.processor = processor
        self.vocab_size = processor.vocab_size
        self.device = torch.device(device)
        self.cross_sequence_ban: bool = getattr(processor, "cross_sequence_ban", False)
        self._tag = ContainTable(tuple(tag_ids), device)

    def init(self, rows: int) -> Waiting:
        """No row has come to the tag."""
        return Waiting(torch.zeros(rows, dtype=torch.int64, device=self.device), self.processor.init(rows))

    def allow(self, state: Waiting) -> AllowSet:
        """Everything, and behind the tag what the processor allows."""
        return self._opened(state, self.processor.allow(state.inner))

    def allow_from_logits(self, state: Waiting, logits: Tensor) -> AllowSet:
        """``allow`` with the rules that look at logits, if the processor has one."""
        if isinstance(self.processor, LooksAtLogits):
            return self._opened(state, self.processor.allow_from_logits(state.inner, logits))
        return self.allow(state)

    def _opened(self, state: Waiting, inner: AllowSet) -> AllowSet:
        free = AllowSet.everything(inner.rows, self.vocab_size, self.device)
        return inner.where(state.seen == self._tag.length, free)

    def advance(
        self, state: Waiting, tokens: Tensor | Sequence[object], active: Tensor | Sequence[bool] | None = None
    ) -> Waiting:
        """Look for the tag, and advance the processor on the rows that have it behind them."""
        rows = state.seen.shape[0]
        flags = active_rows(active, rows, self.device)
        for column in token_columns(tokens, rows, self.vocab_size, self.device, flags):
            opened = state.seen == self._tag.length
            seen = self._tag.next(state.seen, column)
            if flags is not None:
                opened, seen = opened & flags, torch.where(flags, seen, state.seen)
            state = Waiting(seen, self.processor.advance(state.inner, column, opened))
        return state

    def reorder(self, state: Waiting, src: Tensor | Sequence[int]) -> Waiting:
        """New row i = old row ``src[i]``."""
        index = source_rows(src, state.seen.shape[0], self.device)
        return Waiting(state.seen[index], self.processor.reorder(state.inner, index))

    def join(self, states: Sequence[Waiting]) -> Waiting:
        """Rows of several states."""
        inner = self.processor.join([state.inner for state in states])
        return Waiting(torch.cat([state.seen for state in states]), inner)
