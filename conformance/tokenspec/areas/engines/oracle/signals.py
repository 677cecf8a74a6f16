"""Token signals and rules, written out."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

from tokenspec.areas.engines.oracle.forced import (
    ROUNDING,
    Context,
    Forced,
    Refuses,
    log_probabilities,
    moments,
    percentile,
    policy_of,
    reach_of,
    z_scores,
)
from tokenspec.areas.engines.oracle.predictors import Predictor
from tokenspec.areas.engines.oracle.texts import Texts

WINDOWS = {"surprisal": 15, "entropy": 30, "flatness-break": 15, "top-k-shift": 15}
WORDS = [
    "therefore",
    "thus",
    "hence",
    "so",
    "follows that",
    "implies",
    "we conclude",
    "but",
    "however",
    "though",
    "instead",
    "actually",
    "nevertheless",
    "on the other hand",
    "this is wrong",
    "that was wrong",
    "i was mistaken",
    "let me reconsider",
    "wait",
    "now we",
    "let us",
    "next",
    "consider",
    "we need to",
    "the goal",
    "the answer is",
    "therefore the answer",
    "in conclusion",
    "final answer",
]


def token_signal(
    name: str, predictor: Predictor, texts: Texts, parameters: dict[str, Any], *, rounding: float = ROUNDING
) -> Forced:
    """Cuts of one of the four engines; ``rounding`` is that of a table unless told otherwise (ENG-055)."""
    window = parameters.get("window", WINDOWS[name])
    rows, predictions = [], []
    policy = policy_of(parameters)
    crops = policy.startswith("legacy_head")
    if not crops and predictor.limit is not None and len(texts.prompt) + len(texts.ids) - 1 > predictor.limit:
        raise Refuses("ENG-062", "/trace")
    largest = 0.0
    context = Context(predictor, texts.prompt, policy)
    for index in range(len(texts.ids)):
        if index:
            context.feed([texts.ids[index - 1]])
        logits = context.next
        logged = log_probabilities(logits)
        largest = max(largest, *(abs(value) for value in logits if math.isfinite(value)))
        rows.append(logged)
        predictions.append(logits)
    if name == "entropy":
        signal = [-math.fsum(math.exp(value) * value for value in row if value != -math.inf) for row in rows]
    else:
        signal = [-row[token] for row, token in zip(rows, texts.ids, strict=True)]
    if not all(map(math.isfinite, signal)):
        raise Refuses("ENG-061", "/model")
    anchors = [
        index
        for index in range(window, len(texts.ids) - window)
        if texts.before(index) and texts.before(index) in ".!?\n"
    ]
    if not anchors:
        return Forced([])
    high = name == "top-k-shift"
    top_k = parameters.get("top_k", 20)
    if high:
        best = [best_of(logits, top_k) for logits in predictions]
        changes = [distance((rows[at - 1], rows[at]), (best[at - 1], best[at])) for at in anchors]
    else:
        changes = [_change(signal, index, window, relative=name == "flatness-break") for index in anchors]
    scores = z_scores(changes)
    threshold = percentile(scores, parameters.get("quantile", 90.0 if high else 10.0))
    cuts = [
        texts.starts[index]
        for index, score in zip(anchors, scores, strict=True)
        if (score > threshold if high else score < threshold)
    ]
    margin = min((abs(score - threshold) for score in scores if score != threshold), default=None)
    error = rounding * max(largest, *map(abs, signal))
    if name == "flatness-break":
        error *= max(
            (2 + abs(change)) / _spread(signal, at, window) for at, change in zip(anchors, changes, strict=True)
        )
    else:
        error *= 2
    if high:
        loose = [exchangeable(logits, top_k, error, exact=rounding == ROUNDING) for logits in predictions]
        error += max(loose[at - 1] + loose[at] for at in anchors)
    deviation = moments(changes)[1]
    reach = reach_of(error, changes, 0.0 if deviation <= 1e-9 else deviation + 1e-6)
    starts = [texts.starts[index] for index in anchors]
    distances = tuple((start, abs(score - threshold)) for start, score in zip(starts, scores, strict=True))
    return Forced(cuts, threshold, margin, reach, distances=distances)


def _spread(signal: list[float], index: int, window: int) -> float:
    before = signal[index - window : index]
    mean = math.fsum(before) / window
    return math.sqrt(math.fsum((value - mean) ** 2 for value in before) / window + 1e-6)


def _change(signal: list[float], index: int, window: int, *, relative: bool) -> float:
    before, after = signal[index - window : index], signal[index : index + window]
    mean = math.fsum(before) / window
    change = math.fsum(after) / window - mean
    return change / _spread(signal, index, window) if relative else change


def best_of(logits: list[float], count: int) -> list[int]:
    """The tokens of the largest logits, of equal ones those with the smaller ids."""
    return sorted(range(len(logits)), key=lambda token: (-logits[token], token))[:count]


def exchangeable(logits: list[float], top_k: int, edge: float, *, exact: bool) -> float:
    """How far a distance moves when candidates less than ``edge`` above the best one left out are others.

    ``exact``: the logits are a table's, where equal ones stay equal.
    """
    best, left_out = best_of(logits, top_k), best_of(logits, top_k + 1)[top_k:]
    weights = {token: math.exp(logits[token] - logits[best[0]]) for token in best}
    near = [token for token in best for other in left_out if _is_near(logits[token] - logits[other], edge, exact=exact)]
    return math.sqrt(math.fsum(weights[token] for token in near) / math.fsum(weights.values()) * math.log(2))


def _is_near(lead: float, edge: float, *, exact: bool) -> bool:
    return lead < edge and (lead > 0 or not exact)


def distance(rows: tuple[list[float], list[float]], best: tuple[list[int], list[int]]) -> float:
    """Jensen-Shannon distance of two log-probability rows cut to their best tokens."""
    tops = []
    for row, kept in zip(rows, best, strict=True):
        total = math.fsum(math.exp(row[token]) for token in kept)
        tops.append({token: math.exp(row[token]) / total for token in kept})
    divergence = 0.0
    for token in sorted(set(tops[0]) | set(tops[1])):
        shares = [top.get(token, 0.0) for top in tops]
        middle = sum(shares) / 2
        divergence += sum(share * math.log(share / middle) for share in shares if share) / 2
    return math.sqrt(max(divergence, 0.0))


def marker_cuts(trace: str, starts: list[int]) -> list[int]:
    """Starts of the base units, but the first, that contain a marker as whole words."""
    edges = sorted({0, len(trace), *(start for start in starts if 0 < start < len(trace))})
    return [
        start
        for start, end in pairwise(edges[1:])
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", trace[start:end].lower()) for word in WORDS)
    ]


def line_cuts(trace: str, least: int) -> list[int]:
    """After every run of at least ``least`` line feeds that has text before it (since the last cut) and after it."""
    cuts: list[int] = []
    begun = 0
    for at in range(1, len(trace)):
        run = 0
        while run < at and trace[at - 1 - run] == "\n":
            run += 1
        if run >= least and trace[at] != "\n" and trace[begun:at].strip() and trace[at:].strip():
            cuts.append(at)
            begun = at
    return cuts
