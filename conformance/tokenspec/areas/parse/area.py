"""Parsing: sampled ids become content, reasoning and tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokenspec.areas.area import Area
from tokenspec.areas.bridge.area import expectation
from tokenspec.areas.parse.records import ParseExpect, ParseInput, ParseOutput
from tokenspec.areas.render.area import rows
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row


def request(case: Case, row: str) -> dict[str, Any]:
    """The request: ids of the golden, or of the oracle when there is no golden yet."""
    expect = expectation(case, row)
    return {
        "model": row,
        "token_ids": expect["token_ids"],
        "prompt_ids": None if case.input.get("prompt") == "withheld" else expect["prompt_ids"],
        "tools": case.input.get("tools"),
        "options": case.input.get("options", {}),
    }


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """The template writes the turn; differences say which characters are content, reasoning and calls."""
    from tokenspec.areas.parse.oracle.golden import parse_golden

    return parse_golden(case, rows_by_id[row])


AREA = Area(
    name="parse",
    title="Parsing: sampled ids to content, reasoning and calls",
    order=20,
    prefix="RND",
    operation="parse",
    levels=("PARSE",),
    input_type=ParseInput,
    output_type=ParseOutput,
    expect_type=ParseExpect,
    rows=rows,
    request=request,
    oracle=oracle,
)
