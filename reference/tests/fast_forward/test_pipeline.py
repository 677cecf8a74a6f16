"""What is believed of a tokenizer against the tokenizer: words, classes of characters, ends of matches, closure."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.fast_forward import TokenBytes, small_vocabulary
from tokenspec_reference.fast_forward.characters import ANYTHING, Next
from tokenspec_reference.fast_forward.closure import Open, neighbours, open_boundaries
from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.read_pipeline import GPT2, Unproven, by_pattern
from tokenspec_reference.fast_forward.split_pattern import UnreadPattern, read_split_pattern
from tokenspec_reference.fast_forward.strict import UnprovenTokenizer

from .conftest import TOYS, toy

ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+%s"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*%s"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FAMILIES = {
    "gpt2": GPT2,
    "cl100k": ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen": ENDINGS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k": CASED % (ENDINGS + "?", ENDINGS + "?"),
    "tekken": CASED % ("", ""),
    "kimi": r"[\p{Han}]+|" + CASED.replace(r"\p{M}]", r"\p{M}&&[^\p{Han}]]") % (ENDINGS + "?", ENDINGS + "?"),
    "deepseek": r"[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "digits": r"\p{N}{1,3}",
    "single": r"\p{N}",
    "run": "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "lines": r"[^\n]+|[\n]+",
    "toy": r"[^\S\r\n]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
REMEMBERING = {family: Pipeline((by_pattern(pattern),), list) for family, pattern in FAMILIES.items()}
SIGNS = "aAzZ09'sStTlL \t\n\r.,/!-_éÅǅʰªſ漢字カナ한ก\u0301\u00a0\u3000½Ⅷ٣🙂\u200d"
texts = st.text(st.one_of(st.sampled_from(SIGNS), st.characters(exclude_categories=["Cs"])), max_size=14)


def words(stages, text):
    (way,) = Pipeline(tuple(stages), list).segmentations(text, None, may_end=True)
    return [(piece.start, piece.end) for piece in way]


def theirs(pattern, text):
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import Split

    return [span for _, span in Split(Regex(pattern), "isolated").pre_tokenize_str(text)]


@pytest.mark.parametrize("family", FAMILIES)
@settings(deadline=None, max_examples=100)
@given(text=texts)
def test_words_are_the_tokenizers(family, text):
    if text:
        assert words([by_pattern(FAMILIES[family])], text) == theirs(FAMILIES[family], text)


@pytest.mark.parametrize("family", FAMILIES)
@settings(deadline=None, max_examples=100)
@given(known=texts, more=texts)
def test_no_way_to_cut_an_open_text_is_missing(family, known, more):
    if not known:
        return
    pipeline = REMEMBERING[family]
    following = None
    if more:
        code = ord(more[0])
        following = Next(1 << code, frozenset()) if code < 128 else Next(0, frozenset(more[0]) if code % 2 else None)
    cut = [(a, b) for a, b in theirs(FAMILIES[family], known + more) if a < len(known)]
    seen = tuple((a, min(b, len(known)), b > len(known)) for a, b in cut)
    for ways in (
        pipeline.segmentations(known, following, may_end=not more),
        pipeline.segmentations(known, ANYTHING, may_end=True),
    ):
        assert seen in [tuple((piece.start, piece.end, piece.open) for piece in way) for way in ways]


@pytest.mark.parametrize("family", FAMILIES)
@settings(deadline=None, max_examples=100)
@given(before=texts, left=texts, right=texts, more=texts)
def test_a_settled_place_is_a_boundary_and_shields_what_is_before_it(family, before, left, right, more):
    if not left or not right:
        return
    pipeline = Pipeline((by_pattern(FAMILIES[family]),), list)
    if pipeline.settled(left[-1], right[0]):
        at = len(before + left)
        whole = theirs(FAMILIES[family], before + left + right + more)
        short = theirs(FAMILIES[family], before + left + right)
        assert at in {start for start, _ in whole}
        assert [span for span in whole if span[1] <= at] == [span for span in short if span[1] <= at]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<=a)b",
        r"\ba",
        r"^a",
        r"a$",
        r"(a)\1",
        r"(?=ab)a",
        r"a*",
        r"(?>a)",
        r"(?i:ss)",
        r"a{1,2}+",
        r"\X",
        r"(?<n>a)",
        "a)",
    ],
)
def test_what_cannot_be_followed_is_refused(pattern):
    with pytest.raises(UnreadPattern):
        read_split_pattern(pattern, "oniguruma")
    with pytest.raises(Unproven):
        by_pattern(pattern)


@pytest.mark.parametrize("name", ["toy-bpe", "toy-ranks", "toy-metaspace", "toy-added"])
def test_toys_are_closed(name):
    vocabulary = toy(name)
    assert vocabulary.unproven is None
    assert list(open_boundaries(vocabulary, neighbours(vocabulary))) == []


def test_an_open_boundary_is_found():
    shut = small_vocabulary("ab", "bc")

    def open_end(data):
        return [256] if data == b"ab" else [*data]

    from dataclasses import replace

    lying = replace(shut, pipeline=replace(shut.pipeline, merged=open_end))
    assert list(open_boundaries(lying, ["abab"])) == [Open("abab", None)]
    lying = replace(lying, encode_isolated=lambda text: open_end(text.encode()))
    assert list(open_boundaries(lying, ["abab"])) == [Open("abab", 2)]


def changed(**parts):
    return json.dumps(json.loads((TOYS / "toy-bpe" / "tokenizer.json").read_text()) | parts)


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ({"pre_tokenizer": {"type": "BertPreTokenizer"}}, "BertPreTokenizer"),
        ({"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}}, "Strip"),
        (
            {
                "pre_tokenizer": {
                    "type": "Sequence",
                    "pretokenizers": [
                        {
                            "type": "Split",
                            "pattern": {"Regex": r"\w+(?=ab)|\w|\W"},
                            "behavior": "Isolated",
                            "invert": False,
                        },
                        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
                    ],
                }
            },
            "look-ahead",
        ),
    ],
)
def test_an_unknown_pipeline_forces_what_all_texts_show(parts, word):
    from tokenspec_reference.fast_forward import Alternatives, Regex, canonical_ff_tokens

    vocabulary = TokenBytes.from_json(changed(**parts))
    assert vocabulary.pipeline is None
    assert word in vocabulary.unproven
    assert canonical_ff_tokens(vocabulary, Alternatives(["order 1", "order 2"]), mode="strict")[0]
    with pytest.warns(UnprovenTokenizer, match=word):
        assert canonical_ff_tokens(vocabulary, Regex("order [a-z]+"), mode="strict") == ([], b"order ")


def test_a_tokenizer_that_does_otherwise_is_not_believed():
    shut = small_vocabulary("ab", "bc")
    assert shut.unproven is None
    letters = small_vocabulary("'l")
    lying = TokenBytes.from_parts(letters.by_id, lambda text: [*text.encode()], pipeline=letters.pipeline)
    assert lying.pipeline is None
    assert "another way" in lying.unproven


def test_neighbours_are_spread():
    vocabulary = toy("toy-bpe")
    assert len({text[0] for text in neighbours(vocabulary, 50)}) > 10
