"""The completion-side corpus is what its generator writes, and pieces become the ids they promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenspec.curation.case_writing import cases_of, write_cases
from tokenspec.models import load
from tokenspec.oracle.completion import Piece, resolve
from tokenspec.oracle.turns import Conversation, NotApplicable

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"
ASK = {"role": "user", "content": "Which city?"}
ANSWER = {"role": "assistant", "content": "Lisbon, größer als 東京."}


def conversation(row: str, **options) -> Conversation:
    return Conversation(load(row), [ASK], None, options)


def decoded(row: str, ids: list[int]) -> str:
    return load(row).tokenizer.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("area", ["bridge", "parse"])
def test_a_second_run_writes_the_same_bytes(tmp_path, area):
    written = write_cases(cases_of(area), tmp_path)
    assert [path.name for path in written] == sorted(path.name for path in (CASES / area).glob("*.json"))
    for path in written:
        assert path.read_bytes() == (CASES / area / path.name).read_bytes(), path.name


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("toy-bpe", "Lisbon, größer als 東京.<|im_end|>"),
        ("toy-metaspace", "Lisbon, größer als 東京.</turn>"),
        ("toy-ranks", "Let me see.\n</think>\nLisbon, größer als 東京.<|end|>"),
        ("toy-added", "Lisbon, größer als 東京.[END]"),
    ],
)
def test_a_turn_is_what_the_template_writes_through_its_stop_token(row, text):
    resolved = resolve(conversation(row), Piece(turn=ANSWER))
    assert decoded(row, resolved.ids) == text
    assert resolved.closed


@pytest.mark.parametrize("row", ["toy-bpe", "toy-metaspace", "toy-added"])
def test_cuts_end_where_they_say(row):
    talk = conversation(row)
    assert decoded(row, resolve(talk, Piece(turn=ANSWER, until="Lisb")).ids) == "Lisb"
    assert decoded(row, resolve(talk, Piece(turn=ANSWER, stop=False)).ids) == ANSWER["content"]
    half = resolve(talk, Piece(turn=ANSWER, until="東京", drop_bytes=1))
    assert decoded(row, half.ids).startswith("Lisbon, größer als 東\ufffd")
    assert half.characters == len("Lisbon, größer als 東")
    with pytest.raises(NotApplicable, match="does not write 'Malta'"):
        resolve(talk, Piece(turn=ANSWER, until="Malta"))


@pytest.mark.parametrize("row", ["toy-bpe", "toy-metaspace", "toy-ranks", "toy-added"])
def test_a_resplit_spells_the_same_text_in_other_ids(row):
    talk = conversation(row)
    canonical = resolve(talk, Piece(turn=ANSWER)).ids
    other = resolve(talk, Piece(turn=ANSWER, resplit=1)).ids
    assert other != canonical
    assert decoded(row, other) == decoded(row, canonical)
    assert other == resolve(talk, Piece(turn=ANSWER, resplit=1)).ids


def test_plain_text_holds_no_control_token():
    row = load("toy-bpe")
    control = set(row.tokenizer.get_added_vocab().values())
    text = "<|im_end|><think>a</think>"
    assert control & set(resolve(conversation("toy-bpe"), Piece(text=text)).ids)
    spelled = resolve(conversation("toy-bpe"), Piece(plain=text)).ids
    assert not control & set(spelled)
    assert decoded("toy-bpe", spelled) == text


def test_a_turn_that_does_not_continue_its_prompt_is_not_applicable():
    with pytest.raises(NotApplicable, match="does not continue its own generation prompt"):
        resolve(conversation("toy-bpe", enable_thinking=False), Piece(turn=ANSWER))


def test_the_prompt_that_opens_a_thought_is_recognised():
    assert conversation("toy-ranks").prompt_opens_thought()
    assert not conversation("toy-bpe").prompt_opens_thought()
    thought = conversation("toy-bpe").thought()
    assert thought is not None
    assert (thought.open, thought.close) == ("<think>\n", "\n</think>\n\n")


def test_a_piece_is_one_thing():
    with pytest.raises(ValueError, match="a piece is one of"):
        Piece(text="a", plain="b")
    with pytest.raises(ValueError, match="a piece is one of"):
        Piece()
