"""The processor that allows everything: what a chain of nobody is.

>>> nobody = Unconstrained(vocab_size=4)
>>> nobody.allow(nobody.advance(nobody.init(rows=2), [0, 3])).to_lists()
[None, None]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class Unconstrained:
    """Checks tokens and sources as every processor does. The state is the number of rows."""

    name = "unconstrained"

    def __init__(self, *, vocab_size: int, device: torch.device | str = "cpu") -> None:
        """Bind to a width."""
        self.vocab_size = vocab_size
        self.device = torch.device(device)

    def init(self, rows: int) -> int:
        """As many rows."""
        return rows

    def allow(self, state: int) -> AllowSet:
        """Everything, on every row."""
        return AllowSet.everything(state, self.vocab_size, self.device)

    def advance(
        self, state: int, tokens: Tensor | Sequence[object], active: Tensor | Sequence[bool] | None = None
    ) -> int:
        """Check the tokens; nothing depends on them."""
        token_columns(tokens, state, self.vocab_size, self.device, active_rows(active, state, self.device))
        return state

    def reorder(self, state: int, src: Tensor | Sequence[int]) -> int:
        """As many rows as sources."""
        return int(source_rows(src, state, self.device).shape[0])

    def join(self, states: Sequence[int]) -> int:
        """Rows of several states."""
        return sum(states)
