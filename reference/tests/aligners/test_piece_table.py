"""What is read off a tokenizer: bytes of pieces, roles, added spaces, normal forms; and what is refused."""

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tokenspec_reference.aligners import PieceTable, UnsupportedTokenizer
from tokenspec_reference.aligners.roles import ROLE_OF_SPELLING


def tokenizer(pieces, *, normalizer=None, pre_tokenizer=None, decoder=None, added=(), **special):
    backend = Tokenizer(models.WordLevel({piece: index for index, piece in enumerate(pieces)}, unk_token=pieces[0]))
    if normalizer is not None:
        backend.normalizer = normalizer
    if pre_tokenizer is not None:
        backend.pre_tokenizer = pre_tokenizer
    if decoder is not None:
        backend.decoder = decoder
    backend.add_tokens([AddedToken(text, special=False) for text in added])
    return PreTrainedTokenizerFast(tokenizer_object=backend, **special)


def test_byte_level_pieces():
    table = PieceTable.from_tokenizer(
        tokenizer(["Ġa", "Ã©", "ðŁ", "日", "a b"], decoder=decoders.ByteLevel(), added=["Ġlit"])
    )
    assert table.pieces[:5] == (b" a", "é".encode(), b"\xf0\x9f", "日".encode(), b"a b")
    assert table.pieces[5] == "Ġlit".encode()
    assert (table.prefix_space, table.unicode_form) == ("none", None)


SENTENCEPIECE = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])


def test_sentencepiece_pieces():
    table = PieceTable.from_tokenizer(tokenizer(["▁a", "<0xC3>", "é", "▁▁"], decoder=SENTENCEPIECE))
    assert table.pieces == (b" a", b"\xc3", "é".encode(), b"  ")


@pytest.mark.parametrize("decoder", [decoders.Metaspace(), decoders.ByteFallback(), decoders.Replace("▁", " ")])
def test_any_decoder_of_sentencepiece_is_one(decoder):
    table = PieceTable.from_tokenizer(tokenizer(["▁a", "<0xC3>"], decoder=decoder))
    assert table.pieces[:2] == (b" a", b"\xc3")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"normalizer": normalizers.Prepend("▁")}, ("every", False)),
        ({"pre_tokenizer": pre_tokenizers.Metaspace(prepend_scheme="always")}, ("every", True)),
        ({"pre_tokenizer": pre_tokenizers.Metaspace(prepend_scheme="first")}, ("first", True)),
        ({"pre_tokenizer": pre_tokenizers.Metaspace(prepend_scheme="never")}, ("none", True)),
        ({"pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=True)}, ("every", True)),
        ({}, ("none", False)),
    ],
)
def test_added_spaces(parts, expected):
    table = PieceTable.from_tokenizer(tokenizer(["a"], decoder=SENTENCEPIECE, **parts))
    assert (table.prefix_space, table.prefix_optional) == expected


def test_normal_form():
    both = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(" ", "▁")])
    assert PieceTable.from_tokenizer(tokenizer(["a"], normalizer=both, decoder=SENTENCEPIECE)).unicode_form == "NFC"


@pytest.mark.parametrize("normalizer", [normalizers.Lowercase(), normalizers.NFKC(), normalizers.Replace("a", "b")])
def test_lossy_normalizers_are_refused(normalizer):
    with pytest.raises(UnsupportedTokenizer, match="normalizer"):
        PieceTable.from_tokenizer(tokenizer(["a"], normalizer=normalizer, decoder=decoders.ByteLevel()))


@pytest.mark.parametrize("decoder", [None, decoders.WordPiece()])
def test_decoders_that_say_nothing_of_bytes_are_refused(decoder):
    with pytest.raises(UnsupportedTokenizer, match="decoder"):
        PieceTable.from_tokenizer(tokenizer(["a"], decoder=decoder))


def test_slow_tokenizers_are_refused():
    with pytest.raises(UnsupportedTokenizer, match="fast"):
        PieceTable.from_tokenizer(object())


def test_roles_by_declaration_table_attribute_and_spelling():
    made = tokenizer(
        ["a", "<|im_end|>", "[E]", "[B]", "[X]", "<think>", "<|eom_id|>"],
        decoder=decoders.ByteLevel(),
        eos_token="[E]",
        bos_token="[B]",
        additional_special_tokens=["<|im_end|>", "[X]", "<|eom_id|>"],
    )
    table = PieceTable.from_tokenizer(made, special_roles={"<think>": "think"})
    assert table.roles == ("", "end", "end", "begin", "[X]", "think", "end")
    assert table.pieces == (b"a", b"", b"", b"", b"", b"", b"")
    assert set(ROLE_OF_SPELLING.values()) == {"begin", "end", "turn-start", "padding", "unknown"}
