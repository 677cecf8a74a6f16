"""Reads a tiktoken encoding, whose vocabulary is bytes already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tokenspec_reference.fast_forward.pipeline import ByPattern, Pipeline
from tokenspec_reference.fast_forward.split_pattern import UnreadPattern, read_split_pattern
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
    return VocabularyParts(by_id, encoding.encode_ordinary, special_ids=specials, pipeline=_pipeline(encoding, by_id))


def _pipeline(encoding: Any, by_id: Sequence[bytes | None]) -> Pipeline | str:
    """Words by the encoding's pattern; a word that has a rank is taken whole, others by merging the lowest rank."""
    id_of = {data: token_id for token_id, data in enumerate(by_id) if data}
    # followed by a byte that is part of no longer token, a word is no token, so merges decide
    within = set().union(*(data for data in id_of if len(data) > 1))
    apart = next((bytes((byte,)) for byte in range(255, -1, -1) if byte not in within), None)
    if apart is None or any(bytes((byte,)) not in id_of for byte in range(256)):
        return "whole words that no merge reaches cannot be told from others"
    try:
        pattern = read_split_pattern(encoding._pat_str, "fancy")  # noqa: SLF001 - it has no public name
    except UnreadPattern as error:
        return f"the split pattern: {error}"
    piece = encoding._encode_single_piece  # noqa: SLF001 - likewise

    def merged(data: bytes) -> list[int]:
        if not data:
            return []
        found: list[int] = piece(data) if data not in id_of else piece(data + apart)[:-1]
        return found

    return Pipeline((ByPattern.of(pattern, _matches()),), merged, id_of.get)


def _matches() -> Callable[[str, str], Sequence[bool]]:
    """Asks tiktoken's engine: a text that its pattern does not match has no tokens."""
    import tiktoken

    singles = {bytes((byte,)): byte for byte in range(256)}

    def matches(source: str, text: str) -> Sequence[bool]:
        asked = tiktoken.Encoding("one class", pat_str=source, mergeable_ranks=singles, special_tokens={})
        return [bool(asked.encode_ordinary(char)) for char in text]

    return matches
