"""A tokenizer for any template: a token a byte, and the template's own markers as control tokens."""

from __future__ import annotations

import re
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

MARKER = re.compile(
    r"<\|[^<>|\s]{1,40}\|>|<[a-z_]+\|>|<｜[^<>\s]{1,40}｜>|<\|[a-z_:]+>|</?[a-z_]{2,30}>|<[A-Z_]{4,30}>|<<?/?[A-Z]{2,10}>?>"
    r"|\[/?[A-Z_]{2,30}\]|\]~[!b]?\w*\[|\[e~\[|\[\|[a-z]+\|\]"
)
NAMED = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
BODY = re.compile(r"\"|think|args|call|tool|function|parameter|arg_|invoke|image|video|audio", re.IGNORECASE)
"""Markers named so are no control tokens: they stand within a turn."""


def markers_of(template: str) -> list[str]:
    """What in a template looks like a control token, in its order."""
    return list(dict.fromkeys([*NAMED.values(), *MARKER.findall(template)]))


def tokenizer_for(template: str) -> Any:
    """A ``PreTrainedTokenizerFast`` that has these markers, and this template."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    markers = markers_of(template)
    backend.add_tokens([AddedToken(marker, special=not BODY.search(marker), normalized=False) for marker in markers])
    found = PreTrainedTokenizerFast(tokenizer_object=backend, **NAMED)
    found.chat_template = template
    return found
