"""What an engine returns, and what the caller may watch while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tokenspec_reference.engines.offsets import Offsets

UNKNOWN_LABEL = "UNK"

Progress = Callable[[int, int], None]
"""Called with (tokens done, tokens in all)."""


@dataclass(frozen=True)
class ScoreCurve:
    """Scores for a picture: character position of every token, its score in pass 1, and the threshold.

    Rounding may move a score against the threshold by less than ``reach``. ``decided`` are the scores of pass 2, None
    where no separator may go; empty where there is no such pass.
    """

    positions: tuple[int, ...]
    scores: tuple[float, ...]
    threshold: float
    reach: float
    decided: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Segmentation:
    """A partition of the trace into segments.

    ``offsets`` are code point ``(start, end)`` pairs, ``labels`` has one entry per segment. ``margin`` is the smallest
    distance of a decided score from the threshold (None when nothing was decided): two correct implementations may only
    differ where it is tiny. ``close`` are the positions where they may, because rounding reaches from the score to the
    threshold: a segment begins there or just not (of several engines: any of theirs). ``forwards`` counts calls of the
    model. ``token_spans`` are the segments in tokens of the trace, ``(first, behind the last)``, where an engine reads
    tokens: the last token of each is a step's end. ``of_engines`` are the segmentations that a fusion was given.
    """

    offsets: Offsets
    labels: list[str]
    margin: float | None = None
    close: tuple[int, ...] = ()
    forwards: int = 0
    curve: ScoreCurve | None = field(default=None, repr=False)
    token_spans: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    of_engines: tuple[Offsets, ...] = field(default=(), repr=False)


def unlabelled(offsets: Offsets) -> Segmentation:
    """Segments without labels."""
    return Segmentation(offsets, [UNKNOWN_LABEL] * len(offsets))
