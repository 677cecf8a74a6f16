"""However a completion is cut, its chunks hold the same ids and the same text."""

from __future__ import annotations

import pytest

from tokenspec.areas.stream.checks.ending import joined, said
from tokenspec.areas.stream.chunks import CUTTINGS, Piece, pieces_of
from tokenspec.areas.stream.records import CallDelta, Delta, StreamOutput
from tokenspec.models import load

TEXT = "東京 and <|im_end|> Osló.\n"


@pytest.mark.parametrize("name", CUTTINGS)
@pytest.mark.parametrize("row", ["toy-bpe", "toy-metaspace"])
@pytest.mark.parametrize("dropped", [0, 1, 9])
def test_every_cut_holds_all_ids_and_characters(name: str, row: str, dropped: int) -> None:
    vocabulary = load(row).vocabulary
    ids = load(row).tokenizer.encode(TEXT, add_special_tokens=False)
    ids = ids[: len(ids) - dropped]
    pieces = pieces_of(vocabulary, ids)
    found = CUTTINGS[name](pieces)
    assert [id_ for piece in found for id_ in piece.ids] == ids
    assert "".join(piece.text for piece in found) == "".join(piece.text for piece in pieces)


def test_half_a_character_waits_and_a_control_token_is_never_cut() -> None:
    row = load("toy-bpe")
    control = row.tokenizer.convert_tokens_to_ids("<|im_end|>")
    half, *_ = row.tokenizer.encode("東", add_special_tokens=False)
    pieces = pieces_of(row.vocabulary, [half, control])
    assert [(piece.text, piece.whole) for piece in pieces] == [("", False), ("\ufffd", False), ("<|im_end|>", True)]
    by_character = CUTTINGS["by character"](pieces)
    assert by_character == [Piece([half], "\ufffd"), Piece([control], "<|im_end|>")]


def test_arguments_are_joined_and_what_was_cut_is_no_call() -> None:
    first = Delta(tool_calls=[CallDelta(index=0, name="f", arguments='{"a"'), CallDelta(index=1, name="g")])
    ends = [Delta(tool_calls=[CallDelta(index=0, arguments=": 1}")]), Delta()]
    for end, status, calls in zip(ends, ("ok", "invalid_json"), ([("f", {"a": 1})], []), strict=True):
        output = StreamOutput(deltas=[first, end])
        assert joined(output).tool_calls[0].status == status
        assert said(output)["calls"] == calls
