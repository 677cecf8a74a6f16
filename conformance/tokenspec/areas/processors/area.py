"""Processors: a script of steps becomes allow-sets, masked logits and typed errors. No model is involved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.area import NO_ROW, Area
from tokenspec.areas.processors.records import ProcessorsExpect, ProcessorsInput, ProcessorsOutput, ProcessorsRequest
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Scripts need no model."""
    del case, specs
    return [NO_ROW]


def request(case: Case, row: str) -> dict[str, Any]:
    """The script itself, defaults filled in."""
    del row
    return {"rows": 1, "checked": False, **msgspec.to_builtins(case.input)}


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """Answers from the whole script before each step; refusals as the specification states them."""
    from tokenspec.areas.processors.oracle.golden import script_golden

    del row, rows_by_id
    return script_golden(case)


AREA = Area(
    name="processors",
    title="Processors: logits constraints as allow-sets",
    order=50,
    prefix="PRC",
    operation="process_logits",
    levels=("SETS", "LOGITS", "ERRORS"),
    input_type=ProcessorsInput,
    output_type=ProcessorsOutput,
    expect_type=ProcessorsExpect,
    rows=rows,
    request=request,
    request_type=ProcessorsRequest,
    oracle=oracle,
)
