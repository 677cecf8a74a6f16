"""A completion cut into chunks: by token, by character, at random. The ids and the text of all chunks are the same."""

from __future__ import annotations

import codecs
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tokenspec.oracle.token_bytes import has_byte_fallback, piece_bytes

Piece = tuple[list[int], str]
Cutting = Callable[[Sequence[Piece]], list[Piece]]

LONGEST = 6
"""Tokens of the longest chunk at random."""


def pieces_of(vocabulary: Any, ids: Sequence[int]) -> list[Piece]:
    """Each id with the characters that it completes; half a character in front of a control token is U+FFFD."""
    added, fallback = vocabulary.get_added_vocab(), has_byte_fallback(vocabulary)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    found: list[Piece] = []
    for id_, piece in zip(ids, vocabulary.convert_ids_to_tokens(list(ids)), strict=True):
        is_added = piece in added
        before = decoder.decode(b"", final=True) if is_added else ""
        found.append(([id_], before + decoder.decode(piece_bytes(piece, added=is_added, byte_fallback=fallback))))
    if rest := decoder.decode(b"", final=True):
        found.append(([], rest))
    return found


def by_token(pieces: Sequence[Piece]) -> list[Piece]:
    """A chunk a token."""
    return list(pieces)


def by_character(pieces: Sequence[Piece]) -> list[Piece]:
    """A chunk a character; an id comes with the last character it has a part in, or with the next one."""
    found: list[Piece] = []
    waiting: list[int] = []
    for ids, text in pieces:
        waiting += ids
        for place, character in enumerate(text, 1):
            found.append((waiting if place == len(text) else [], character))
        if text:
            waiting = []
    return [*found, (waiting, "")] if waiting else found


def at_random(pieces: Sequence[Piece]) -> list[Piece]:
    """Runs of one to six tokens; the same for the same completion."""
    ids = [id_ for piece in pieces for id_ in piece[0]]
    source = random.Random(repr(ids))
    found: list[Piece] = []
    left = list(pieces)
    while left:
        count = source.randint(1, LONGEST)
        run, left = left[:count], left[count:]
        found.append(([id_ for ids, _ in run for id_ in ids], "".join(text for _, text in run)))
    return found


CUTTINGS: dict[str, Cutting] = {"by token": by_token, "by character": by_character, "at random": at_random}


def chunks(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Pieces as they stand in a request."""
    return [{"token_ids": ids, "text": text} for ids, text in pieces]
