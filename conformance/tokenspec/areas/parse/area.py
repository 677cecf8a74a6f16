"""Parsing: sampled ids become content, reasoning and tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokenspec.areas.area import Area
from tokenspec.areas.bridge.area import expectation
from tokenspec.areas.parse.records import ParseExpect, ParseInput, ParseOutput, ParseRequest
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
        "undeclared_calls": not named_calls(case.input) <= offered(case.input),
        "options": case.input.get("options", {}),
    }


def named_calls(given: Mapping[str, Any]) -> set[str]:
    """The names of the tools that a completion calls."""
    turns = [piece["turn"] for piece in given["completion"] if "turn" in piece]
    written = [call for turn in turns for call in turn.get("tool_calls") or ()]
    said = (given.get("says") or {}).get("tool_calls") or ()
    return {name for call in (*written, *said) if (name := call.get("function", call).get("name"))}


def offered(given: Mapping[str, Any]) -> set[str]:
    """The names of the tools that the parser is told of; what is no function has none."""
    functions = (tool.get("function", tool) for tool in given.get("tools") or ())
    return {function["name"] for function in functions if isinstance(function, Mapping) and function.get("name")}


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
    levels=("CALLS", "TEXT", "SPACE", "ATTEMPTS"),
    input_type=ParseInput,
    output_type=ParseOutput,
    expect_type=ParseExpect,
    rows=rows,
    request=request,
    request_type=ParseRequest,
    oracle=oracle,
    asks_golden=True,
)
