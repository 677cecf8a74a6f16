"""Bridges: what was sampled stays as it is, and the next messages are appended behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokenspec.areas.area import Area
from tokenspec.areas.bridge.exhibit import exhibit
from tokenspec.areas.bridge.records import BridgeExpect, BridgeInput, BridgeOutput, BridgeRequest
from tokenspec.areas.render.area import rows
from tokenspec.areas.render.declared import declared_request
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row


def request(case: Case, row: str) -> dict[str, Any]:
    """The request; the ids of the completion on this row are the golden's."""
    expect = expectation(case, row)
    return {
        "model": row,
        "prompt_ids": expect["prompt_ids"],
        "completion_ids": expect["completion_ids"],
        "messages": case.input["new_messages"],
        "tools": case.input.get("tools"),
        "options": case.input.get("options", {}),
    }


def expectation(case: Case, row: str) -> dict[str, Any]:
    """The golden's expectation: only there are the ids of a completion known."""
    from tokenspec.areas.selection import load_golden

    golden = load_golden(row, case)
    found = golden.expect if golden is not None else None
    return {"prompt_ids": [], "completion_ids": [], "token_ids": [], **(found or {})}


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """Suffix and owners from ``apply_chat_template`` on the history that holds the canonical turn."""
    from tokenspec.areas.bridge.oracle.golden import bridge_golden

    return bridge_golden(case, rows_by_id[row])


AREA = Area(
    name="bridge",
    title="Bridges: sampled ids plus the next messages",
    order=30,
    prefix="RND",
    operation="bridge",
    levels=("BRIDGE",),
    input_type=BridgeInput,
    output_type=BridgeOutput,
    expect_type=BridgeExpect,
    rows=rows,
    request=request,
    request_type=BridgeRequest,
    oracle=oracle,
    exhibit=exhibit,
    ask=declared_request,
    asks_golden=True,
)
