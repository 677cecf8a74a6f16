"""How much of a trace pass 2 reads at once, learnt from how far its guesses were off."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LONGEST = 512  # tokens of a chunk; longer ones are no cheaper a token


@dataclass
class Misses:
    """How far guessed scores were off, from as if one had been by a seventh of the gaps' spread."""

    squares: float = 0.02
    count: int = 1

    def add(self, error: float) -> None:
        """One guess was off by this; what is not finite (literal mode only) says nothing."""
        if math.isfinite(error):
            self.squares += error * error
            self.count += 1

    def right(self, distance: float) -> float:
        """The chance that a guess this far from the threshold is on the right side of it."""
        return 1.0 - 0.5 * math.erfc(distance / math.sqrt(2.0 * self.squares / self.count))


@dataclass
class Pace:
    """How far a chunk of pass 2 reads.

    A chunk costs its tokens, and as much as ``overhead`` tokens besides; what it has behind a wrong guess is read in
    vain. So one token more is worth its price while the chance that all guesses before it are right exceeds what was
    got for a token's price so far. Traces that share a forward have chunks of like size instead: for guesses of which
    one in ``n`` is wrong, about ``sqrt(2 * overhead * n)`` tokens are cheapest. ``fixed`` is what the caller wants.

    Tokens up to ``ahead`` have been read in pass 2 already, if behind a wrong guess: those are better guesses.
    """

    overhead: int
    fixed: int | None = None
    decided: int = 64
    read: int = 64
    chunks: int = 1
    ahead: int = -1
    misses: tuple[Misses, Misses] = field(default_factory=lambda: (Misses(), Misses()))

    def size(self) -> int:
        """Of a chunk beside others."""
        return self.fixed or max(8, math.isqrt(2 * self.overhead * self.decided // self.chunks))

    def longest(self) -> int:
        """Of a chunk by itself, if no guess is in doubt."""
        return self.fixed or LONGEST

    def worth(self) -> float:
        """The least chance at which one token more is read; the caller's size is read whatever the chances are."""
        return 0.0 if self.fixed else self.decided / (self.read + self.overhead * self.chunks)

    def right(self, index: int, distance: float) -> float:
        """The chance that the guess about token ``index``, this far from the threshold, is right."""
        return self.misses[index <= self.ahead].right(distance)

    def missed(self, index: int, error: float) -> None:
        """The score guessed for token ``index`` was off by this."""
        self.misses[index <= self.ahead].add(error)

    def went(self, decided: int, read: int) -> None:
        """The last chunk had ``read`` tokens and moved the frontier by ``decided``."""
        self.decided += decided
        self.read += read
        self.chunks += 1
