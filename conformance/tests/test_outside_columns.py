"""Columns of programs that live elsewhere: without their program they answer nothing, with it only what it means too."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tokenspec.adapters import Unsupported
from tokenspec.adapters.foreign import foreign_column
from tokenspec.adapters.resolve import resolve
from tokenspec.areas import areas
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.columns import (
    formatron,
    installed_version,
    lm_format_enforcer,
    nltk,
    outlines_core,
    spacy_alignments,
    transformers_processors,
    vllm,
)
from tokenspec.columns.transformers_generate import walked
from tokenspec.curation.witness_list import read_witnesses
from tokenspec.runner import Run
from tokenspec.verdict import Verdict

COLUMNS = [
    nltk.NltkColumn,
    spacy_alignments.SpacyAlignmentsColumn,
    vllm.VllmColumn,
    outlines_core.OutlinesCoreColumn,
    lm_format_enforcer.LmFormatEnforcerColumn,
    formatron.FormatronColumn,
]


@pytest.mark.parametrize("column", COLUMNS)
def test_without_its_program_a_column_answers_nothing(column: type[Any]) -> None:
    adapter = column()
    adapter.version = None
    assert adapter.info()["version"] == "not installed"
    operation = next(one for one in ("segment", "align", "process_logits", "grammar_mask") if hasattr(adapter, one))
    with pytest.raises(Unsupported, match="not installed; run: pip install "):
        getattr(adapter, operation)({})


@pytest.mark.parametrize("package", ["renderers", "llguidance", "xgrammar", "fastokens", "minijinja"])
def test_an_installed_package_of_a_column_can_be_imported(package: str) -> None:
    if installed_version(package) is None:
        pytest.skip(f"{package} is not installed")
    import_module(package)


@pytest.mark.parametrize("witness", read_witnesses().witness, ids=lambda witness: f"{witness.name}-{witness.area}")
def test_a_listed_witness_is_a_column_of_its_area(witness: Any) -> None:
    column = resolve(witness.impl)
    assert column.info["name"] == witness.name
    assert column.has(areas()[witness.area].operation)


def test_combos_are_told_apart_by_their_places() -> None:
    pytest.importorskip("transformers")
    import torch

    combos = transformers_processors.Combos({"combo_token_size": 2, "banned_combo_token_ids": [[3, 4]]}, 8)

    def banned(*history: int) -> list[int]:
        return (combos(list(history), torch.zeros(1, 8))[0].isinf()).nonzero().flatten().tolist()

    assert banned() == []
    assert banned(3) == [4]
    assert banned(1, 3) == [], "3 is the end of a combo here"
    assert banned(1, 2, 1) == [2], "a row's own combo"
    assert banned(1, 2, 2, 1, 2) == [1], "not 2 1 across two combos, nor 2 2"


@pytest.mark.parametrize(
    ("tag", "tokens", "place"), [([], [], 0), ([], [5], 0), ([5, 6], [5, 5, 6, 5, 6], 3), ([5, 6], [5, 5], None)]
)
def test_the_end_of_a_tag_is_its_first(tag: list[int], tokens: list[int], place: int | None) -> None:
    assert transformers_processors.end_of(tag, tokens) == place


def test_a_script_is_walked_by_what_was_sampled() -> None:
    steps = [{"op": "allow"}, {"op": "advance", "tokens": [[1, 2], [3, 4]]}, {"op": "allow"}]
    assert walked({"rows": 2, "steps": steps}) == ([0, None, 2], [[1, 2], [3, 4]])
    for step in ({"op": "reorder", "src": [0]}, {"op": "advance", "tokens": [1, 2], "active": [True, False]}):
        with pytest.raises(Unsupported):
            walked({"rows": 2, "steps": [*steps, step]})


def test_what_is_aligned_by_way_of_others_is_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    def alignments(student: list[str], teacher: list[str]) -> tuple[list[list[int]], list[list[int]]]:
        ends = [[sum(map(len, side[: at + 1])) for at in range(len(side))] for side in (student, teacher)]
        spans = [list(zip([0, *each], each, strict=False)) for each in ends]
        there = [[at for at, (c, d) in enumerate(spans[1]) if a < d and c < b] for a, b in spans[0]]
        back = [[at for at, (c, d) in enumerate(spans[0]) if a < d and c < b] for a, b in spans[1]]
        return there, back

    monkeypatch.setitem(__import__("sys").modules, "spacy_alignments", type("", (), {"get_alignments": alignments}))

    def chunks(student: str, teacher: str) -> tuple[list[int], list[int]]:
        return spacy_alignments.chunks([list(enumerate(side.split())) for side in (student, teacher)])

    assert chunks("ab c", "ab c") == ([0, 1], [0, 1])
    assert chunks("ab cd e", "abc d e") == ([0, 0, 1], [0, 0, 1])
    assert chunks("abc defg hi", "ab cde fg h i") == ([0, 0, 1], [0, 0, 0, 1, 1])


def test_no_witness_is_asked_by_way_of_the_reference() -> None:
    """A column of a program of others takes nothing from what it is to judge."""
    for witness in read_witnesses().witness:
        if (foreign := foreign_column(witness.impl)) is not None:
            assert "tokenspec_reference" not in (foreign.folder / "adapter.py").read_text(encoding="utf-8")
            continue
        module = __import__(witness.impl.split(":")[0], fromlist=["x"])
        assert not any(
            getattr(one, "__module__", "").startswith("tokenspec_reference") for one in vars(module).values()
        )


@pytest.mark.parametrize("name", ["xgrammar", "llguidance"])
def test_a_grammar_over_the_vocabulary_of_a_row_is_answered(name: str) -> None:
    column = resolve(name)
    if column.info["version"] == "not installed":
        pytest.skip(f"{name} is not installed")
    cells = select_cells(Selection(("grammar-mask",), ("toy-bpe",), ("grammar-mask/row-anything",)))
    (result,) = Run([column], cells)
    assert {finding.verdict for finding in result.findings} <= {Verdict.PASS, Verdict.FAIL}, result.findings
