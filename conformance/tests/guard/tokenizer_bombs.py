"""Files ``tokenizer.json`` that never end, take all memory, or are no tokenizer: edits of a sound one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

Document = dict[str, Any]


def split(pattern: str) -> Callable[[Document], Any]:
    """An edit: text is cut by this pattern."""

    def edit(document: Document) -> None:
        document["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": pattern}

    return edit


def growing(times: int, content: str) -> Callable[[Document], Any]:
    """An edit: each sign of a text becomes ``content``, so many times over."""
    step = {"type": "Replace", "pattern": {"Regex": "."}, "content": content}

    def edit(document: Document) -> None:
        document["normalizer"] = {"type": "Sequence", "normalizers": [step] * times}

    return edit


def at(*path: str | int, value: Any) -> Callable[[Document], Any]:
    """An edit: another value at a place."""

    def edit(document: Document) -> None:
        part: Any = document
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value

    return edit


EDITS: dict[str, Callable[[Document], Any]] = {
    "pattern-nested-plus": split(r"(.+)+\u0000|."),
    "pattern-alternatives": split(r"(\w|\S|.)*\u0000|."),
    "pattern-backreference": split(r"((.*)(.*)(.*)\2\3\4)+\u0000|."),
    "pattern-lookahead": split(r"(?=(.+)+\u0000)x|(?=(.|\w)*\u0000)y|."),
    "pattern-repeated": split("(" * 40 + "a" + "){1,99}" * 40),
    "pattern-unclosed": split("(((("),
    "pattern-no-text": at("pre_tokenizer", "pretokenizers", 0, "pattern", value=7),
    "normalizer-multiplies": growing(12, "x" * 10),
    "normalizer-multiplies-once": growing(1, "x" * 10**7),
    "normalizer-prepends": at(
        "normalizer",
        value={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "x" * 10**3}] * 999},
    ),
    "normalizer-precompiled": at("normalizer", value={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
    "normalizer-unknown": at("normalizer", value={"type": "Nobody"}),
    "vocabulary-empty": at("model", "vocab", value={}),
    "vocabulary-list": at("model", "vocab", value=[1, 2]),
    "vocabulary-negative": at("model", "vocab", value={"a": -1}),
    "vocabulary-huge-id": at("model", "vocab", value={"a": 2**40}),
    "vocabulary-nan": at("model", "vocab", value={"a": float("nan")}),
    "merges-numbers": at("model", "merges", value=[1, 2]),
    "merges-unknown": at("model", "merges", value=[["nobody", "knows"]]),
    "model-text": at("model", value="BPE"),
    "model-missing": at("model", value=None),
    "model-other": at("model", "type", value="WordPiece"),
    "added-numbers": at("added_tokens", value=[1, 2]),
    "added-empty": at("added_tokens", value=[{"id": 1, "content": ""}]),
    "added-object": at("added_tokens", value={"a": 1}),
    "pre-tokenizer-text": at("pre_tokenizer", value="ByteLevel"),
    "decoder-number": at("decoder", value=3),
    "post-processor-unknown": at("post_processor", value={"type": "TemplateProcessing", "single": "x", "pair": "y"}),
    "top-level-version": at("version", value="99"),
}


def nested(levels: int) -> bytes:
    """Sequences in one another, as text: no reader of this language writes so deep a document."""
    inside = b'{"type": "Sequence", "normalizers": [' * levels + b"]}" * levels
    return b'{"version": "1.0", "normalizer": ' + inside + b', "added_tokens": [], "model": {}}'


RAW: dict[str, bytes] = {
    "nested-deeply": nested(200_000),
    "nested-lists": b"[" * 200_000 + b"]" * 200_000,
    "a-list": b"[]",
    "a-number": b"3",
    "no-json": b"{",
    "no-text": b"\xff\xfe\x00",
    "nothing": b"",
}


def tokenizer_bombs(sound: bytes) -> Iterator[tuple[str, bytes]]:
    """All of them by name, made of a sound file."""
    for name, edit in EDITS.items():
        document = copy.deepcopy(json.loads(sound))
        edit(document)
        yield name, json.dumps(document).encode()
    yield from RAW.items()
