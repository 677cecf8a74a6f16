"""The render corpus on disk is what its generator writes, and every case says something on a toy row."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from tokenspec.areas.render.cases import all_cases
from tokenspec.curation.case_writing import write_cases
from tokenspec.models.spec import RowSpec, decode

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "fixtures" / "cases" / "render"
ROWS = ("toy-bpe", "toy-metaspace", "toy-ranks", "toy-added")
REFUSED_EVERYWHERE = {"render/role-empty-conversation", "render/prefill-and-generation-prompt"}


@pytest.fixture(scope="module")
def rows():
    specs = {row: decode(ROOT / "fixtures" / "models" / f"{row}.toml", RowSpec) for row in ROWS}
    return {
        row: (set(spec.features), AutoTokenizer.from_pretrained(ROOT / "fixtures" / "toy" / row))
        for row, spec in specs.items()
    }


def test_a_second_run_writes_the_same_bytes(tmp_path):
    written = write_cases(all_cases(), tmp_path)
    assert [path.name for path in written] == sorted(path.name for path in CASES.glob("*.json"))
    for path in written:
        assert path.read_bytes() == (CASES / path.name).read_bytes(), path.name


def test_flags_and_cases_know_each_other():
    known = set(tomllib.loads((ROOT / "fixtures" / "flags.toml").read_text(encoding="utf-8")))
    assert {flag for case in all_cases() for flag in case.flags} <= known


def test_every_case_renders_on_a_toy_row_or_is_refused_everywhere(rows):
    refused = set()
    for case in all_cases():
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
