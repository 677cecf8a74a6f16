"""Renderers: a conversation becomes token ids, and every token knows whose it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenspec.areas.area import Area
from tokenspec.areas.render.declared import declared_expect, declared_request
from tokenspec.areas.render.exhibit import exhibit
from tokenspec.areas.render.lint import redundancy_agrees
from tokenspec.areas.render.records import RenderExpect, RenderInput, RenderOutput, RenderRequest
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Every row with a chat template that declares the features the case needs."""
    return [
        spec.id for spec in specs if "vocabulary-only" not in spec.features and set(case.features) <= set(spec.features)
    ]


def request(case: Case, row: str) -> dict[str, Any]:
    """The request: the case's input on one row, its default options under the case's, and the frozen clock.

    ``id_profile`` and ``encoding`` are asked for, not imposed: the answer says which ones it is in.
    """
    from tokenspec.models import spec_of
    from tokenspec.oracle.clock import FROZEN

    return {
        "model": row,
        "messages": case.input["messages"],
        "tools": case.input.get("tools"),
        "options": {**spec_of(row).options, **case.input.get("options", {})},
        "derive": case.input.get("derive"),
        "id_profile": "canonical",
        "encoding": "hf",
        "now": FROZEN.isoformat(),
    }


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """Text and ids from ``apply_chat_template``, ownership by differences."""
    from tokenspec.areas.render.oracle.golden import render_golden

    return render_golden(case, rows_by_id[row])


def other(output: RenderOutput) -> RenderExpect | None:
    """Text and ids of another source, which says nothing of owners; None where it does not give both."""
    if output.text is None or output.token_ids is None:
        return None
    return RenderExpect(
        token_ids=output.token_ids,
        spans=[("unattributed", None, len(output.token_ids), output.text)],
        unattributed="another source than the template",
    )


AREA = Area(
    name="render",
    title="Renderers: chat messages to token ids and masks",
    order=10,
    prefix="RND",
    operation="render",
    levels=("TEXT", "IDS", "MASKS"),
    input_type=RenderInput,
    output_type=RenderOutput,
    expect_type=RenderExpect,
    rows=rows,
    request=request,
    request_type=RenderRequest,
    oracle=oracle,
    exhibit=exhibit,
    lint=redundancy_agrees,
    ask=declared_request,
    declare=declared_expect,
    other=other,
)
