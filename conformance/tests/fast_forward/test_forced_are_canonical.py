"""FFT-020 searched for a counterexample: every vocabulary there is, tiktoken's too, and pre-tokenizers nobody has.

``completions.py`` is the oracle. A share of it always runs on the toy rows; ``soak`` runs for an hour on all.
"""

import json
import os
import random
import time
import warnings

import pytest
from tokenizers import Tokenizer

from tokenspec.areas.fast_forward.oracle.vocabulary import row_vocabulary
from tokenspec.models import available, load
from tokenspec_reference.fast_forward import TokenBytes

from .completions import questions, wrong
from .test_agreement import VOCABULARIES

SECONDS = 3600 * float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1"))
TOYS = ["toy-added", "toy-bpe", "toy-metaspace", "toy-ranks"]
ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + ENDINGS + "|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + ENDINGS + "|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
TIKTOKEN = {"o200k": ("gpt-oss", O200K), "cl100k": ("llama-3.2", CL100K), "gpt2": ("gpt-2", GPT2)}
SYNTHETIC = [
    *(r"\p{L}+(?=\p{N})|\p{L}|[^\p{L}]+", r"[a-z]+(?![A-Z])|.|\n", r"\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|[^\p{L}]"),
    *(r"\d{1,3}(?=(\d{3})*\b)|\D+", r"\w+(?=\s)|\w+?|\W+", r"(?<=a)b|[^b]+|b", r"\b\w+|\W+", r"(\w)\1*|\W"),
    *(r"[^ ]+ ?| +", r" ?[^ ]{1,5}| +", r"\S+\s*|\s+", r"(?:ab)+|[^ab]+|a|b", r"(?i:th|he|an)|[\p{L}\p{M}]+|."),
    *(r"\p{Han}|\p{Hiragana}+|\p{Katakana}+|[^\p{Han}\p{Hiragana}\p{Katakana}]+", r"[^\n]*\n|[^\n]+", r"\p{L}{1,4}|."),
    *(
        r"(?:[A-Z][a-z]+)+?|[a-z]+|[A-Z]|[^A-Za-z]+",
        r"'[a-z]+'|'|[^']+",
        r"\s+(?!\S)|\s+|\S+(?=\s)|\S",
        r"[aeiou]*+[^aeiou]|[aeiou]+",
    ),
]


def search(vocabulary, encode, spell, pieces, seed, seconds=None, count=None):
    """Ask until the time is over or the count is reached; the first that is wrong fails the test."""
    rng = random.Random(seed)
    words = [word for word in (piece.decode(errors="ignore") for piece in pieces if piece) if word]
    until = time.monotonic() + (seconds or 1e9)
    done = 0
    for asked in questions(words, rng):
        found = wrong(vocabulary, asked, encode, spell)
        assert found is None, found
        done += 1
        if time.monotonic() > until or done == count:
            return done
    return done


def row_of(name):
    if available(name) is not None:
        pytest.skip(available(name))
    theirs = row_vocabulary(load(name))
    ours = TokenBytes.from_json((load(name).directory / "tokenizer.json").read_text(encoding="utf-8"))
    return ours, theirs


def tiktoken_of(name):
    tiktoken = pytest.importorskip("tiktoken")
    row, pattern = TIKTOKEN[name]
    _, theirs = row_of(row)
    ranks: dict[bytes, int] = {}
    for token, piece in enumerate(theirs.bytes_of):
        if piece:
            ranks.setdefault(piece, token)
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def synthetic(pattern, base="toy-bpe"):
    """A toy vocabulary behind another pattern: Isolated, as published ones are."""
    spec = json.loads((load(base).directory / "tokenizer.json").read_text(encoding="utf-8"))
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    spec["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, byte_level]}
    spec["added_tokens"] = []
    source = json.dumps(spec)
    backend = Tokenizer.from_str(source)
    vocabulary = TokenBytes.from_json(source)
    return vocabulary, lambda text: list(backend.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("row", TOYS)
def test_toy_rows(row):
    ours, theirs = row_of(row)
    assert ours.unproven is None
    search(ours, theirs.encode, theirs.spell, theirs.bytes_of, row, count=250)


@pytest.mark.parametrize("pattern", SYNTHETIC)
def test_pre_tokenizers_nobody_has(pattern):
    vocabulary, encode = synthetic(pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search(vocabulary, encode, vocabulary.bytes_of, vocabulary.by_id, pattern, count=60)


def test_some_of_them_are_followed_and_others_are_not():
    followed = [synthetic(pattern)[0].unproven is None for pattern in SYNTHETIC]
    assert 10 <= sum(followed) < len(followed)


@pytest.mark.soak
@pytest.mark.parametrize("row", VOCABULARIES)
def test_every_vocabulary(row):
    ours, theirs = row_of(row)
    print(row, search(ours, theirs.encode, theirs.spell, theirs.bytes_of, row, seconds=SECONDS / 30))


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(TIKTOKEN))
def test_tiktoken(name):
    encoding = tiktoken_of(name)
    ours = TokenBytes.from_tokenizer(encoding)
    assert ours.unproven is None
    print(name, search(ours, encoding.encode_ordinary, ours.bytes_of, ours.by_id, name, seconds=SECONDS / 30))


@pytest.mark.soak
@pytest.mark.parametrize("pattern", SYNTHETIC)
def test_pre_tokenizers_nobody_has_for_long(pattern):
    vocabulary, encode = synthetic(pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(search(vocabulary, encode, vocabulary.bytes_of, vocabulary.by_id, pattern + "soak", seconds=SECONDS / 60))
