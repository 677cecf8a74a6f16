"""Engines that group base units by what a model says about them: meaning, entailment, topics, labels, step rewards.

The models are anything that answers the question (``questions.py``), or a local model of ``transformers``. RT-SEG's
rules for grouping are kept; its accidents are not (a last run that is lost, a next segment that begins a unit late).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tokenspec_reference.engines.base_units import BaseSegmenter, BaseUnit, base_units, rule_based_starts
from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.local_models import answering
from tokenspec_reference.engines.offsets import Offsets, partition
from tokenspec_reference.engines.options import grouped
from tokenspec_reference.engines.prompt_texts import ROLES, SCHEMES, TOPICS
from tokenspec_reference.engines.scoring import calibrate
from tokenspec_reference.engines.segmentation import Progress, Segmentation, unlabelled
from tokenspec_reference.engines.unit_options import Candidates, Reward, Shift, Steadiness, Topics

WARM_UP = 5  # units over which the threshold of rewards grows from half to whole
SHORTEST = 4  # characters of a segment, at most, that ends nowhere


@dataclass(frozen=True)
class UnitEngine:
    """Base units, a question to a model, and what the answers make of the units.

    ``question`` is the method of ``questions.py`` that the model needs; ``options`` what the caller may choose.
    """

    question: ClassVar[str] = ""
    options: ClassVar[tuple[type, ...]] = ()

    def segment(
        self,
        trace: str,
        *,
        model: Any = None,
        tokenizer: Any = None,
        model_name: str | None = None,
        seg_base_unit: BaseUnit = "clause",
        base_segmenter: BaseSegmenter = rule_based_starts,
        progress: Progress | None = None,
        **options: Any,
    ) -> Segmentation:
        """Segment one trace.

        Args:
            trace: the text; offsets are code points of it.
            model: what answers the engine's question, or a model of ``transformers`` together with ``tokenizer``.
            tokenizer: the tokenizer of such a model.
            model_name: instead of the two, a hub name or a local directory.
            seg_base_unit: ``clause`` or ``sent``.
            base_segmenter: ``(trace, unit) -> starts``.
            progress: called with (units done, units in all).
            options: what :attr:`options` of the engine has.

        Raises:
            TokenSpecError: typed refusals of ENG-060, ENG-061 and ENG-106, naming the parameter.
        """
        chosen = grouped(options, *self.options)
        asked = answering(self.question, model, tokenizer, model_name)
        units = base_units(trace, seg_base_unit, base_segmenter)
        if not units:
            return Segmentation([], [])
        texts = [trace[start:end] for start, end in units]
        found = self.group(asked, texts, units, *chosen)
        if progress is not None:
            progress(len(units), len(units))
        return found

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """The segments of at least one unit."""
        raise NotImplementedError


def from_starts(units: Offsets, first: Sequence[int]) -> Segmentation:
    """Segments that begin at the units of these indices, the first unit being always one."""
    return unlabelled(partition((units[index][0] for index in first), units[-1][1]))


def from_labels(units: Offsets, labels: Sequence[str]) -> Segmentation:
    """Runs of equal labels."""
    first = [0, *(index for index in range(1, len(units)) if labels[index] != labels[index - 1])]
    offsets = partition((units[index][0] for index in first), units[-1][1])
    return Segmentation(offsets, [labels[index] for index in first])


def finite_numbers(values: Sequence[float | None], what: str) -> list[float]:
    """The numbers as floats.

    Raises:
        NonFiniteLogits: one of them is none.
    """
    numbers = [math.nan if value is None else float(value) for value in values]
    for index, number in enumerate(numbers):
        if not math.isfinite(number):
            raise NonFiniteLogits(f"number {index} of the {what} is {number}", field="logits")
    return numbers


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Cosine of the angle between two vectors; 0 where one of them is zero."""
    norm = math.sqrt(math.fsum(a * a for a in left)) * math.sqrt(math.fsum(b * b for b in right))
    return math.fsum(a * b for a, b in zip(left, right, strict=True)) / norm if norm else 0.0


@dataclass(frozen=True)
class RTEmbeddingBasedSemanticShift(UnitEngine):
    """A unit, and the one after it, that are far from the segment's mean vector begin a new segment (ENG-102)."""

    question: ClassVar[str] = "vectors"
    options: ClassVar[tuple[type, ...]] = (Shift,)

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (shift,) = options
        vectors = [finite_numbers(vector, "vector of a unit") for vector in asked.vectors(texts)]
        first, total, similarity = [0], vectors[0], 1.0
        for index in range(1, len(units)):
            least = max(similarity - shift.tolerance, shift.min_threshold)
            near = cosine(total, vectors[index])
            if near >= least or (index + 1 < len(units) and cosine(total, vectors[index + 1]) >= least):
                total = [a + b for a, b in zip(total, vectors[index], strict=True)]
                similarity = (similarity + near) / 2
            else:
                first.append(index)
                total, similarity = vectors[index], 1.0
        return from_starts(units, first)


