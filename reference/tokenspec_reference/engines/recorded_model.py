"""A model that is a recording: what it would have said, in the order in which it is asked. No weights, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any, TypeVar

from tokenspec_reference.engines.errors import InvalidParameter

Said = TypeVar("Said")


@dataclass(frozen=True)
class RecordedModel:
    """Answers to every question of the unit engines (``questions.py``); a session of its own for each trace.

    Attributes:
        vectors: one per unit.
        entailments: ``(premise, hypothesis, (entailment, neutral))``, found by their texts.
        labels: one per unit.
        labels_among: the candidates, in any order; none: whatever they are.
        step_scores: one per unit.
        step_scores_to: per question, the problem and the steps.
        replies: texts.
        replies_to: per reply, texts that the messages must contain, in that order.
    """

    vectors: Sequence[Sequence[float]] = ()
    entailments: Sequence[tuple[str, str, Sequence[float]]] = ()
    labels: Sequence[str] = ()
    labels_among: Sequence[str] = ()
    step_scores: Sequence[float] = ()
    step_scores_to: Sequence[Sequence[str]] = ()
    replies: Sequence[str] = ()
    replies_to: Sequence[Sequence[str]] = ()

    def asked(self) -> RecordedSession:
        """A new reading of the recording."""
        return RecordedSession(self)


class RecordedSession:
    """One reading, from the first answer on."""

    def __init__(self, model: RecordedModel) -> None:
        self.model = model
        self._vectors, self._labels = iter(model.vectors), iter(model.labels)
        self._scores, self._scores_to = iter(model.step_scores), iter(model.step_scores_to)
        self._replies = zip(model.replies, chain(model.replies_to, repeat(())), strict=False)

    def vectors(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See :class:`Encoder`."""
        return _next(self._vectors, len(texts))

    def entailment(self, premise: str, hypothesis: str) -> tuple[float, float]:
        """See :class:`Entailer`."""
        for first, second, (entailment, neutral, *_) in self.model.entailments:
            if (first, second) == (premise, hypothesis):
                return entailment, neutral
        raise InvalidParameter(f"no entailment of {hypothesis!r} by {premise!r} is recorded", field="model")

    def choose(self, texts: Sequence[str], candidates: Sequence[str]) -> list[str]:
        """See :class:`Classifier`."""
        if self.model.labels_among and sorted(candidates) != sorted(self.model.labels_among):
            raise InvalidParameter(f"the labels recorded are not of {[*candidates]}", field="model")
        return _next(self._labels, len(texts))

    def topics(self, texts: Sequence[str]) -> list[str]:
        """See :class:`TopicModel`."""
        return _next(self._labels, len(texts))

    def step_scores(self, problem: str, steps: Sequence[str]) -> list[float]:
        """See :class:`RewardModel`."""
        asked = [problem, *steps]
        if [*next(self._scores_to, asked)] != asked:
            raise InvalidParameter(f"no rewards of {len(steps)} steps to {problem!r} are recorded", field="model")
        return _next(self._scores, len(steps))

    def reply(self, messages: Any, *, max_new_tokens: int, attempt: int) -> str:
        """See :class:`Writer`."""
        del max_new_tokens, attempt
        ((reply, to),) = _next(self._replies, 1)
        shown, at = "\n".join(message["content"] for message in messages), 0
        for text in to:
            at = shown.find(text, at) + len(text)
            if at < len(text):
                raise InvalidParameter(f"a reply is recorded to {text!r}, which is not asked", field="model")
        return reply


def _next(answers: Iterator[Said], count: int) -> list[Said]:
    found = list(islice(answers, count))
    if len(found) < count:
        raise InvalidParameter(f"{count - len(found)} more answers were asked for than are recorded", field="model")
    return found
