"""The committed lists of seams and control ids are exact, complete, and reach every way of merging."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tokenspec.areas.render import profiles
from tokenspec.areas.render.oracle.control_tokens import may_spell_part, scaffold_control_ids
from tokenspec.areas.render.oracle.id_profiles import continued, sampled_boundary, seams
from tokenspec.areas.render.records import RenderExpect
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.models import Row, available, load, spec_of
from tokenspec.oracle.attribution import Undecidable
from tokenspec.store.canonical import canonical_json
from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.seams import merging_contents

ROWS = [
    row if spec_of(row).status == "toy" else pytest.param(row, marks=pytest.mark.real)
    for row in profiles.rows_with_profiles()
]


def at_hand(row: str) -> None:
    """Skip rows whose files are not here."""
    if (missing := available(row)) is not None:
        pytest.skip(missing)


@pytest.mark.parametrize("row", ROWS)
def test_the_committed_lists_are_what_oracle_and_tokenizer_give(row: str) -> None:
    at_hand(row)
    assert profiles.profiles_of(row) == profiles.make(row)


def test_no_row_is_missing() -> None:
    assert {path.stem for path in profiles.path_of("toy-bpe").parent.glob("*.json")} == {
        row for row in profiles.rows_with_profiles() if profiles.answered(row)
    }


def test_the_lint_names_what_is_wrong(own_fixtures: Path) -> None:
    path = own_fixtures / "profiles" / "toy-bpe.json"
    right = profiles.profiles_of("toy-bpe")
    assert right is not None
    assert list(profiles.problems()) == []

    def says(**changes: object) -> str:
        path.write_text(canonical_json(msgspec.structs.replace(right, **changes)))
        profiles._read.cache_clear()
        return next(profiles.problems())

    assert "made from other goldens" in says(goldens_sha256="0")
    assert "no injection case" in says(undecided={"role-user": "because"})
    path.unlink()
    assert "missing; run: tokenspec fixtures profiles" in next(profiles.problems())


KINDS = {"\n": "newline", "\r": "carriage return", "\t": "tab", " ": "blank"}


@pytest.mark.parametrize(
    "row", ["toy-bpe", *(pytest.param(row, marks=pytest.mark.real) for row in ("qwen3", "qwen2.5", "minimax-m2"))]
)
def test_every_way_of_merging_with_the_generation_prompt_has_a_case(row: str) -> None:
    at_hand(row)
    loaded = load(row)
    renderer = create_renderer(
        loaded.tokenizer, family=loaded.family, chat_template=loaded.chat_template, **loaded.options
    )
    merging = {KINDS.get(content[0], "text") for content in merging_contents(renderer)}
    committed = profiles.profiles_of(row)
    assert merging
    assert committed is not None
    heads = ((seam, loaded.tokenizer.decode(seam.sampled_boundary[:1])) for seam in committed.seams)
    sampled = (seam.text.removeprefix(head) for seam, head in heads)
    assert merging <= {KINDS.get(text[0], "text") for text in sampled if text}


def test_a_seam_is_a_token_boundary_and_equal_ones_are_gathered() -> None:
    tokenizer = load("toy-bpe").tokenizer
    turns = [("scaffold", None, 0, "<|im_start|>assistant\n"), ("sampled", 0, 0, "\nHi<|im_end|>")] * 2
    text = "".join(part for *_, part in turns)
    ids = tokenizer.encode(text, add_special_tokens=False)
    expect = RenderExpect(token_ids=ids, spans=turns)
    apart = [id_ for *_, part in turns for id_ in tokenizer.encode(part, add_special_tokens=False)]
    assert sampled_boundary(tokenizer, expect)[0] == apart != ids
    (seam,) = seams("x", tokenizer, expect)
    assert (seam.text, len(seam.canonical), len(seam.sampled_boundary), len(seam.tokens)) == ("\n\n", 1, 2, 2)
    assert all(ids[token : token + 1] == seam.canonical for token in seam.tokens)


@pytest.mark.parametrize("piece", ["\n", "a word", " a blank", "\n\n", "x"])
def test_text_that_goes_on_gets_no_blank_in_front(piece: str) -> None:
    tokenizer = load("toy-metaspace").tokenizer
    whole = tokenizer.encode("<turn>" + piece, add_special_tokens=False)
    assert continued(tokenizer, piece) == whole[1:]


def test_what_may_spell_part_of_a_control_token() -> None:
    assert all(may_spell_part(text, "<|im_end|>") for text in ("a<|im_end|>b", "x<", "end|>", "im", "|>"))
    assert not any(may_spell_part(text, "<|im_end|>") for text in ("call_0001", "city", "a > b"))


def test_a_template_that_reads_a_string_leaves_the_case_undecided() -> None:
    (cell,) = select_cells(Selection(rows=("toy-bpe",), cases=("render/injection-turn-tokens-user",)))
    row = load("toy-bpe")
    typed = json.dumps(cell.case.input["messages"][0]["content"])
    reads = "{% for m in messages %}{{ m.content }}{{ 'as always' if m.content == " + typed + " }}{% endfor %}"
    reading = Row(row.spec, row.directory)
    reading.__dict__["chat_template"] = reads
    with pytest.raises(Undecidable, match="reads"):
        scaffold_control_ids(cell.case, reading)
