"""Engines: a reasoning trace becomes segments. Models are tables or formulas, so no weights are involved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenspec.areas.area import NO_ROW, Area
from tokenspec.areas.engines.records import EnginesExpect, EnginesInput, EnginesOutput, EnginesRequest
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec


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
    from tokenspec.areas.engines.oracle.golden import segmentation_golden

    return segmentation_golden(case, row, rows_by_id)


AREA = Area(
    name="engines",
    title="Engines: reasoning traces to segments",
    order=40,
    prefix="ENG",
    operation="segment",
    levels=("SEGMENTS", "LABELS", "SCORES", "AGREEMENT", "REFUSALS"),
    input_type=EnginesInput,
    output_type=EnginesOutput,
    expect_type=EnginesExpect,
    rows=rows,
    request=request,
    request_type=EnginesRequest,
    oracle=oracle,
    needs=("transformers",),
)
