"""The toy rows are what their generator makes, and they contain the hazards they were made for."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer
from tokenizers.pre_tokenizers import Split

from generators import toy
from generators.toy_text import WEIGHTED
from tokenspec.models.spec import RowSpec, decode

ROOT = Path(__file__).resolve().parents[3]
TOY = ROOT / "fixtures" / "toy"
ROWS = ("toy-bpe", "toy-metaspace", "toy-ranks", "toy-added")
MAX_BYTES = 60_000


def load(row: str) -> Tokenizer:
    return Tokenizer.from_file(str(TOY / row / "tokenizer.json"))


def test_a_second_run_writes_the_same_bytes(tmp_path):
    written = toy.build(tmp_path)
    assert sorted(path.relative_to(tmp_path) for path in written) == sorted(
        path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file()
    )
    for path in written:
        assert path.read_bytes() == (TOY / path.relative_to(tmp_path)).read_bytes(), path.name
        assert path.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("row", ROWS)
def test_the_row_file_pins_the_folder(row):
    spec = decode(ROOT / "fixtures" / "models" / f"{row}.toml", RowSpec)
    assert (spec.status, spec.family) == ("toy", "template")
    tokenizer = (TOY / row / "tokenizer.json").read_bytes()
    template = (TOY / row / "chat_template.jinja").read_bytes().removesuffix(b"\n")
    assert spec.tokenizer.sha256 == hashlib.sha256(tokenizer).hexdigest()
    assert spec.template.sha256 == hashlib.sha256(template).hexdigest()
    known = load(row).get_vocab()
    assert all(known[token] == token_id for token, token_id in spec.special.items())
    assert set(spec.wire.stop) <= set(spec.special)


def test_one_vocabulary_decomposes_text_and_begins_every_stretch_with_a_space():
    spec = decode(ROOT / "fixtures" / "models" / "toy-nfd.toml", RowSpec)
    assert (spec.status, spec.has_template) == ("toy", False)
    tokenizer = load("toy-nfd")
    for text, spelled in (("\u00e9<|im_end|>x", " e\u0301<|im_end|> x"), (" a<|im_end|> b", " a<|im_end|> b")):
        assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == spelled


@pytest.mark.parametrize("row", ROWS)
def test_text_survives_encoding_and_decoding(row):
    tokenizer = load(row)
    opener = {"toy-metaspace": "<s>"}.get(row, "")
    for text in (
        "Hello there.",
        "\n\nHi\n",
        "  a  b ",
        "Grüße 東京 👩‍👩‍👧 \x00",
        "x = {1: [2]}\r\n\t",
        "\u2028\ufeff",
    ):
        ids = tokenizer.encode(opener + text, add_special_tokens=False).ids
        assert tokenizer.decode(ids, skip_special_tokens=False) == opener + text


@pytest.mark.parametrize(
    ("row", "scaffold", "body", "merged"),
    [
        ("toy-bpe", "user\n", "\nHi", "\n\n"),
        ("toy-bpe", "<tool_response>\n", "\n21", "\n\n"),
        ("toy-metaspace", "<turn>user\n", "\nHi", "\n\n"),
        ("toy-ranks", "<|body|>\n\n", "\n\nHi", "\n\n\n\n"),
        ("toy-added", "c1\n", "\n21", "\n\n"),
    ],
)
def test_a_body_can_share_a_token_with_the_scaffold(row, scaffold, body, merged):
    encoding = load(row).encode(scaffold + body, add_special_tokens=False)
    seam = len(scaffold)
    pieces = [(scaffold + body)[a:b] for a, b in encoding.offsets if a < seam < b]
    assert pieces == [merged]


def test_metaspace_falls_back_to_bytes_and_prepends_one_space():
    tokenizer = load("toy-metaspace")
    assert tokenizer.encode("\x00", add_special_tokens=False).tokens == ["▁", "<0x00>"]
    assert tokenizer.encode("the", add_special_tokens=False).tokens[0].startswith("▁")
    assert not tokenizer.encode("<s>the", add_special_tokens=False).tokens[1].startswith("▁")


def test_ranks_hold_words_that_no_merge_reaches():
    tokenizer = load("toy-ranks")
    state = toy.toy_ranks().model
    made = {left + right for left, right in state["merges"]}
    whole = [token for token in state["vocab"] if len(token) > 5 and token not in made]
    assert len(whole) >= 50
    table = {stand_in: byte for byte, stand_in in toy.byte_alphabet().items()}
    text = bytes(table[character] for character in whole[0]).decode()
    assert tokenizer.encode(text, add_special_tokens=False).tokens == [whole[0]]


def test_added_tokens_swallow_what_their_flags_say():
    tokenizer = load("toy-added")

    def tokens(text: str) -> list[str]:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        return [text[a:b] for a, b in encoding.offsets]

    assert " <pic> " in tokens("a <pic> b")
    assert " <mask>" in tokens("a <mask> b")
    assert "<sep> " in tokens("a <sep> b")
    assert "toy" in tokens("a toy b")
    assert "toy" not in tokens("toys")
    assert "A\u030angstro\u0308m" in tokens("one A\u030angstro\u0308m")
    assert (
        tokenizer.encode("e\u0301", add_special_tokens=False).ids == tokenizer.encode("é", add_special_tokens=False).ids
    )


@pytest.mark.parametrize(("row", "bos"), [("toy-metaspace", "<s>"), ("toy-ranks", "<|begin|>"), ("toy-added", "[BOS]")])
def test_the_post_processor_adds_one_bos(row, bos):
    tokenizer = load(row)
    assert tokenizer.encode("Hi").tokens[0] == bos
    assert tokenizer.encode("Hi", add_special_tokens=False).tokens[0] != bos


@pytest.mark.parametrize(
    ("python", "oniguruma"),
    [(toy.WORDS, toy.WORDS_ONIG), (toy.RANKS, toy.RANKS_ONIG)],
    ids=("words", "ranks"),
)
def test_training_splits_text_as_the_tokenizer_does(python, oniguruma):
    split = Split(Regex(oniguruma), "isolated")
    for text, _ in WEIGHTED:
        assert re.findall(python, text) == [piece for piece, _ in split.pre_tokenize_str(text)]
