"""A completion cut into chunks: by token, by character, at random. The ids and the text of all chunks are the same."""

from __future__ import annotations

import codecs
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tokenspec.oracle.token_bytes import has_byte_fallback, piece_bytes

LONGEST = 6
"""Tokens of the longest chunk at random."""


class Piece(NamedTuple):
    """Ids that came with some characters. ``whole``: no detokenizer cuts them, they are a control token's."""

    ids: list[int]
    text: str
    whole: bool = False


Cutting = Callable[[Sequence[Piece]], list[Piece]]


def pieces_of(vocabulary: Any, ids: Sequence[int]) -> list[Piece]:
    """Each id with the characters that it completes; half a character that nothing completes is U+FFFD."""
    added, fallback = vocabulary.get_added_vocab(), has_byte_fallback(vocabulary)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    found: list[Piece] = []
    for id_, piece in zip(ids, vocabulary.convert_ids_to_tokens(list(ids)), strict=True):
        is_added = piece in added
        if is_added and (half := decoder.decode(b"", final=True)):
            found.append(Piece([], half))
        text = decoder.decode(piece_bytes(piece, added=is_added, byte_fallback=fallback))
        found.append(Piece([id_], text, whole=is_added))
    if half := decoder.decode(b"", final=True):
        found.append(Piece([], half))
    return found


def by_token(pieces: Sequence[Piece]) -> list[Piece]:
    """A chunk a token."""
    return list(pieces)


def by_character(pieces: Sequence[Piece]) -> list[Piece]:
    """A chunk a character, or a control token; an id comes with the last character it has a part in."""
    found: list[Piece] = []
    waiting: list[int] = []
    for ids, text, whole in pieces:
        waiting += ids
        *others, last = [text] if whole else list(text) or [""]
        found += [Piece([], character) for character in others]
        if last:
            found.append(Piece(waiting, last))
            waiting = []
    return [*found, Piece(waiting, "")] if waiting else found


def at_random(pieces: Sequence[Piece]) -> list[Piece]:
    """Runs of one to six tokens; the same for the same completion."""
    source = random.Random(repr([piece.ids for piece in pieces]))
    found: list[Piece] = []
    left = list(pieces)
    while left:
        count = source.randint(1, LONGEST)
        run, left = left[:count], left[count:]
        found.append(Piece([id_ for piece in run for id_ in piece.ids], "".join(piece.text for piece in run)))
    return found


CUTTINGS: dict[str, Cutting] = {"by token": by_token, "by character": by_character, "at random": at_random}


def chunks(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Pieces as they stand in a request."""
    return [{"token_ids": piece.ids, "text": piece.text} for piece in pieces]
