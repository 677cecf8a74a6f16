"""Readers and builder: each format against an independent spelling of the same vocabulary."""

import base64
import itertools
import json
import random
import struct

import pytest
from tokenizers import Tokenizer as Loaded

from tests.models.world import ranks
from tokenspec.models.build import canonical, tokenizer_json
from tokenspec.models.errors import BuildError
from tokenspec.models.gguf import read_metadata
from tokenspec.models.spec import Tokenizer
from tokenspec.models.vocabulary import byte_alphabet, merges_of_ranks, read_vocabulary, spell

GGUF_TYPES = {"string": 8, "array": 9, "u32": 4}


def declared(**changes) -> Tokenizer:
    """A tokenizer declaration with one added token far above the vocabulary."""
    fields = {"pipeline": "cl100k", "added": ((900, "<|x|>", "special"),), "added_in_vocabulary": True}
    return Tokenizer(sha256="0" * 64, source=(), **(fields | changes))


def text(value: str) -> bytes:
    """A GGUF string."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(tokens: list[str], kinds: list[int], merges: list[str]) -> bytes:
    """A GGUF file with a tokenizer and no tensors."""
    arrays = {
        "tokenizer.ggml.tokens": struct.pack("<IQ", 8, len(tokens)) + b"".join(map(text, tokens)),
        "tokenizer.ggml.token_type": struct.pack(f"<IQ{len(kinds)}i", 5, len(kinds), *kinds),
        "tokenizer.ggml.merges": struct.pack("<IQ", 8, len(merges)) + b"".join(map(text, merges)),
    }
    entries = b"".join(text(key) + struct.pack("<I", 9) + value for key, value in arrays.items())
    entries += text("general.count") + struct.pack("<II", 4, 7)
    return struct.pack("<4sIQQ", b"GGUF", 3, 0, len(arrays) + 1) + entries


def naive_bpe(table: dict[bytes, int], word: bytes) -> list[bytes]:
    """Merge the pair of lowest rank until none is left."""
    parts = [word[n : n + 1] for n in range(len(word))]
    while True:
        pairs = [(table[a + b], n) for n, (a, b) in enumerate(itertools.pairwise(parts)) if a + b in table]
        if not pairs:
            return parts
        _, n = min(pairs)
        parts[n : n + 2] = [parts[n] + parts[n + 1]]


@pytest.mark.parametrize("rule", ["all-splits", "one-per-token"])
@pytest.mark.parametrize("seed", range(5))
def test_merges_of_ranks_encode_like_ranks(rule: str, seed: int) -> None:
    generator = random.Random(seed)
    table = {bytes([byte]): byte for byte in range(256)}
    while len(table) < 330:
        left, right = generator.choices([token for token in table if token.isalpha() or token == b" "], k=2)
        table.setdefault(left + right, len(table))
    reachable = {token: rank for token, rank in table.items() if len(naive_bpe(table, token)) == 1}
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(reachable))
    table = {token: rank for rank, token in enumerate(reachable)}
    vocabulary = read_vocabulary(lines, "tiktoken", merges=rule)
    model = {"type": "BPE", "vocab": vocabulary.tokens, "merges": vocabulary.merges, "ignore_merges": True}
    built = Loaded.from_str(canonical(json.dumps({"model": model}).encode()).decode())
    for _ in range(50):
        word = bytes(generator.choices(b"abcxyzABC ", k=generator.randint(1, 12)))
        expected = [table[part] for part in naive_bpe(table, word)]
        assert built.encode(spell(word)).ids == expected


def test_all_splits_come_in_rank_order_of_token_then_left_then_right() -> None:
    ranks = {b"a": 0, b"b": 1, b"ab": 2, b"ba": 3, b"aba": 4}
    expected = [("a", "b"), ("b", "a"), ("a", "ba"), ("ab", "a")]
    assert merges_of_ranks(ranks, "all-splits") == expected


def test_one_per_token_refuses_a_token_no_merge_forms() -> None:
    with pytest.raises(ValueError, match="no merge forms token 'abc'"):
        merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"abc": 3}, "one-per-token")


def test_the_byte_alphabet_is_a_bijection_of_printable_characters() -> None:
    table = byte_alphabet()
    assert len(set(table.values())) == len(table) == 256
    assert all(character.isprintable() and not character.isspace() for character in table.values())
    assert (spell(b" a\n"), table[ord("!")]) == ("Ġa\N{LATIN CAPITAL LETTER C WITH DOT ABOVE}", "!")


def test_tekken_keeps_its_control_ids_free_and_drops_unused_ranks() -> None:
    entries = [{"rank": n, "token_bytes": base64.b64encode(bytes([n])).decode()} for n in range(256)]
    config = {"default_vocab_size": 210, "default_num_special_tokens": 10}
    data = json.dumps({"config": config, "vocab": entries}).encode()
    tokens = read_vocabulary(data, "tekken", merges="all-splits").tokens
    assert (len(tokens), tokens[spell(b"\x00")], tokens[spell(bytes([199]))]) == (200, 10, 209)


def test_gguf_drops_unused_and_padding_rows() -> None:
    data = gguf(["a", "b", "ab", "[PAD3]", "gone", "<|u|>"], [1, 1, 1, 4, 5, 4], ["a b"])
    assert read_metadata(data)["general.count"] == 7
    vocabulary = read_vocabulary(data, "gguf", merges="all-splits")
    assert vocabulary.tokens == {"a": 0, "b": 1, "ab": 2, "<|u|>": 5}
    assert vocabulary.merges == [("a", "b")]


@pytest.mark.parametrize("cut", [0, 3, 12, 40, 90, 150])
def test_a_truncated_gguf_is_refused(cut: int) -> None:
    data = gguf(["a", "b"], [1, 1], ["a b"])
    with pytest.raises(BuildError, match="not a readable gguf vocabulary"):
        read_vocabulary(data[:cut], "gguf", merges="all-splits")


@pytest.mark.parametrize(
    ("data", "file_format"),
    [(b"!!! 0", "tiktoken"), (b"YQ==", "tiktoken"), (b"{}", "tekken"), (b"[1", "hf-vocabulary"), (b"\x00", "gguf")],
    ids=["not-base64", "no-rank", "empty-object", "not-json", "not-gguf"],
)
def test_unreadable_vocabularies_are_typed_errors(data: bytes, file_format: str) -> None:
    with pytest.raises(BuildError, match=f"not a readable {file_format} vocabulary"):
        read_vocabulary(data, file_format, merges="all-splits")


def test_an_added_token_far_above_the_vocabulary_keeps_its_id() -> None:
    kept = Loaded.from_str(tokenizer_json(declared(), ranks(), "tiktoken").decode())
    assert kept.encode("<|x|>").ids == [900]
    renumbered = Loaded.from_str(tokenizer_json(declared(added_in_vocabulary=False), ranks(), "tiktoken").decode())
    assert renumbered.encode("<|x|>").ids != [900]


def test_an_added_token_replaces_the_placeholder_at_its_id() -> None:
    built = json.loads(tokenizer_json(declared(added=((258, "<|x|>", "special"),)), ranks(), "tiktoken"))
    vocabulary = built["model"]["vocab"]
    assert vocabulary["<|x|>"] == 258
    assert "hell" not in vocabulary


def test_an_added_token_that_exists_under_another_id_is_refused() -> None:
    with pytest.raises(BuildError, match="'hello' is an ordinary token of the vocabulary with another id"):
        tokenizer_json(declared(added=((900, "hello", "special"),)), ranks(), "tiktoken")


def test_an_unknown_pipeline_lists_the_known_ones() -> None:
    with pytest.raises(BuildError, match="known: cl100k, "):
        tokenizer_json(declared(pipeline="cl50k"), ranks(), "tiktoken")


def test_canonical_form_is_a_fixed_point_and_blind_to_spelling() -> None:
    built = tokenizer_json(declared(), ranks(), "tiktoken")
    document = json.loads(built)
    document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
    document["model"]["vocab"] = dict(reversed(document["model"]["vocab"].items()))
    document["padding"] = {"strategy": "BatchLongest"}
    respelled = json.dumps(dict(reversed(document.items())), indent=2).encode()
    assert canonical(built) == built
    assert canonical(respelled) == built


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["model"].update(ignore_merges=False),
        lambda document: document["added_tokens"][0].update(lstrip=True),
        lambda document: document["model"]["merges"].reverse(),
        lambda document: document.update(normalizer={"type": "NFC"}),
    ],
    ids=["ignore-merges", "lstrip", "merge-order", "normalizer"],
)
def test_canonical_form_keeps_every_difference_that_matters(change) -> None:
    built = tokenizer_json(declared(), ranks(), "tiktoken")
    document = json.loads(built)
    change(document)
    assert canonical(json.dumps(document).encode()) != built


@pytest.mark.parametrize("data", [b"", b"[]", b'{"model": {}}', b'{"model": {"type": "Unigram"}}'])
def test_other_files_are_not_tokenizers(data: bytes) -> None:
    with pytest.raises(BuildError, match=r"not a BPE tokenizer\.json|only BPE tokenizers"):
        canonical(data)
