"""The faultless template has the facts one expects; each seeded fault changes exactly the facts it is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.certificates.faults import FAULTS
from tests.certificates.seeded import FAULTLESS, row_of
from tokenspec.certificate.certify import measure
from tokenspec.certificate.facts import flat


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return flat(measure(row_of(tmp_path_factory.mktemp("faultless"), FAULTLESS), with_tokens=True))


def test_the_faultless_template_has_no_hazard(faultless: dict[str, Any]) -> None:
    remarkable = {
        name: fact
        for name, fact in faultless.items()
        if fact not in ("holds", "kept", "verbatim", "joined", "shown", "nothing", True, False, "", None, [])
    }
    assert remarkable == {
        "prompt.text": "<|im_start|>assistant\n",
        "prompt.after_tool": "<|im_start|>assistant\n",
        "prompt.trailing_space": "\n",
        "calls.arguments": "either",
        "calls.booleans": "json",
        "calls.key_order": "given",
        "calls.non_ascii": "raw",
        "tools.empty_list": "as none",
        "tools.results": "in the order given",
        "tools.told_apart": "by id",
        "system.preamble": "<|im_start|>user\n",
        "stop.final": "ends with <|im_end|>",
        "stop.before_user": "ends with <|im_end|>",
        "stop.before_tool": "ends with <|im_end|>",
        "tokens.encode_adds": ([], []),
        "tokens.stop_ids": {"<|im_end|>": [738]},
    }
    assert faultless["prefix_stable"] is True
    assert faultless["prompt.no_op"] is faultless["date.depends"] is faultless["template.generation_tags"] is False
    assert faultless["prompt.appends"] is faultless["stop.trained"] is True


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_changes_exactly_its_facts(name: str, faultless: dict[str, Any], tmp_path: Path) -> None:
    found = flat(measure(row_of(tmp_path, FAULTS[name].template), with_tokens=False))
    changed = {
        fact
        for fact in {*faultless, *found}
        if faultless.get(fact) != found.get(fact) and not fact.startswith("tokens.")
    }
    assert changed == FAULTS[name].flips


def test_every_fact_can_change(faultless: dict[str, Any]) -> None:
    tokens = {"tokens.bos_in_text", "tokens.encode_adds", "tokens.stop_ids"}  # see test_tokens.py
    flipped = {fact for fault in FAULTS.values() for fact in fault.flips}
    assert set(faultless) - tokens <= flipped
