"""How much of a trace pass 2 reads at once, learnt from how often its guesses were wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Pace:
    """How many tokens a chunk of pass 2 has.

    A chunk costs its tokens, and as much as ``overhead`` tokens besides; what it has behind a wrong guess is read in
    vain. For guesses of which one in ``n`` is wrong, about ``sqrt(2 * overhead * n)`` tokens are cheapest. ``fixed`` is
    what the caller wants instead.
    """

    overhead: int
    fixed: int | None = None
    tokens: int = 64
    chunks: int = 1

    def size(self) -> int:
        """That of the next chunk."""
        return self.fixed or max(8, math.isqrt(2 * self.overhead * self.tokens // self.chunks))

    def went(self, count: int) -> None:
        """The last chunk moved the frontier by ``count`` tokens."""
        self.tokens += count
        self.chunks += 1
