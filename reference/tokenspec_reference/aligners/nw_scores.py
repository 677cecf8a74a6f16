"""What the dynamic programme of ``nw-compat`` pays for, as parameters, and the integers that stand for them.

Upstream adds in float32. Where no sum can be rounded (every score a multiple of one binary fraction, and the sequences
short enough) the programme runs on whole multiples of one unit; otherwise on float32 in upstream's order.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenspec_reference.aligners.canonical import canonical_token
from tokenspec_reference.aligners.errors import AlignmentInputError

if TYPE_CHECKING:
    from collections.abc import Callable

FLOAT32_INTEGERS = 1 << 24
FLOAT32_MAX = 2.0**128 - 2.0**104


@dataclass(frozen=True)
class Scores:
    """The seed's parameters: equal tokens gain ``exact_match_score``, unequal ones lose it.

    A token against k tokens gains ``combination_score_multiplier * k``, a token against nothing ``gap_penalty``.
    ``ignore_leading_char_diff``: tokens and joins are equal if their canonical spellings are.
    """

    exact_match_score: float = 3.0
    combination_score_multiplier: float = 1.5
    gap_penalty: float = -1.5
    ignore_leading_char_diff: bool = False

    def __post_init__(self) -> None:
        """Raises ``AlignmentInputError`` for a score that is no number of single precision."""
        for name in ("exact_match_score", "combination_score_multiplier", "gap_penalty"):
            if not abs(getattr(self, name)) <= FLOAT32_MAX:
                raise AlignmentInputError(f"must be a finite float32, is {getattr(self, name)}", field=name)

    @property
    def spell(self) -> Callable[[str], str]:
        """What is compared of a token or a join."""
        return canonical_token if self.ignore_leading_char_diff else str


DEFAULT_SCORES = Scores()


@dataclass(frozen=True)
class Rules:
    """Scores as numbers that add up as upstream's do: integers, or float32 where ``rounded``; times ``unit``."""

    match: Any
    gap: Any
    combinations: tuple[Any, ...]
    unit: float
    rounded: bool = False

    @property
    def equal(self) -> int:
        """What a match gains over two gaps."""
        return int(self.match - 2 * self.gap)

    @property
    def unequal(self) -> int:
        """What a mismatch gains over two gaps."""
        return int(-self.match - 2 * self.gap)

    @property
    def joined(self) -> tuple[int, ...]:
        """``joined[k]``: what a join of k tokens gains over ``k + 1`` gaps."""
        return tuple(int(gain - (k + 1) * self.gap) for k, gain in enumerate(self.combinations))

    @property
    def most(self) -> int:
        """A bound on what a token can gain or lose."""
        return max(1, *map(abs, (self.equal, self.unequal, *self.joined)))


@lru_cache(maxsize=64)
def rules_of(scores: Scores, tokens: int, max_comb_len: int) -> Rules:
    """The rules for two sequences of so many tokens together. ``combinations[k]`` is what a join of k gains."""
    exact = [
        Fraction(value) for value in (scores.exact_match_score, scores.combination_score_multiplier, scores.gap_penalty)
    ]
    grid = lcm(*(value.denominator for value in exact))
    whole = [int(value * grid) for value in exact]
    if max(map(abs, whole)) * max(tokens, 1) >= FLOAT32_INTEGERS:
        joins = tuple(np.float32(scores.combination_score_multiplier * k) for k in range(max_comb_len + 1))
        return Rules(np.float32(scores.exact_match_score), np.float32(scores.gap_penalty), joins, 1.0, rounded=True)
    shared = gcd(*whole) or 1
    match, many, gap = (value // shared for value in whole)
    return Rules(match, gap, tuple(many * k for k in range(max_comb_len + 1)), shared / grid)
