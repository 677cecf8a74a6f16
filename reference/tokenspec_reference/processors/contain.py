"""Has a token sequence occurred yet? By plain comparison as a value, and by Knuth-Morris-Pratt as a table.

The status is the length of the longest suffix of the history that is a prefix of the pattern, until the
pattern has occurred once; from then on it stays at ``len(pattern)``.

    >>> dfa = StringContainDFA((1, 1, 2))
    >>> [dfa.feed(tokens).status for tokens in ([1], [1, 1], [1, 1, 1], [1, 1, 1, 2])]
    [1, 2, 2, 3]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor


@lru_cache(maxsize=256)
def failure_links(pattern: tuple[int, ...]) -> tuple[int, ...]:
    """Prefix function: entry i is the length of the longest proper border of ``pattern[: i + 1]``."""
    links = [0] * len(pattern)
    for end in range(1, len(pattern)):
        border = links[end - 1]
        while border > 0 and pattern[border] != pattern[end]:
            border = links[border - 1]
        links[end] = border + (pattern[border] == pattern[end])
    return tuple(links)


@dataclass(frozen=True)
class StringContainDFA:
    """The readable twin, which shares nothing with the table. ``status`` runs from 0 to ``len(pattern)``; an empty
    pattern has occurred from the start.
    """

    pattern: tuple[int, ...]
    status: int = 0

    @property
    def finished(self) -> bool:
        """Whether the pattern has occurred."""
        return self.status == len(self.pattern)

    def next(self, token: int) -> StringContainDFA:
        """The state after one more token; finished is absorbing."""
        if self.finished:
            return self
        seen = (*self.pattern[: self.status], token)
        lengths = range(len(seen), -1, -1)
        return replace(self, status=next(n for n in lengths if seen[len(seen) - n :] == self.pattern[:n]))

    def feed(self, tokens: Iterable[int]) -> StringContainDFA:
        """The state after several tokens."""
        state = self
        for token in tokens:
            state = state.next(token)
        return state


class ContainTable:
    """The same automaton for many rows at once: ``[len(pattern) + 1, distinct tokens + 1]``, last column =
    any other token.
    """

    def __init__(self, pattern: tuple[int, ...], device: torch.device | str = "cpu") -> None:
        """Tabulate every status and every symbol of the pattern; ``O(len(pattern) ** 2)`` once."""
        symbols = sorted(set(pattern))
        links = failure_links(pattern)
        rows: list[list[int]] = []
        for status, expected in enumerate(pattern):
            fallback = rows[links[status - 1]] if status else [0] * (len(symbols) + 1)
            rows.append([status + 1 if token == expected else fallback[at] for at, token in enumerate(symbols)] + [0])
        rows.append([len(pattern)] * (len(symbols) + 1))
        self.length = len(pattern)
        self._symbols = torch.tensor(symbols, dtype=torch.int64, device=device)
        self._table = torch.tensor(rows, dtype=torch.int64, device=device)

    def next(self, status: Tensor, tokens: Tensor) -> Tensor:
        """Statuses int64 ``[rows]`` after one token per row; no device read."""
        if self.length == 0:
            return status
        at = torch.searchsorted(self._symbols, tokens).clamp(max=len(self._symbols) - 1)
        column = torch.where(self._symbols[at] == tokens, at, len(self._symbols))
        return self._table[status, column]
