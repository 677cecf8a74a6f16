"""Normaliser, pre-tokeniser, post-processor and decoder of each tokenizer family, as ``tokenizer.json`` sections.

The regular expressions are the published ones of each model's tokenizer; everything here is checked against the
publisher's own file through the sha256 of the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+[\r\n]*"


def _cl100k(digits: str, letters: str = r"\p{L}") -> str:
    punctuation = f" ?[^\\s{letters}\\p{{N}}]+[\\r\\n]*"
    word = r"\p{L}+" if letters == r"\p{L}" else f"[{letters}]+"
    return rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?{word}|{digits}|{punctuation}|{_SPACES}"


def _o200k(digits: str, contractions: str) -> str:
    head = r"[^\r\n\p{L}\p{N}]?"
    words = f"{head}[{_UPPER}]*[{_LOWER}]+{contractions}|{head}[{_UPPER}]+[{_LOWER}]*{contractions}"
    return rf"{words}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"


def _byte_level(*, prefix: bool, trim: bool, regex: bool) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def _split(regex: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def _splits(*regexes: str, trim: bool) -> Json:
    last = _byte_level(prefix=False, trim=trim, regex=False)
    return {"type": "Sequence", "pretokenizers": [*map(_split, regexes), last]}


def _starts_with(token: str, token_id: int, extra: dict[str, int] | None = None) -> Json:
    first = {"SpecialToken": {"id": token, "type_id": 0}}
    again = {"SpecialToken": {"id": token, "type_id": 1}}
    one, two = ({"Sequence": {"id": name, "type_id": n}} for n, name in enumerate("AB"))
    known = {**(extra or {}), token: token_id}
    return {
        "type": "TemplateProcessing",
        "single": [first, one],
        "pair": [first, one, again, two],
        "special_tokens": {text: {"id": text, "ids": [n], "tokens": [text]} for text, n in known.items()},
    }


_WHOLE = _byte_level(prefix=True, trim=True, regex=True)
_UNTRIMMED = _byte_level(prefix=True, trim=False, regex=True)
_EXACT = _byte_level(prefix=False, trim=False, regex=False)


@dataclass(frozen=True)
class Pipeline:
    """A ``tokenizer.json`` without vocabulary, merges and added tokens; ``merges`` says how ranks become merges."""

    pre_tokenizer: Json | None
    post_processor: Json = field(default_factory=lambda: _UNTRIMMED)
    decoder: Json = field(default_factory=lambda: _WHOLE)
    normalizer: Json | None = None
    ignore_merges: bool = True
    unknown: str | None = None
    byte_fallback: bool = False
    merges: str = "all-splits"


_QWEN2 = Pipeline(
    normalizer={"type": "NFC"},
    pre_tokenizer=_splits(_cl100k(r"\p{N}"), trim=False),
    post_processor=_EXACT,
    decoder=_EXACT,
    ignore_merges=False,
    merges="one-per-token",
)
_QWEN35_LETTERS = r"\p{L}\p{M}"
_KIMI_HEAD = r"[^\r\n\p{L}\p{N}]?"
_KIMI_UPPER, _KIMI_LOWER = (f"[{letters}&&[^\\p{{Han}}]]" for letters in (_UPPER, _LOWER))
_KIMI = (
    rf"[\p{{Han}}]+|{_KIMI_HEAD}{_KIMI_UPPER}*{_KIMI_LOWER}+{_CONTRACTIONS}?"
    rf"|{_KIMI_HEAD}{_KIMI_UPPER}+{_KIMI_LOWER}*{_CONTRACTIONS}?|\p{{N}}{{1,3}}|{_PUNCTUATION}|{_SPACES}"
)
_DEEPSEEK_WORDS = (
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)
_SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"
_TEKKEN = _splits(_o200k(r"\p{N}", ""), trim=True)
_BEGIN_LLAMA = _starts_with("<|begin_of_text|>", 128000)

PIPELINES: dict[str, Pipeline] = {
    "qwen2": _QWEN2,
    "qwen3.5": Pipeline(
        normalizer={"type": "NFC"},
        pre_tokenizer=_splits(_cl100k(r"\p{N}", _QWEN35_LETTERS), trim=False),
        post_processor=_EXACT,
        decoder=_EXACT,
    ),
    "llama-3": Pipeline(
        pre_tokenizer=_splits(_cl100k(r"\p{N}{1,3}"), trim=True),
        post_processor={"type": "Sequence", "processors": [_UNTRIMMED, _BEGIN_LLAMA]},
    ),
    "cl100k": Pipeline(pre_tokenizer=_splits(_cl100k(r"\p{N}{1,3}"), trim=True)),
    "o200k": Pipeline(pre_tokenizer=_splits(_o200k(r"\p{N}{1,3}", _CONTRACTIONS + "?"), trim=True)),
    "tekken": Pipeline(pre_tokenizer=_TEKKEN, post_processor=_starts_with("<s>", 1, {"</s>": 2})),
    "tekken-plain": Pipeline(pre_tokenizer=_TEKKEN),
    "kimi": Pipeline(pre_tokenizer=_splits(_KIMI, trim=True)),
    "laguna": Pipeline(
        normalizer=None,
        pre_tokenizer=_splits(r"[^\n]+|[\n]+", _cl100k(r"\p{N}"), trim=True),
        ignore_merges=False,
        merges="one-per-token",
    ),
    "gpt-2": Pipeline(
        pre_tokenizer=_byte_level(prefix=False, trim=True, regex=True),
        post_processor=_byte_level(prefix=True, trim=False, regex=True),
        ignore_merges=False,
    ),
    "qwen3.5-regex": Pipeline(
        pre_tokenizer=_splits(_cl100k(r"\p{N}", _QWEN35_LETTERS), trim=False),
        post_processor=_EXACT,
        decoder=_EXACT,
        ignore_merges=False,
    ),
    "llama-spm": Pipeline(
        normalizer={
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": _SPACE_MARK},
                {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE_MARK},
            ],
        },
        pre_tokenizer=None,
        post_processor=_starts_with("<s>", 1),
        decoder={
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": _SPACE_MARK}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        ignore_merges=False,
        unknown="<unk>",
        byte_fallback=True,
    ),
    "deepseek-v3": Pipeline(
        normalizer={"type": "Sequence", "normalizers": []},
        pre_tokenizer=_splits(r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+", _DEEPSEEK_WORDS, trim=True),
        ignore_merges=False,
    ),
    "gemma": Pipeline(
        normalizer={"type": "Replace", "pattern": {"String": " "}, "content": _SPACE_MARK},
        pre_tokenizer={
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        post_processor=_starts_with("<bos>", 2),
        decoder={
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": _SPACE_MARK}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        ignore_merges=False,
        unknown="<unk>",
        byte_fallback=True,
    ),
}
