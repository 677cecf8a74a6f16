"""How far rounding may move a score, and so which decisions other hardware may take otherwise (ENG-055).

Logits differ between instruction sets, thread counts and devices by a few units of their last place. What a score
makes of such a difference follows from its formula; the bounds here are first-order ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

UNITS = 8  # last places of the largest number; up to 5.2 were measured between instruction sets
ARITHMETIC = 2.0**-52  # the scores themselves are float64


@dataclass(frozen=True)
class Error:
    """How far one signal may be off, in its own unit.

    ``exact``: the numbers come from a table, so equal ones are equal on every machine.
    """

    size: float
    exact: bool


def signal_error(epsilon: float, largest: float) -> Error:
    """The error of a signal from its largest magnitude and the model's ``epsilon`` (0: a table)."""
    return Error(UNITS * max(epsilon, ARITHMETIC) * largest, exact=epsilon == 0)


@dataclass(frozen=True)
class Closeness:
    """Which distances from the threshold are close: those below ``reach``.

    ``accidental``: a score of pass 1 that equals the threshold may not do so elsewhere, because a second one is there.
    ``exact``: as in :class:`Error`.
    """

    reach: float
    accidental: bool
    exact: bool

    def holds(self, distance: float, *, calibrated: bool) -> bool:
        """Whether a decision at this distance is close; ``calibrated``: its score is one of pass 1."""
        if distance == 0:
            return self.reach > 0 and not self.exact and (self.accidental or not calibrated)
        return distance < self.reach


def closeness(scores: Sequence[float], threshold: float, reach: float, error: Error) -> Closeness:
    """What is close to ``threshold``, given the scores it was taken from."""
    near = sum(abs(score - threshold) < reach for score in scores)
    return Closeness(reach, near > 1, error.exact)


def flatness_error(change: float, spread: float, error: float) -> float:
    """Error of a change over a spread: both move, the spread by no more than one signal does."""
    return (2 + abs(change)) * error / spread


def exchangeable_share(share: float) -> float:
    """How far a Jensen-Shannon distance moves when candidates of this share are exchanged for others as probable."""
    return math.sqrt(share * math.log(2))
