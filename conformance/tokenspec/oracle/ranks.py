"""A row's vocabulary as the ranks that tiktoken and openai-harmony read: a line a token, in base64, and its id."""

from __future__ import annotations

import base64
from pathlib import Path

from tokenspec.models import Row
from tokenspec.oracle.token_bytes import piece_bytes

HARMONY = "o200k_base.tiktoken"
"""The name under which openai-harmony looks for it, in the folder that ``TIKTOKEN_ENCODINGS_BASE`` names."""


def write_ranks(row: Row, path: Path) -> None:
    """Write the ranks of a byte-level vocabulary, without its added tokens."""
    added = row.tokenizer.get_added_vocab()
    ranked = sorted((id_, piece) for piece, id_ in row.tokenizer.get_vocab().items() if piece not in added)
    spelled = (base64.b64encode(piece_bytes(piece, added=False, byte_fallback=False)) for _, piece in ranked)
    lines = (f"{text.decode()} {id_}\n" for text, (id_, _) in zip(spelled, ranked, strict=True))
    path.write_text("".join(lines), encoding="ascii")
