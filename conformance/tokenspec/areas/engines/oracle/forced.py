"""The forced decoder, word by word from the chapter: two passes, one context list, one number at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tokenspec.areas.engines.oracle.predictors import Predictor
from tokenspec.areas.engines.oracle.texts import Texts

CODES = {
    "ENG-043": "invalid-parameter",
    "ENG-060": "invalid-parameter",
    "ENG-061": "non-finite-logits",
    "ENG-062": "trace-too-long",
    "ENG-064": "separator-not-single-token",
    "ENG-065": "missing-fusion",
    "ENG-086": "invalid-segmentation",
    "ENG-087": "invalid-segmentation",
    "ENG-093": "invalid-segmentation",
    "ENG-106": "unusable-reply",
}


class Refuses(Exception):
    """The chapter says this input is refused; the message is the requirement.

    ``places`` are the JSON pointers into the request to everything that is at fault, ``code`` is the requirement's.
    """

    def __init__(self, requirement: str, *places: str, code: str | None = None) -> None:
        """Name the requirement and what is at fault."""
        super().__init__(requirement)
        self.code, self.places = code or CODES[requirement], places


@dataclass(frozen=True)
class Forced:
    """What an engine found; ``cuts`` are character positions, 0 included when it was chosen.

    ``reach`` is that of a table; ``labels`` are those of the segments, of an engine that gives any. ``tied`` are where
    the scores of tokens stand that no cut came before and that are the threshold itself, as a second one is.
    ``distances`` are those of the scores that decided from the threshold, each with where its token starts.
    """

    cuts: list[int]
    threshold: float | None = None
    margin: float | None = None
    reach: float | None = None
    labels: list[str] | None = None
    tied: tuple[int, ...] = ()
    distances: tuple[tuple[int, float], ...] = ()


ROUNDING = 8 * 2.0**-52
EQUAL = 1e-9  # far below what single precision resolves, far above what double precision loses


def reach_of(error: float, values: list[float], spread: float) -> float:
    """ENG-055: an error of the values moves the threshold by their own deviation, and a score by what divides it."""
    return error / (moments(values)[1] + 1e-6) + (error / spread if spread > 0 else 0.0)


class Context:
    """What the model has read, cut as the cache policy says."""

    def __init__(self, predictor: Predictor, prompt: list[int], policy: str) -> None:
        """Read the prompt."""
        kind, _, size = policy.partition(":")
        self.kind, self.size = kind, int(size or 0)
        self.predictor, self.prompt_length = predictor, len(prompt)
        self.read: list[int] = []
        self.next: list[float] = []
        self.feed(prompt)

    def feed(self, tokens: list[int]) -> None:
        """One forward: predict from all that is visible, then evict."""
        self.read = self.read + tokens
        if self.predictor.limit is not None and len(self.read) > self.predictor.limit:
            raise Refuses("ENG-062", "/trace")
        window = self.size if self.kind == "window" else None
        self.next = self.predictor.logits(self.read, self.prompt_length, window)
        if self.kind == "legacy_head" and len(self.read) > self.size:
            self.read = self.read[: len(self.read) - self.size]


def policy_of(parameters: dict[str, Any]) -> str:
    """The cache policy of a call."""
    if "max_kv_tokens" in parameters:
        return f"legacy_head:{parameters['max_kv_tokens']}"
    return str(parameters.get("cache_policy", "none"))


def log_probabilities(logits: list[float]) -> list[float]:
    """Log-softmax; any NaN makes all NaN."""
    if any(math.isnan(value) for value in logits):
        return [math.nan] * len(logits)
    peak = max(logits)
    total = math.fsum(math.exp(value - peak) for value in logits)
    return [value - peak - math.log(total) for value in logits]


def prior(character: str, soft: float) -> float:
    """1 after hard punctuation, ``soft`` after soft."""
    if character and character in ".!?;:\n":
        return 1.0
    return soft if character and character in ",\t" else 0.0


def gap(context: Context, texts: Texts, token: int) -> float:
    """Largest log-probability of a candidate minus that of the token."""
    logits = context.next
    competing = [logits[candidate] for candidate in texts.candidates]
    if math.isnan(logits[token]) or any(math.isnan(value) for value in competing):
        raise Refuses("ENG-061", "/model")
    # The log-probabilities differ from the logits by one number, which is left out: it would only add rounding.
    found = max(competing) - logits[token]
    if math.isinf(found):
        raise Refuses("ENG-061", "/model")
    return found


def percentile(values: list[float], quantile: float) -> float:
    """Linear interpolation at ``(n - 1) * quantile / 100``."""
    ordered = sorted(values)
    at = (len(values) - 1) * quantile / 100
    low = int(at)
    return ordered[low] if low == at else ordered[low] + (ordered[low + 1] - ordered[low]) * (at - low)


def moments(values: list[float]) -> tuple[float, float]:
    """Mean and population deviation."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def z_scores(values: list[float]) -> list[float]:
    """ENG-021."""
    mean, deviation = moments(values)
    return [0.0 if deviation <= 1e-9 else (value - mean) / (deviation + 1e-6) for value in values]


def forced_decode(predictor: Predictor, texts: Texts, parameters: dict[str, Any]) -> Forced:
    """Both passes over a trace of at least one token."""
    alpha, beta = parameters.get("alpha", 1.0), parameters.get("beta", 2.0)
    policy = policy_of(parameters)
    context = Context(predictor, texts.prompt, policy)
    gaps: list[float] = []
    for index, token in enumerate(texts.ids):
        gaps.append(gap(context, texts, token))
        if index + 1 < len(texts.ids):
            context.feed([token])
    scored = z_scores(gaps)
    scores = [alpha * z + beta * prior(texts.before(index), 0.5) for index, z in enumerate(scored)]
    threshold = percentile(scores, parameters.get("quantile", 90.0))
    mean, deviation = moments(gaps)
    literal_mean, literal_deviation = moments(scored)

    def normalised(value: float) -> float:
        if parameters.get("score_mode", "normalized") == "normalized":
            return 0.0 if deviation <= 1e-9 else (value - mean) / (deviation + 1e-6)
        difference = value - literal_mean
        if literal_deviation == 0:
            return math.nan if difference == 0 else math.copysign(math.inf, difference)
        return difference / literal_deviation

    context = Context(predictor, texts.prompt, policy)
    cuts: list[int] = []
    margin = math.inf
    previous = None
    tied: list[int] = []
    crowded = sum(abs(score - threshold) < EQUAL for score in scores) > 1
    for index, token in enumerate(texts.ids):
        score = alpha * normalised(gap(context, texts, token)) + beta * prior(texts.before(index), 0.2)
        if texts.cuttable[index] and token not in texts.candidates and previous != texts.separator:
            distance = abs(score - threshold)
            if math.isfinite(distance) and (cuts or distance > 0):
                margin = min(margin, distance)
            if crowded and not cuts and distance < EQUAL:
                tied.append(texts.starts[index])
            if score > threshold:
                cuts.append(texts.starts[index])
                if index + 1 < len(texts.ids):
                    context.feed([texts.separator])
        previous = token
        if index + 1 < len(texts.ids):
            context.feed([token])
    spread = 0.0 if deviation <= 1e-9 else deviation + 1e-6
    if parameters.get("score_mode", "normalized") != "normalized":
        spread = literal_deviation
    reach = reach_of(abs(alpha) * ROUNDING * max(map(abs, gaps)), gaps, spread)
    return Forced(cuts, threshold, None if math.isinf(margin) else margin, reach, tied=tuple(tied))
