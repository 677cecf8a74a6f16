"""Keywords of single rows: how hard the model is to think, which thoughts stay, and whether a turn is for training."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.render.cases.option import keyword
from tokenspec.store.records import Case


def of_rows(slug: str, why: str, rows: list[str], **options: Any) -> Case:
    return msgspec.structs.replace(keyword(slug, why, "TEMPLATE_OPTIONS", "THINKING_SWITCH", **options), rows=rows)


CASES = (
    of_rows(
        "effort-low",
        "Low effort beside history with reasoning.",
        ["qwen3.8", "glm-5.3", "hy3", "deepseek-v4"],
        reasoning_effort="low",
    ),
    of_rows("effort-medium", "An effort of which nothing is written.", ["qwen3.8"], reasoning_effort="medium"),
    of_rows("effort-unknown", "An effort that the format does not know.", ["hy3"], reasoning_effort="enormous"),
    of_rows(
        "effort-without-thinking",
        "Nothing is written of an effort where thinking is switched off.",
        ["qwen3.8", "deepseek-v4"],
        reasoning_effort="low",
        enable_thinking=False,
    ),
    of_rows(
        "effort-maximal",
        "The highest effort of a model that thinks.",
        ["deepseek-v4"],
        reasoning_effort="max",
        enable_thinking=True,
    ),
    of_rows("effort-of-super", "Low effort is a line behind the last question.", ["nemotron-3-super"], low_effort=True),
    of_rows(
        "effort-of-ultra", "Medium effort is a line behind the last question.", ["nemotron-3-ultra"], medium_effort=True
    ),
    of_rows("effort-thoughts-kept", "Thoughts of history are kept on demand.", ["hy3"], preserved_thinking=True),
    of_rows("effort-thoughts-of-v4", "Thoughts of history are kept on demand.", ["deepseek-v4"], drop_thinking=False),
    of_rows(
        "effort-thoughts-of-v3.2",
        "Thoughts of history are not kept, though a keyword of the encoder sounds like it.",
        ["deepseek-v3.2"],
        drop_thinking=False,
        enable_thinking=True,
    ),
    of_rows("effort-for-training", "Every turn is closed, and every thought kept.", ["hy3"], is_training=True),
)
