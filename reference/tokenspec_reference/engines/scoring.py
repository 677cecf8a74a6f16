"""The score of the forced decoder: gap, z-score, punctuation prior, threshold. Plain float64 arithmetic.

Source: RT-SEG's formulas, and its code where they are silent (ddof 0, epsilon, linear percentile,
strict comparison). The two score modes differ only in the centre and spread that pass 2 uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.near_ties import Closeness, Error, closeness

ScoreMode = Literal["normalized", "upstream_literal"]

HARD_PUNCTUATION = frozenset(".!?;:\n")
SOFT_PUNCTUATION = frozenset(",\t")
SOFT_PRIOR_PASS_ONE = 0.5
SOFT_PRIOR_PASS_TWO = 0.2
EPSILON = 1e-6
NO_ERROR = Error(0.0, exact=True)
CONSTANT_SPREAD = 1e-9  # nats; below the resolution of any logit, so the gaps count as constant


def punctuation_prior(previous_character: str, soft: float) -> float:
    """1 after hard punctuation, ``soft`` after soft punctuation, else 0 (also at the start of the trace)."""
    if previous_character in HARD_PUNCTUATION:
        return 1.0
    return soft if previous_character in SOFT_PUNCTUATION else 0.0


@dataclass(frozen=True)
class Calibration:
    """What pass 1 hands to pass 2: the threshold and the normalisation of a gap (centre and spread in nats)."""

    threshold: float
    scores: tuple[float, ...]
    centre: float
    spread: float
    alpha: float
    beta: float
    mode: ScoreMode
    closeness: Closeness

    def score(self, gap: float, prior: float) -> float:
        """The score of pass 2 for one position. ``gap`` in nats, ``prior`` from :func:`punctuation_prior`."""
        return self.alpha * self._normalise(gap) + self.beta * prior

    def exceeds(self, score: float) -> bool:
        """Whether a separator goes here: strictly above the threshold. NaN (literal mode only) never is."""
        return score > self.threshold

    def _normalise(self, gap: float) -> float:
        difference = gap - self.centre
        if self.spread > 0:
            return difference / self.spread
        if self.mode == "normalized":
            return 0.0
        return math.copysign(math.inf, difference) if difference else math.nan


def percentile(values: Sequence[float], quantile: float) -> float:
    """Linear interpolation at index ``(n - 1) * quantile / 100`` of the sorted values.

    The product is formed before the division: an index that is a whole number then hits that value exactly, and the
    strict comparison of the insertion rule cannot be flipped by rounding (``n = 101, quantile = 29``).
    """
    ordered = sorted(values)
    index = (len(ordered) - 1) * quantile / 100
    low = math.floor(index)
    if low + 1 >= len(ordered):
        return ordered[-1]
    return ordered[low] + (ordered[low + 1] - ordered[low]) * (index - low)


def calibrate(
    gaps: Sequence[float],
    priors: Sequence[float] | None = None,
    *,
    quantile: float,
    alpha: float = 1.0,
    beta: float = 0.0,
    mode: ScoreMode = "normalized",
    error: Error = NO_ERROR,
) -> Calibration:
    """Pass 1: scores of all positions and their percentile.

    Args:
        gaps: one per trace token, in nats; at least one.
        priors: pass 1 priors, same length; None where there are none.
        quantile: percentile in [0, 100], linear interpolation.
        alpha: weight of the normalised gap.
        beta: weight of the prior.
        mode: ``normalized`` gives pass 2 the mean and spread of the gaps; ``upstream_literal`` gives it those of the
            z-scores, as the upstream code does, without epsilon.
        error: how far a gap may be off; says which scores are close to the threshold.

    Raises:
        NonFiniteLogits: a gap is NaN or infinite.
    """
    values = np.asarray(gaps, dtype=np.float64)
    if not np.isfinite(values).all():
        position = int(np.flatnonzero(~np.isfinite(values))[0])
        raise NonFiniteLogits(
            f"the gap before trace token {position} is {values[position]}; check the model's weights and dtype",
            field="logits",
        )
    mean, deviation = float(values.mean()), float(values.std())
    constant = deviation <= CONSTANT_SPREAD
    z = np.zeros_like(values) if constant else (values - mean) / (deviation + EPSILON)
    scores = alpha * z if priors is None else alpha * z + beta * np.asarray(priors, dtype=np.float64)
    threshold = percentile(scores.tolist(), quantile)
    if mode == "normalized":
        centre, spread = mean, 0.0 if constant else deviation + EPSILON
    else:
        centre, spread = float(z.mean()), float(z.std())
    moved = abs(alpha) * error.size
    reach = moved / (deviation + EPSILON) + (moved / spread if spread else 0.0)
    close = closeness(scores.tolist(), threshold, reach, error)
    return Calibration(threshold, tuple(scores.tolist()), centre, spread, alpha, beta, mode, close)