@dataclass(frozen=True)
class RTEntailmentBasedSegmentation(UnitEngine):
    """A unit, and the one after it, that do not follow from the last two of the segment begin a new one (ENG-103)."""

    question: ClassVar[str] = "entailment"
    options: ClassVar[tuple[type, ...]] = (Steadiness,)

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (steadiness,) = options

        def coherence(start: int, index: int, following: int) -> float:
            answer = asked.entailment(" ".join(texts[max(start, index - 2) : index]), texts[following])
            entailment, neutral = finite_numbers(answer, "entailment")
            return max(0.0, min(1.0, entailment + 0.4 * neutral))

        first, mean = [0], 0.85
        for index in range(1, len(units)):
            least = max(steadiness.min_threshold, mean - steadiness.tolerance)
            score = coherence(first[-1], index, index)
            if score >= least or (index + 1 < len(units) and coherence(first[-1], index, index + 1) >= least):
                mean = 0.7 * mean + 0.3 * score
            else:
                first.append(index)
                mean = 0.85
        return from_starts(units, first)


@dataclass(frozen=True)
class RTZeroShotSeqClassification(UnitEngine):
    """Runs of units to which a classifier gives the same label (ENG-104)."""

    question: ClassVar[str] = "choose"
    options: ClassVar[tuple[type, ...]] = (Candidates,)
    labels: ClassVar[tuple[str, ...]] = ROLES

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (candidates,) = options
        return from_labels(units, asked.choose(texts, candidates.labels or self.labels))


@dataclass(frozen=True)
class RTZeroShotSeqClassificationRF(RTZeroShotSeqClassification):
    """With the labels of ReasoningFlow."""

    labels: ClassVar[tuple[str, ...]] = tuple(SCHEMES["reasoning_flow"])


@dataclass(frozen=True)
class RTZeroShotSeqClassificationTA(RTZeroShotSeqClassification):
    """With the labels of ThoughtAnchor."""

    labels: ClassVar[tuple[str, ...]] = tuple(SCHEMES["thought_anchor"])


@dataclass(frozen=True)
class RTBERTopicSegmentation(UnitEngine):
    """Runs of units of the same topic (ENG-104).

    ``model`` is what answers ``topics``, or has ``fit_transform`` and ``topic_labels_`` as a BERTopic model has. Below
    ``min_units`` units topics mean nothing: then ``few_units``, anything that answers ``choose``, labels them.
    """

    question: ClassVar[str] = "topics"
    options: ClassVar[tuple[type, ...]] = (Topics,)
    labels: ClassVar[tuple[str, ...]] = TOPICS

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (topics,) = options
        if len(units) < topics.min_units and topics.few_units is not None:
            return from_labels(units, answering("choose", topics.few_units, None, None).choose(texts, self.labels))
        return from_labels(units, asked.topics(texts))


@dataclass(frozen=True)
class RTPRMBase(UnitEngine):
    """Cuts behind units at which the rewards of steps change most (ENG-105)."""

    question: ClassVar[str] = "step_scores"
    options: ClassVar[tuple[type, ...]] = (Reward,)

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (reward,) = options
        scores: list[float] = []
        for start in range(0, len(texts), reward.chunk_size):
            steps = texts[start : start + reward.chunk_size]
            scores += finite_numbers(asked.step_scores(reward.problem, steps), "step scores")
        jumps = [abs(_jump(scores, index, reward.window)) for index in range(len(scores))]
        found = calibrate(jumps, quantile=reward.quantile)
        first = [0]
        for index, (_, end) in enumerate(units[:-1]):
            warm = 0.5 + 0.5 * min(index / WARM_UP, 1.0)
            if found.scores[index] > found.threshold * warm and end - units[first[-1]][0] > SHORTEST:
                first.append(index + 1)
        return from_starts(units, first)


def _jump(scores: Sequence[float], index: int, window: int) -> float:
    """Mean of the next ``window`` scores, the own one included, minus mean of those before, if any."""
    before, after = scores[max(0, index - window) : index] or scores[:1], scores[index : index + window]
    return math.fsum(after) / len(after) - math.fsum(before) / len(before)
