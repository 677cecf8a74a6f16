"""tiktoken, OpenAI's tokenizer: the ids it gives to the text of the row's template.

It reads no ``tokenizer.json``: it is told the ranks, the pattern and the special tokens of the row, where the
vocabulary is byte-level, splits by one pattern and has the order of its ids as ranks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tiktoken

from tokenspec.columns.ranks import added_tokens, ranks_of
from tokenspec.columns.template_text import Encode, EncodedTemplate


class Adapter(EncodedTemplate):
    """Vocabularies that ranks describe."""

    def encoder(self, folder: str) -> Encode:
        """Special tokens in a text are special, as in ``apply_chat_template``."""
        document = json.loads((Path(folder) / "tokenizer.json").read_text(encoding="utf-8"))
        encoding = tiktoken.Encoding(
            "row",
            pat_str=pattern_of(document),
            mergeable_ranks=ranks_of(document),
            special_tokens=added_tokens(document),
        )
        return lambda text: encoding.encode(text, allowed_special="all", disallowed_special=())


def pattern_of(document: dict[str, Any]) -> str:
    """The one pattern that a text is split by.

    Raises:
        ValueError: there is a normaliser, or not just one pattern.
    """
    if document.get("normalizer"):
        raise ValueError("it has a normaliser")
    before = document["pre_tokenizer"]
    steps = before["pretokenizers"] if before["type"] == "Sequence" else [before]
    patterns = [step["pattern"]["Regex"] for step in steps if step["type"] == "Split"]
    if len(patterns) != 1:
        raise ValueError(f"it splits by {len(patterns)} patterns")
    return str(patterns[0])
