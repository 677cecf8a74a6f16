"""Fusion, labels and agreement by brute force over positions and characters."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

from tokenspec.areas.engines.oracle.forced import Refuses

Segments = list[tuple[int, int]]


def fused(name: str, given: list[Segments], length: int, parameters: dict[str, Any]) -> list[int]:
    """Cuts of a fusion: for every position inside the trace, ask whether it is one."""
    edges = [{edge for pair in segments for edge in pair} for segments in given]
    inside = range(1, length)
    if name == "voting":
        needed = parameters.get("threshold", len(given) // 2 + 1)
        return [at for at in inside if sum(at in each for each in edges) >= needed]
    if name == "merge":
        return [at for at in inside if any(at in each for each in edges)]
    if name == "intersect":
        return [at for at in inside if all(at in each for each in edges)]
    if name == "fuzzy":
        distance = parameters.get("max_distance", 1)
        kept = [0]
        for at in inside:
            if any(at in each for each in edges) and at - kept[-1] > distance:
                kept.append(at)
        return [at for at in kept[1:] if length - at > distance]
    return _heaviest(given, length)


def _heaviest(given: list[Segments], length: int) -> list[int]:
    """Every set of cuts along edges, scored; among the heaviest the one with the smallest predecessors from the end."""
    nodes = sorted({0, length} | {edge for segments in given for pair in segments for edge in pair})
    weights: dict[tuple[int, int], int] = {}
    for segments in given:
        for pair in segments:
            weights[pair] = weights.get(pair, 0) + 1
    steps = set(weights) | set(pairwise(nodes))
    best: tuple[int, list[int]] | None = None
    interior = nodes[1:-1]
    for count in range(len(interior) + 1):
        for chosen in combinations(interior, count):
            path = [0, *chosen, length]
            pairs = list(pairwise(path))
            if all(pair in steps for pair in pairs):
                key = (-sum(weights.get(pair, 0) for pair in pairs), path[::-1])
                best = key if best is None or key < best else best
    return best[1][::-1][1:-1] if best else []


def upstream_fused(name: str, given: list[Segments], parameters: dict[str, Any]) -> Segments:
    """ENG-086: the segments as RT-SEG gives them, lost ends included; it does not know how long the trace is."""
    edges = [{edge for pair in segments for edge in pair} for segments in given]
    every = sorted(set().union(*edges))
    if name == "merge":
        return list(pairwise(every))
    if name == "voting":
        ballots = [[*(start for start, _ in segments), segments[-1][1]] for segments in given]
        needed = parameters.get("threshold", len(given) // 2 + 1)
        return list(pairwise(at for at in every if sum(at in ballot for ballot in ballots) >= needed))
    if name == "fuzzy":
        kept: list[int] = []
        for at in every:
            if not kept or at - kept[-1] > parameters.get("max_distance", 1):
                kept.append(at)
        return list(pairwise(kept))
    cuts = set.intersection(*edges) if name == "intersect" else _heaviest_chain(given, every[-1])
    if not cuts:
        raise Refuses("ENG-086", "/given")
    return list(pairwise(sorted({0, every[-1], *cuts})))


def _heaviest_chain(given: list[Segments], end: int) -> set[int]:
    """The edges of the heaviest chain of proposed segments up to ``end``; of equals the smallest from behind."""
    proposed = [pair for segments in given for pair in segments]

    def chains(edge: int) -> list[tuple[int, list[int]]]:
        before = sorted({start for start, stop in proposed if stop == edge})
        found = [
            (weight - proposed.count((start, edge)), [edge, *path])
            for start in before
            for weight, path in chains(start)
        ]
        return found or [(0, [edge])]

    return set(min(chains(end))[1])


def labels_of(given: list[Segments], names: list[list[str]], segments: Segments, mode: str) -> list[str]:
    """One label per fused segment, counted character set by character set."""
    result = []
    for start, end in segments:
        votes = [
            label
            for each, labels in zip(given, names, strict=True)
            for (left, right), label in zip(each, labels, strict=True)
            if set(range(left, right)) & set(range(start, end)) and label.upper() != "UNK"
        ]
        if not votes:
            result.append("UNK")
        elif mode == "concat":
            result.append("+".join(sorted(set(votes))))
        else:
            most = max(votes.count(vote) for vote in votes)
            result.append(next(vote for vote in votes if votes.count(vote) == most))
    return result


def agreement(gold: Segments, predicted: Segments, length: int) -> dict[str, float]:
    """The measures the chapter fixes, from one segment number per character."""
    ours, theirs = ([end for _, end in side[:-1]] for side in (gold, predicted))

    def f1(credit: Callable[[int], float]) -> float:
        if not ours or not theirs:
            return 1.0 if not ours and not theirs else 0.0
        recall = sum(max(credit(abs(a - b)) for b in theirs) for a in ours) / len(ours)
        precision = sum(max(credit(abs(a - b)) for a in ours) for b in theirs) / len(theirs)
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def overlap(measure: Callable[[set[int], set[int]], float]) -> float:
        if not gold:
            return 1.0
        sides = [[set(range(*pair)) for pair in side] for side in (gold, predicted)]
        return sum(max(measure(one, other) for other in sides[1]) for one in sides[0]) / len(gold)

    numbers = [[n for n, (start, end) in enumerate(side) for _ in range(start, end)] for side in (gold, predicted)]
    half = length / len(gold) / 2 if gold else 1.0
    k = math.floor(half)
    k += half - k > 0.5 or (half - k == 0.5 and k % 2 == 1)
    k = max(1, k)
    pairs = range(length - k)
    total = len(pairs)
    same = [[side[i] == side[i + k] for i in pairs] for side in numbers]
    counts = [[side[i + k] - side[i] for i in pairs] for side in numbers]
    return {
        "boundary_similarity": f1(lambda distance: float(distance <= 3)),
        "boundary_f1": f1(lambda distance: float(distance == 0)),
        "soft_boundary_f1": f1(lambda distance: math.exp(-distance / 5)),
        "segment_iou": overlap(lambda one, other: len(one & other) / len(one | other)),
        "segment_dice": overlap(lambda one, other: 2 * len(one & other) / (len(one) + len(other))),
        "count_bias": (len(predicted) - len(gold)) / max(1, len(gold)),
        "pk": sum(a != b for a, b in zip(*same, strict=True)) / total if total > 0 else 0.0,
        "window_diff": sum(a != b for a, b in zip(*counts, strict=True)) / total if total > 0 else 0.0,
    }


def group_measures(coders: list[Segments], length: int) -> dict[str, float]:
    """ENG-094 and ENG-095, from every pair of values and every pair of coders."""
    ends = [[end for _, end in side[:-1]] for side in coders]
    places = range(1, length)
    values = [at in side for at in places for side in ends]
    within = [
        ends[one].count(at) != ends[other].count(at)
        for at in places
        for one in range(len(ends))
        for other in range(len(ends))
        if one != other
    ]
    across = [a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j]
    observed, expected = (sum(side) / max(1, len(side)) for side in (within, across))

    def covered(side: list[int], other: list[int], reach: int) -> float:
        return sum(any(abs(a - b) <= reach for b in other) for a in side) / len(side) if side else 1.0

    pairs = list(combinations(range(len(coders)), 2))
    similar = [agreement(coders[one], coders[other], length)["boundary_similarity"] for one, other in pairs]
    larger = [max(covered(ends[a], ends[b], 10), covered(ends[b], ends[a], 10)) for a, b in pairs]
    return {
        "krippendorff_alpha": 1 - observed / expected if expected else 1.0,
        "consensus": sum(similar) / len(pairs),
        "optimistic": sum(larger) / len(pairs),
    }
