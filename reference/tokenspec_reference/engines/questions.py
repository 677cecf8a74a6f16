"""What engines over base units ask of a model. Anything with the method will do; local models get it by a wrapper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Encoder(Protocol):
    """A model of meaning."""

    def vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text, all as long."""
        ...


class Entailer(Protocol):
    """A model of natural language inference."""

    def entailment(self, premise: str, hypothesis: str) -> tuple[float, float]:
        """Probabilities of *entailment* and of *neutral*."""
        ...


class Classifier(Protocol):
    """A classifier that was not trained on its labels."""

    def choose(self, texts: Sequence[str], candidates: Sequence[str]) -> Sequence[str]:
        """The best of ``candidates`` for each text."""
        ...


class TopicModel(Protocol):
    """Anything that groups texts."""

    def topics(self, texts: Sequence[str]) -> Sequence[str]:
        """The name of each text's group."""
        ...


class RewardModel(Protocol):
    """A process reward model."""

    def step_scores(self, problem: str, steps: Sequence[str]) -> Sequence[float]:
        """The probability that each step, after those before it, is a good one."""
        ...


class Writer(Protocol):
    """A chat model."""

    def reply(self, messages: Sequence[Mapping[str, str]], *, max_new_tokens: int, attempt: int) -> str:
        """The text of its turn; ``attempt`` counts from 0 how often the same was asked before."""
        ...


def asks(model: Any, question: str) -> bool:
    """Whether ``model`` answers ``question`` by itself."""
    return callable(getattr(model, question, None))
