"""What goes in and comes out of the area ``engines``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

UnitEngineName = Literal[
    "plain",
    "semantic-shift",
    "entailment",
    "zero-shot",
    "topics",
    "rewards",
    "argument",
    "reasoning-flow",
    "thought-anchor",
    "unit-groups",
    "offsets",
]


EngineName = Literal[
    "forced-decoder",
    "surprisal",
    "entropy",
    "top-k-shift",
    "flatness-break",
    "rule-regex",
    "new-line",
    "new-line-verbose",
    UnitEngineName,
]


FusionName = Literal["voting", "merge", "intersect", "fuzzy", "graph"]


class Scripted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="scripted", kw_only=True):
    """A model that is a table; null is NaN. ``prompt`` null is a tokenizer without chat template."""

    pieces: list[str]
    rows: list[dict[str, float | None]]
    prompt: str | None = "<P>"
    separator: str = "<|seg|>"
    per_separator: dict[str, float] = {}
    default_logit: float = -30.0
    position_limit: int | None = None
    refuses_system: bool = False


class Tiny(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tiny", kw_only=True):
    """A Qwen2 whose weights are a formula; its vocabulary is the row's largest id plus one plus ``padding``."""

    seed: int
    padding: int = 0
    hidden: int = 32
    intermediate: int = 64
    layers: int = 2
    heads: int = 4
    key_value_heads: int = 2
    positions: int = 4096
    tied: bool = True
    scale: float = 0.25
    dtype: Literal["float32", "float64"] = "float32"


class Entailment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a hypothesis follows: the shares of *entailment* and *neutral*."""

    premise: str
    hypothesis: str
    shares: tuple[float | None, float | None]


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="recorded", kw_only=True):
    """What a model would have said, in the order in which it is asked; null is NaN."""

    vectors: list[list[float | None]] = []
    entailments: list[Entailment] = []
    labels: list[str] = []
    labels_among: list[str] = []
    step_scores: list[float | None] = []
    step_scores_to: list[list[str]] = []
    replies: list[str] = []
    replies_to: list[list[str]] = []

    def is_said_to(self, place: int, shown: str) -> bool:
        """Whether the reply at a place is one to these messages, joined."""
        for text in self.replies_to[place] if place < len(self.replies_to) else ():
            _, found, shown = shown.partition(text)
            if not found:
                return False
        return True


class GivenSegments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A segmentation to fuse, in code points."""

    offsets: list[tuple[int, int]]
    labels: list[str] | None = None


class EnginesInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One call. ``parameters`` are options by the chapter's names; ``gold`` asks for agreement with the result."""

    trace: str
    model: Scripted | Tiny | Recorded | None = None
    engines: list[EngineName] = []
    parameters: dict[str, Any] = {}
    given: list[GivenSegments] = []
    fusion: FusionName | None = None
    gold: list[tuple[int, int]] | None = None
    base_units: list[int] | None = None


class EnginesRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked: a call, and the row whose tokens a tiny model speaks; ``-`` for none."""

    row: str
    trace: str
    model: Scripted | Tiny | Recorded | None
    engines: list[EngineName]
    parameters: dict[str, Any]
    given: list[GivenSegments]
    fusion: FusionName | None
    gold: list[tuple[int, int]] | None
    base_units: list[int] | None


class EnginesOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns. Only ``offsets`` is required."""

    offsets: list[tuple[int, int]]
    labels: list[str] | None = None
    threshold: float | None = None
    margin: float | None = None
    close: list[int] | None = None
    reach: float | None = None
    forwards: int | None = None
    agreement: dict[str, float] | None = None
    group: dict[str, float] | None = None


class EnginesExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The oracle's answer. Without a margin, nothing was decided by a score."""

    offsets: list[tuple[int, int]]
    labels: list[str]
    threshold: float | None = None
    margin: float | None = None
    agreement: dict[str, float] | None = None
    group: dict[str, float] | None = None
