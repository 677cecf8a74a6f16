"""Token bytes of every kind of vocabulary, and what happens to unusual ones."""

import json
import subprocess
import sys

import pytest

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import Literal, TokenBytes, allowed_tokens, small_vocabulary, tokenize_bytes
from tokenspec_reference.fast_forward.cache import load_bytes
from tokenspec_reference.fast_forward.vocabulary_parts import UnsupportedVocabulary

from .conftest import TOYS

TEXTS = ["Hello, world!", " two  spaces", "naïve café", "日本語 🙂", "a\n\n b\t", "x" * 40, "123456", "\u2581"]


def backend(name):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(TOYS / name / "tokenizer.json"))


@pytest.mark.parametrize("name", ["toy-bpe", "toy-ranks"])
def test_bytes_of_a_tokenisation_are_the_text(name):
    vocabulary = TokenBytes.from_tokenizer(backend(name))
    for text in TEXTS:
        assert vocabulary.bytes_of(vocabulary.encode_isolated(text)) == text.encode()


def test_byte_fallback_spells_spaces_and_single_bytes():
    vocabulary = TokenBytes.from_tokenizer(backend("toy-metaspace"))
    for text in TEXTS[:-1]:
        assert vocabulary.bytes_of(vocabulary.encode_isolated(text)) == text.encode()
    assert {vocabulary.by_id[vocabulary.id_of[bytes((byte,))]] for byte in range(256)} == {
        bytes((b,)) for b in range(256)
    }


def test_no_space_is_put_in_front():
    vocabulary = TokenBytes.from_tokenizer(backend("toy-metaspace"))
    assert vocabulary.bytes_of(vocabulary.encode_text("the")) == b"the"


def test_special_tokens_have_no_bytes_and_text_never_becomes_one():
    vocabulary = TokenBytes.from_tokenizer(backend("toy-bpe"))
    for name in ("<|im_end|>", "<think>", "<tool_call>"):
        special = vocabulary.special_ids[name]
        assert vocabulary.by_id[special] is None
        assert vocabulary.encode_text(f"a{name}b").count(special) == 1
        assert special not in vocabulary.encode_isolated(f"a{name}b")
        assert vocabulary.bytes_of(vocabulary.encode_isolated(f"a{name}b")) == f"a{name}b".encode()


def test_the_callers_tokenizer_is_left_alone():
    tokenizer = backend("toy-bpe")
    before = tokenizer.to_str()
    TokenBytes.from_tokenizer(tokenizer).encode_isolated("<|im_end|>")
    assert tokenizer.to_str() == before
    assert tokenizer.encode_special_tokens is False


def test_transformers_and_tokenizers_give_the_same():
    transformers = pytest.importorskip("transformers")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=backend("toy-bpe"))
    assert TokenBytes.from_tokenizer(fast).by_id == TokenBytes.from_tokenizer(backend("toy-bpe")).by_id


def test_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes((byte,)): byte for byte in range(256)} | {b"ab": 256, b"abc": 258}
    encoding = tiktoken.Encoding("toy", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 300})
    vocabulary = TokenBytes.from_tokenizer(encoding)
    assert vocabulary.by_id[256:259] == (b"ab", None, b"abc")
    assert len(vocabulary.by_id) == 301
    assert vocabulary.by_id[300] is None
    assert vocabulary.special_ids == {"<|end|>": 300}
    assert vocabulary.encode_text("abc<|end|>")[0] == 258
    assert 300 not in vocabulary.encode_text("abc<|end|>")


def test_holes_and_twins():
    vocabulary = TokenBytes.from_parts([b"a", None, b"", b"b", b"a"], lambda text: [ord(char) - 97 for char in text])
    assert vocabulary.words == (b"a", b"b")
    assert vocabulary.by_id == (b"a", None, None, b"b", b"a")
    assert vocabulary.ids_spelling(b"a") == (0, 4)
    assert vocabulary.ids_spelling(b"x") == ()
    assert list(allowed_tokens(vocabulary, Literal("a"))) == [0, 4]


def test_a_vocabulary_without_bytes_is_refused():
    with pytest.raises(UnsupportedVocabulary, match="no id has bytes"):
        TokenBytes.from_parts([None, b""], list)


