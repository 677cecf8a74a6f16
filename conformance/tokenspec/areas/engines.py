"""Engines: a reasoning trace becomes segments. Models are tables or formulas, so no weights are involved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from tokenspec.model import Case, Golden

from . import NO_ROW, Area

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec

EngineName = Literal[
    "forced-decoder",
    "surprisal",
    "entropy",
    "top-k-shift",
    "flatness-break",
    "rule-regex",
    "new-line",
    "new-line-verbose",
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


class GivenSegments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A segmentation to fuse, in code points."""

    offsets: list[tuple[int, int]]
    labels: list[str] | None = None


class EnginesInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One call. ``parameters`` are options by the chapter's names; ``gold`` asks for agreement with the result."""

    trace: str
    model: Scripted | Tiny | None = None
    engines: list[EngineName] = []
    parameters: dict[str, Any] = {}
    given: list[GivenSegments] = []
    fusion: FusionName | None = None
    gold: list[tuple[int, int]] | None = None
    base_units: list[int] | None = None


class EnginesOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns. Only ``offsets`` is required."""

    offsets: list[tuple[int, int]]
    labels: list[str] | None = None
    threshold: float | None = None
    margin: float | None = None
    close: list[int] | None = None
    forwards: int | None = None
    agreement: dict[str, float] | None = None


class EnginesExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The oracle's answer. Without a margin, nothing was decided by a score."""

    offsets: list[tuple[int, int]]
    labels: list[str]
    threshold: float | None = None
    margin: float | None = None
    agreement: dict[str, float] | None = None


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Tiny models speak a row's tokens; everything else needs no row."""
    del specs
    return case.rows or [NO_ROW]


def request(case: Case, row: str) -> dict[str, Any]:
    """The case's input on a row. The hints ``algorithm`` and ``chunk_size`` may stand among the parameters."""
    given: dict[str, Any] = {"row": row, "model": None, "engines": [], "parameters": {}, "given": [], "fusion": None}
    return {**given, "gold": None, "base_units": None, **case.input}


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """The chapter, computed naively."""
    from tokenspec.oracle.segmentation.golden import segmentation_golden

    return segmentation_golden(case, row, rows_by_id)


AREA = Area(
    name="engines",
    title="Engines: reasoning traces to segments",
    prefix="ENG",
    operation="segment",
    levels=("SEGMENTS", "LABELS", "SCORES", "AGREEMENT", "REFUSALS"),
    input_type=EnginesInput,
    output_type=EnginesOutput,
    expect_type=EnginesExpect,
    rows=rows,
    request=request,
    oracle=oracle,
)
