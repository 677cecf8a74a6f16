"""Facts of the tokenizer beside the template: BOS in the text, BOS from a plain encode, ids of the stop strings."""

from __future__ import annotations

import json
from pathlib import Path

from tests.certificates.seeded import FAULTLESS, WIRE, row_of
from tokenspec.certificate.certify import measure
from tokenspec.certificate.facts import Tokens
from tokenspec.models import Row, load
from tokenspec.models.spec import Wire


def tokens(row: Row) -> Tokens:
    found = measure(row, with_tokens=True).tokens
    assert found is not None
    return found


def with_bos(folder: Path, *, encoded: bool) -> Row:
    """The faultless template behind a BOS, over a tokenizer that knows one and may add it itself."""
    row = row_of(folder, "{{- bos_token -}}" + FAULTLESS)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"bos_token": "<|endoftext|>"}))
    if encoded:
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        bos = tokenizer["added_tokens"][0]
        assert bos["content"] == "<|endoftext|>"
        tokenizer["post_processor"] = {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": bos["content"], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {bos["content"]: {"id": bos["content"], "ids": [bos["id"]], "tokens": [bos["content"]]}},
        }
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return row


def test_bos_of_the_template_is_counted(tmp_path: Path) -> None:
    assert tokens(with_bos(tmp_path, encoded=False)).bos_in_text == 1


def test_bos_of_a_plain_encode_is_seen(tmp_path: Path) -> None:
    found = tokens(with_bos(tmp_path, encoded=True))
    assert (found.bos_in_text, found.encode_adds) == (1, ([736], []))


def test_a_stop_string_that_is_no_token_shows_its_pieces(tmp_path: Path) -> None:
    wire = Wire(assistant_open=WIRE.assistant_open, assistant_close=WIRE.assistant_close, stop=("<|nope|>",))
    found = tokens(row_of(tmp_path, FAULTLESS, wire))
    assert len(found.stop_ids["<|nope|>"]) > 1


def test_the_toy_with_a_post_processor_doubles_its_bos() -> None:
    found = tokens(load("toy-metaspace"))
    assert found.bos_in_text == 1
    assert sum(map(len, found.encode_adds)) == 1
