"""Where each token lies in the text, from the bytes of the tokens alone.

Offsets of the tokenizer are not asked first: a byte-level post-processor with ``trim_offsets`` hides a token's leading
space, and then the first-character rule would look at the wrong character.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any


@lru_cache(maxsize=1)
def byte_level_alphabet() -> dict[str, int]:
    """The byte-to-character table of byte-level BPE, inverted: printable Latin-1 is itself, the rest lies above 255."""
    printable = [
        *range(ord("!"), ord("~") + 1),
        *range(ord("¡"), ord("¬") + 1),
        *range(ord("®"), ord("ÿ") + 1),
    ]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + rank): byte for rank, byte in enumerate(others)}


def has_byte_fallback(tokenizer: Any) -> bool:
    """Whether the vocabulary spells unknown characters as ``<0x0A>`` (SentencePiece), rather than byte by byte."""
    return tokenizer.convert_tokens_to_ids("<0x0A>") not in (None, tokenizer.unk_token_id)


def piece_bytes(piece: str, *, added: bool, byte_fallback: bool) -> bytes:
    """The bytes one vocabulary entry stands for: added tokens literally; ``<0x0A>``, byte-level or Metaspace pieces."""
    if added:
        return piece.encode("utf-8")
    if byte_fallback:
        if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            return bytes([int(piece[3:5], 16)])
        return piece.replace("▁", " ").encode("utf-8")
    table = byte_level_alphabet()
    if all(character in table for character in piece):
        return bytes(table[character] for character in piece)
    return piece.encode("utf-8")


def token_starts(tokenizer: Any, ids: list[int], text: str) -> list[int] | None:
    """The index of the character in which each token's first byte lies, or None when the tokens do not spell ``text``.

    A normaliser that changes the text (NFC) makes tokens spell another text; then the tokenizer's own offsets are used
    if re-encoding gives these very ids.
    """
    pieces = _pieces(tokenizer, ids)
    if pieces is None:
        return None
    if b"".join(pieces) == text.encode("utf-8"):
        return [start for start, _ in _ranges(pieces, text)]
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    if list(encoded["input_ids"]) != list(ids):
        return None
    return [start for start, _ in encoded["offset_mapping"]]


def token_ranges(tokenizer: Any, ids: list[int], text: str) -> list[tuple[int, int]] | None:
    """The characters that hold bytes of each token, half-open; None when the tokens do not spell ``text``."""
    pieces = _pieces(tokenizer, ids)
    if pieces is None or b"".join(pieces) != text.encode("utf-8"):
        return None
    return _ranges(pieces, text)


def _pieces(tokenizer: Any, ids: list[int]) -> list[bytes] | None:
    """The bytes of each token; None where the vocabulary does not have one of the ids."""
    added = tokenizer.get_added_vocab()
    fallback = has_byte_fallback(tokenizer)
    if not all(0 <= id_ < 2**32 for id_ in ids):
        return None
    names = tokenizer.convert_ids_to_tokens(ids)
    if None in names:
        return None
    return [piece_bytes(piece, added=piece in added, byte_fallback=fallback) for piece in names]


def _ranges(pieces: Sequence[bytes], text: str) -> list[tuple[int, int]]:
    """The characters that hold bytes of each piece of the text; no bytes lie where they would begin."""
    character_of = [index for index, character in enumerate(text) for _ in character.encode("utf-8")]
    begun = [*character_of, len(text)]
    ends = list(accumulate(map(len, pieces)))
    return [
        (begun[end - len(piece)], begun[end - 1] + 1 if piece else begun[end])
        for piece, end in zip(pieces, ends, strict=True)
    ]
