"""Reads a tiktoken encoding, whose vocabulary is bytes already."""

from __future__ import annotations

from typing import Any

from tokenspec_reference.fast_forward.vocabulary_parts import VocabularyParts


def read_tiktoken(encoding: Any) -> VocabularyParts:
    """The token bytes of a ``tiktoken.Encoding``; text never becomes a special token (``encode_ordinary``)."""
    specials = {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    by_id: list[bytes | None] = [None] * encoding.n_vocab
    for token_id in range(encoding.n_vocab):
        try:
            by_id[token_id] = encoding.decode_single_token_bytes(token_id)
        except KeyError:  # a hole
            continue
    for token_id in specials.values():
        by_id[token_id] = None
    return VocabularyParts(by_id, encoding.encode_ordinary, special_ids=specials)