def test_another_kind_of_tokenizer_is_refused():
    from tokenizers import Tokenizer, models

    with pytest.raises(UnsupportedVocabulary, match="ByteLevel or ByteFallback"):
        TokenBytes.from_tokenizer(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")))
    with pytest.raises(UnsupportedVocabulary, match="got object"):
        TokenBytes.from_tokenizer(object())


@pytest.mark.parametrize("bad", [-1, 10_000, "a"])
def test_ids_outside_the_vocabulary_are_named(bad):
    with pytest.raises(TokenSpecError, match=r"recent_tokens\[1\]"):
        small_vocabulary("ab").checked([0, bad], "recent_tokens")


def test_a_tokenizer_file_is_read_without_loading_it_first():
    for name in ("toy-bpe", "toy-metaspace", "toy-ranks", "toy-added"):
        source = (TOYS / name / "tokenizer.json").read_text()
        assert TokenBytes.from_json(source).by_id == TokenBytes.from_tokenizer(backend(name)).by_id


@pytest.mark.parametrize("source", ["", "{", "[]", "{}"])
def test_another_file_is_refused(source):
    with pytest.raises(UnsupportedVocabulary, match=r"not a tokenizer\.json"):
        TokenBytes.from_json(source)


def test_an_added_token_that_loads_under_another_id_is_named():
    spec = json.loads((TOYS / "toy-bpe" / "tokenizer.json").read_text())
    spec["added_tokens"][-1]["id"] += 7
    with pytest.raises(UnsupportedVocabulary, match="loads as"):
        TokenBytes.from_json(json.dumps(spec))


def test_words_that_begin_with_bytes_are_one_run():
    vocabulary = small_vocabulary("ab", "abc", "ac", b"\xff\xff", b"\xff\xfe")
    for prefix in (b"", b"a", b"ab", b"abc", b"b", b"\xff", b"\xff\xff", b"zz", b"\xff\xff\xff"):
        low, high = vocabulary.run(prefix)
        assert list(vocabulary.words[low:high]) == [word for word in vocabulary.words if word.startswith(prefix)]


def test_extensions_are_those_the_grammar_allows(toy_vocabulary):
    from tokenspec_reference.fast_forward import JsonSchema, Regex, after, viable

    for grammar in (Regex(" ?[a-z]+(ing)?"), JsonSchema({"enum": ["order", "orders", "or\n"]}), Regex("[^a]{1,3}")):
        for prefix in (b"", b" ", b"o", b'"o', b"th", b"\xc3"):
            state = after(grammar, prefix)
            if state is None:
                continue
            found = set(toy_vocabulary.extensions(prefix, state))
            assert found == {
                word[len(prefix) :]
                for word in toy_vocabulary.words
                if word.startswith(prefix) and len(word) > len(prefix) and viable(state, word[len(prefix) :])
            }


def test_broken_characters_are_cut_greedily():
    vocabulary = small_vocabulary(b"\xe6\x97", "ab")
    assert tokenize_bytes(vocabulary, b"ab\xe6\x97\xffab") == [257, 256, 255, 257]
    partial = TokenBytes.from_parts([b"a"], lambda text: [0] * len(text))
    assert tokenize_bytes(partial, b"a\xff\xfea") == [0, 0]


def test_the_cache_is_used_and_survives_damage(tmp_path):
    first = TokenBytes.from_tokenizer(backend("toy-bpe"), cache_directory=tmp_path / "cache")
    (stored,) = (tmp_path / "cache").iterdir()
    digest = stored.stem.removeprefix("token-bytes-")
    assert load_bytes(tmp_path / "cache", digest) == list(first.by_id)
    assert TokenBytes.from_tokenizer(backend("toy-bpe"), cache_directory=tmp_path / "cache").by_id == first.by_id
    whole = stored.read_bytes()
    for damage in (b"", whole[:100], b"\x00" + whole, json.dumps({"format": 1}).encode()):
        stored.write_bytes(damage)
        assert TokenBytes.from_tokenizer(backend("toy-bpe"), cache_directory=tmp_path / "cache").by_id == first.by_id
        assert stored.read_bytes() == whole
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [stored.name]


def test_nothing_heavy_is_imported():
    code = (
        "import sys, tokenspec_reference.fast_forward\n"
        "print([m for m in ('torch', 'transformers', 'tokenizers', 'tokenspec', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
