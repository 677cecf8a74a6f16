"""How well a segmentation agrees with another one. All functions take partitions of the same text.

A boundary is the end of every segment but the last. ``gold`` comes first; only the symmetric measures may swap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tokenspec_reference.engines.errors import InvalidSegmentation
from tokenspec_reference.engines.offsets import require_segmentation

Segments = Sequence[tuple[int, int]]


def boundaries(segments: Segments) -> list[int]:
    """Ends of all segments but the last."""
    return [end for _, end in segments[:-1]]


@dataclass(frozen=True)
class _Pair:
    """Two partitions of one text: the boundaries of both, and how long it is."""

    ours: list[int]
    theirs: list[int]
    length: int


def _paired(gold: Segments, predicted: Segments) -> _Pair:
    """Read both.

    Raises:
        InvalidSegmentation: one of the two is no partition, or they are of different texts.
    """
    for segments, field in ((gold, "gold"), (predicted, "predicted")):
        require_segmentation(segments, field=field)
        edge = 0
        for start, end in segments:
            if start != edge:
                raise InvalidSegmentation(f"characters {edge} to {start} belong to no segment", field=field)
            edge = end
    lengths = [segments[-1][1] if segments else 0 for segments in (gold, predicted)]
    if lengths[0] != lengths[1]:
        raise InvalidSegmentation(f"ends at {lengths[1]}, gold at {lengths[0]}", field="predicted")
    return _Pair(boundaries(gold), boundaries(predicted), lengths[0])


def _f1(gold: Segments, predicted: Segments, credit: Callable[[int], float]) -> float:
    """Harmonic mean of two averages of ``credit(distance to the nearest boundary of the other side)``."""
    pair = _paired(gold, predicted)
    return _f1_of(pair.ours, pair.theirs, credit)


def _f1_of(ours: Sequence[int], theirs: Sequence[int], credit: Callable[[int], float]) -> float:
    if not ours or not theirs:
        return float(not ours and not theirs)
    recall = sum(credit(min(abs(edge - other) for other in theirs)) for edge in ours) / len(ours)
    precision = sum(credit(min(abs(edge - other) for other in ours)) for edge in theirs) / len(theirs)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def boundary_similarity(gold: Segments, predicted: Segments, *, window: int = 3) -> float:
    """F1 of boundaries that have one of the other side within ``window`` characters; in [0, 1], symmetric."""
    return _f1(gold, predicted, lambda distance: float(distance <= window))


def boundary_f1(gold: Segments, predicted: Segments) -> float:
    """F1 of exactly equal boundaries; 1 when neither side has any."""
    return boundary_similarity(gold, predicted, window=0)


def soft_boundary_f1(gold: Segments, predicted: Segments, *, sigma: float = 5.0) -> float:
    """F1 in which a boundary earns ``exp(-distance / sigma)``."""
    return _f1(gold, predicted, lambda distance: math.exp(-distance / sigma))


def window_size(gold: Segments) -> int:
    """Half the mean gold segment length, rounded half to even, at least 1 (Pk and WindowDiff)."""
    return max(1, round(gold[-1][1] / len(gold) / 2)) if gold else 1


def _segment_of(segments: Segments) -> list[int]:
    return [index for index, (start, end) in enumerate(segments) for _ in range(start, end)]


def pk(gold: Segments, predicted: Segments) -> float:
    """Share of character pairs ``window_size`` apart on which the two disagree about "same segment"; 0 is best."""
    length = _paired(gold, predicted).length
    window = window_size(gold)
    if length <= window:
        return 0.0
    ours, theirs = _segment_of(gold), _segment_of(predicted)
    wrong = sum((ours[i] == ours[i + window]) != (theirs[i] == theirs[i + window]) for i in range(length - window))
    return wrong / (length - window)


def window_diff(gold: Segments, predicted: Segments) -> float:
    """Share of windows of ``window_size`` characters in which the two count different boundaries; 0 is best."""
    length = _paired(gold, predicted).length
    window = window_size(gold)
    if length <= window:
        return 0.0
    ours, theirs = _segment_of(gold), _segment_of(predicted)
    wrong = sum(ours[i + window] - ours[i] != theirs[i + window] - theirs[i] for i in range(length - window))
    return wrong / (length - window)


def _best_overlap(gold: Segments, predicted: Segments, measure: Callable[[int, int], float]) -> float:
    """Each segment shares characters with one at least; what it shares with those apart from it is below that."""
    if not _paired(gold, predicted).length:
        return 1.0
    return sum(
        max(measure(min(end, right) - max(start, left), (end - start) + (right - left)) for left, right in predicted)
        for start, end in gold
    ) / len(gold)


def segment_iou(gold: Segments, predicted: Segments) -> float:
    """Mean over gold segments of the best intersection over union."""
    return _best_overlap(gold, predicted, lambda shared, both: shared / (both - shared))


def segment_dice(gold: Segments, predicted: Segments) -> float:
    """Mean over gold segments of the best Dice coefficient."""
    return _best_overlap(gold, predicted, lambda shared, both: 2 * shared / both)


def boundary_displacement(gold: Segments, predicted: Segments) -> float:
    """Mean distance in characters from a gold boundary to the nearest predicted one; infinite if one side has none."""
    pair = _paired(gold, predicted)
    ours, theirs = pair.ours, pair.theirs
    if not ours or not theirs:
        return 0.0 if not ours and not theirs else math.inf
    return sum(min(abs(edge - other) for other in theirs) for edge in ours) / len(ours)


def count_bias(gold: Segments, predicted: Segments) -> float:
    """Surplus of predicted segments, relative to gold; negative means too few."""
    pair = _paired(gold, predicted)
    return (len(pair.theirs) - len(pair.ours)) / max(1, len(gold))


def density_divergence(gold: Segments, predicted: Segments, *, bins: int = 20) -> float:
    """Jensen-Shannon divergence, in nats, of where along the text the boundaries lie; 0 equal, ln 2 disjoint."""
    pair = _paired(gold, predicted)
    ours, theirs = pair.ours, pair.theirs
    if not ours or not theirs:
        return 0.0 if not ours and not theirs else math.log(2)
    shares = [_histogram(edges, pair.length, bins) for edges in (ours, theirs)]
    middle = [(left + right) / 2 for left, right in zip(*shares, strict=True)]
    return sum(
        share * math.log(share / mean) / 2 for side in shares for share, mean in zip(side, middle, strict=True) if share
    )


def _histogram(edges: Sequence[int], length: int, bins: int) -> list[float]:
    counts = [0] * bins
    for edge in edges:
        counts[min(bins - 1, edge * bins // length)] += 1
    return [count / len(edges) for count in counts]


@dataclass(frozen=True)
class Agreement:
    """The measures people report, of one pair."""

    boundary_similarity: float
    boundary_f1: float
    soft_boundary_f1: float
    pk: float
    window_diff: float
    segment_iou: float
    segment_dice: float
    count_bias: float


def agreement(gold: Segments, predicted: Segments, *, window: int = 3) -> Agreement:
    """All measures with their usual parameters."""
    return Agreement(
        boundary_similarity=boundary_similarity(gold, predicted, window=window),
        boundary_f1=boundary_f1(gold, predicted),
        soft_boundary_f1=soft_boundary_f1(gold, predicted),
        pk=pk(gold, predicted),
        window_diff=window_diff(gold, predicted),
        segment_iou=segment_iou(gold, predicted),
        segment_dice=segment_dice(gold, predicted),
        count_bias=count_bias(gold, predicted),
    )


def boundary_cover(one: Segments, other: Segments, *, slack: int = 10) -> float:
    """Share of the boundaries of ``one`` that have one of ``other`` within ``slack`` characters; 1 if it has none."""
    ours, theirs = boundaries(one), boundaries(other)
    return sum(any(abs(edge - each) <= slack for each in theirs) for edge in ours) / len(ours) if ours else 1.0


def optimistic_score(one: Segments, other: Segments, *, slack: int = 10) -> float:
    """The larger of both covers: further boundaries of one side cost nothing."""
    return max(boundary_cover(one, other, slack=slack), boundary_cover(other, one, slack=slack))


def krippendorff_alpha(coders: Sequence[Segments], length: int) -> float:
    """Krippendorff's alpha of "is there a boundary" at the inner positions of a text; 1 where all say the same.

    Nominal data, nobody silent. ``length`` is that of the text.
    """
    votes = Counter(edge for coder in coders for edge in set(boundaries(coder)))
    values, ones = len(coders) * max(0, length - 1), sum(votes.values())
    expected = ones * (values - ones) / (values - 1) if values > 1 else 0.0
    if not expected:
        return 1.0
    observed = sum(count * (len(coders) - count) for count in votes.values()) / (len(coders) - 1)
    return 1 - observed / expected


@dataclass(frozen=True)
class GroupAgreement:
    """Several segmentations of one text, none of them gold before the others."""

    krippendorff_alpha: float
    consensus: float
    optimistic: float


def group_agreement(coders: Sequence[Segments], length: int, *, window: int = 3, slack: int = 10) -> GroupAgreement:
    """Alpha, and the means over all pairs of :func:`boundary_similarity` and :func:`optimistic_score`.

    Args:
        coders: at least two segmentations.
        length: of the text, in characters.
        window: of the similarity.
        slack: of the score.

    Raises:
        InvalidSegmentation: fewer than two.
    """
    pairs = list(combinations(coders, 2))
    if not pairs:
        raise InvalidSegmentation("agreement takes two", field="segmentations")
    similar = (_f1_of(boundaries(one), boundaries(other), lambda far: float(far <= window)) for one, other in pairs)
    optimistic = (optimistic_score(one, other, slack=slack) for one, other in pairs)
    return GroupAgreement(
        krippendorff_alpha(coders, length), math.fsum(similar) / len(pairs), math.fsum(optimistic) / len(pairs)
    )


def group_consensus(coders: Sequence[Segments], length: int, *, window: int = 3) -> float:
    """The mean boundary similarity of all pairs."""
    return group_agreement(coders, length, window=window).consensus
