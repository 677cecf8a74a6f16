"""The options of engines over base units. Defaults are RT-SEG's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.parameters import finite, percentage, positive, text


@dataclass(frozen=True, kw_only=True)
class Shift:
    """How far a unit may turn away: ``tolerance`` below the running similarity, never below ``min_threshold``."""

    tolerance: float = 0.15
    min_threshold: float = 0.4

    def __post_init__(self) -> None:
        """Refuse numbers that are none."""
        finite(self.tolerance, "tolerance")
        finite(self.min_threshold, "min_threshold")


@dataclass(frozen=True, kw_only=True)
class Steadiness(Shift):
    """The same of coherence."""

    min_threshold: float = 0.25


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The ``labels`` to choose from; None: the engine's own."""

    labels: tuple[str, ...] | list[str] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty choice."""
        if self.labels is None:
            return
        if not isinstance(self.labels, (list, tuple)) or not self.labels:
            raise InvalidParameter("expected a list of at least one text", field="labels")
        for label in self.labels:
            text(label, "labels")


@dataclass(frozen=True, kw_only=True)
class Topics:
    """From how many units on there are topics, and what labels fewer."""

    min_units: int = 100
    few_units: Any = None

    def __post_init__(self) -> None:
        """Refuse what is no count."""
        positive(self.min_units, "min_units")


@dataclass(frozen=True, kw_only=True)
class Reward:
    """``problem`` the steps solve, ``chunk_size`` steps scored at once, ``window`` steps on each side, percentile."""

    problem: str = "The problem is unknown, please reason step by step."
    chunk_size: int = 50
    window: int = 4
    quantile: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        text(self.problem, "problem")
        positive(self.chunk_size, "chunk_size")
        positive(self.window, "window")
        percentage(self.quantile, "quantile")


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What a chat model is told; None is the engine's own text. ``max_retry`` replies may be unusable."""

    system_prompt: str | None = None
    user_prompt: str | None = None
    max_retry: int = 30
    context_window: int = 2

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        for name, prompt in (("system_prompt", self.system_prompt), ("user_prompt", self.user_prompt)):
            if prompt is not None:
                text(prompt, name)
        if self.max_retry != 0:
            positive(self.max_retry, "max_retry")
        positive(self.context_window, "context_window")


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """What is asked piece by piece: ``prompt`` stands before each; None is the engine's own ``system_prompt``."""

    system_prompt: str | None = None
    prompt: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no text."""
        text(self.prompt, "prompt")
        if self.system_prompt is not None:
            text(self.system_prompt, "system_prompt")


@dataclass(frozen=True, kw_only=True)
class Chunks(Pieces):
    """``chunk_size`` units are asked for at once; ``max_retry`` replies of the whole may be unusable."""

    chunk_size: int = 100
    max_retry: int = 30

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        super().__post_init__()
        positive(self.chunk_size, "chunk_size")
        if self.max_retry != 0:
            positive(self.max_retry, "max_retry")


@dataclass(frozen=True, kw_only=True)
class Spans(Pieces):
    """``chunk_size`` characters are asked for at once; ``max_retries_per_chunk`` replies of each may be unusable."""

    chunk_size: int = 300
    max_retries_per_chunk: int = 10

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        super().__post_init__()
        positive(self.chunk_size, "chunk_size")
        if self.max_retries_per_chunk != 0:
            positive(self.max_retries_per_chunk, "max_retries_per_chunk")
