"""A ``tokenizer.json`` of byte-level BPE as ranks: what tiktoken and its relatives read."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tokenspec.oracle.token_bytes import byte_level_alphabet

HARMONY = "o200k_base.tiktoken"
"""The name under which openai-harmony looks for its ranks, in the folder that ``TIKTOKEN_ENCODINGS_BASE`` names."""


def added_tokens(document: dict[str, Any]) -> dict[str, int]:
    """The tokens that are found before a text is split, and their ids."""
    return {token["content"]: token["id"] for token in document["added_tokens"]}


def ranks_of(document: dict[str, Any]) -> dict[bytes, int]:
    """The bytes of each ordinary token and its id, which is its rank.

    Raises:
        ValueError: the vocabulary is not byte-level, or its merges are not in the order of the ids.
    """
    table = byte_level_alphabet()
    vocabulary: dict[str, int] = document["model"]["vocab"]
    special = added_tokens(document)
    plain = {token: id_ for token, id_ in vocabulary.items() if token not in special}
    if document["model"]["type"] != "BPE" or any(set(token) - table.keys() for token in plain):
        raise ValueError("it is not byte-level BPE")
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in document["model"]["merges"])
    made = [vocabulary["".join(pair)] for pair in pairs]
    if not document["model"].get("ignore_merges") and any(a > b for a, b in pairwise(made)):
        raise ValueError("its merges are not in the order of its ids")
    return {bytes(table[character] for character in token): id_ for token, id_ in plain.items()}


def write_ranks(directory: Path, path: Path) -> None:
    """Write the ranks of the vocabulary in a row's folder: a line a token, its bytes in base64, and its id.

    Raises:
        ValueError: as for :func:`ranks_of`.
    """
    ranks = ranks_of(json.loads((directory / "tokenizer.json").read_text(encoding="utf-8")))
    ordered = sorted(ranks.items(), key=lambda pair: pair[1])
    path.write_bytes(b"".join(b"%s %d\n" % (base64.b64encode(piece), rank) for piece, rank in ordered))
