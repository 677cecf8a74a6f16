"""Every case of the render corpus says something on a toy row."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from tokenspec.areas import areas
from tokenspec.areas.selection import load_cases
from tokenspec.models.spec import RowSpec, decode

ROOT = Path(__file__).resolve().parents[3]
ROWS = ("toy-bpe", "toy-metaspace", "toy-ranks", "toy-added")
REFUSED_EVERYWHERE = {
    "render/role-empty-conversation",
    "render/prefill-and-generation-prompt",
    "render/given-continues-unread",
    "render/call-calls-that-are-a-number",
    "render/call-text-in-the-place-of-a-call",
    *(
        f"render/given-malformed-{what}"
        for what in ("conversation", "conversation-number", "message", "role", "missing-role", "tool", "second-tool")
    ),
    *(f"render/given-open-{what}" for what in ("no-text-part", "number", "nothing", "changed", "cut", "missing-field")),
}


@pytest.fixture(scope="module")
def rows():
    specs = {row: decode(ROOT / "fixtures" / "models" / f"{row}.toml", RowSpec) for row in ROWS}
    return {
        row: (set(spec.features), AutoTokenizer.from_pretrained(ROOT / "fixtures" / "toy" / row))
        for row, spec in specs.items()
    }


def test_flags_and_cases_know_each_other():
    known = set(tomllib.loads((ROOT / "fixtures" / "flags.toml").read_text(encoding="utf-8")))
    assert {flag for case in load_cases(areas()["render"]) for flag in case.flags} <= known


def test_every_case_renders_on_a_toy_row_or_is_refused_everywhere(rows):
    refused = set()
    for case in load_cases(areas()["render"]):
        outcomes = [renders(tokenizer, case) for features, tokenizer in rows.values() if set(case.features) <= features]
        assert outcomes, f"{case.id} applies to no toy row"
        if not any(outcomes):
            refused.add(case.id)
    assert refused == REFUSED_EVERYWHERE


def renders(tokenizer, case) -> bool:
    try:
        tokenizer.apply_chat_template(
            case.input["messages"],
            tools=case.input.get("tools"),
            tokenize=False,
            **case.input.get("options", {}),
        )
    except Exception:  # noqa: BLE001 - whatever a template raises is its refusal
        return False
    return True
