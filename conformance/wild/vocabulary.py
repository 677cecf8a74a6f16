"""A tokenizer for any template: a token a byte, and the template's own markers as control tokens."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

MARKER = re.compile(
    r"<\|[^<>|\s]{1,40}\|>|<[a-z_]+\|>|<｜[^<>\s]{1,40}｜>|<\|[a-z_:]+>|</?[a-z_][a-z_:0-9]{1,40}>|<[A-Z_][A-Z_0-9]{3,30}>|<<?/?[A-Z]{2,10}>?>"
    r"|\[/?[A-Z_]{2,30}\]|\]~[!b]?\w*\[|\[e~\[|\[\|[a-z]+\|\]"
)
"""Also with digits and colons: a template's own ``<eos:6124c78e>`` is a control token of its model."""
NAMED = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
END = re.compile(r"end.?of.?(?:sentence|text|turn)|im_end|eot|eos|return", re.IGNORECASE)
"""A marker named so is the end of sequence of a template that does not ask for one, as its model's tokenizer has it."""
BODY = re.compile(r"\"|think|escape|args|call|tool|function|parameter|arg_|invoke|image|video|audio", re.IGNORECASE)
"""Markers named so are no control tokens: they stand within a turn, as ``<escape>`` does around values of a call."""


@cache
def markers_of(template: str) -> list[str]:
    """What looks like a control token in a template and in a text that it writes, in their order."""
    spelled = list(dict.fromkeys([*NAMED.values(), *MARKER.findall(template)]))
    turns = [{"role": role, "content": "x"} for role in ("user", "assistant", "user")]
    try:
        text = _tokenizer(template, spelled).apply_chat_template(turns, tokenize=False)
    except Exception:  # noqa: BLE001 - a template can raise anything
        text = ""
    return list(dict.fromkeys([*spelled, *MARKER.findall(text)]))


def tokenizer_for(template: str) -> Any:
    """A ``PreTrainedTokenizerFast`` that has the markers of this template, and the template."""
    return _tokenizer(template, markers_of(template))


def _tokenizer(template: str, markers: list[str]) -> Any:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_tokens([AddedToken(marker, special=not BODY.search(marker), normalized=False) for marker in markers])
    ends = [] if "eos_token" in template else [marker for marker in markers if END.search(marker)]
    found = PreTrainedTokenizerFast(tokenizer_object=backend, **{**NAMED, "eos_token": (ends or ["</s>"])[0]})
    found.chat_template = template
    return found
