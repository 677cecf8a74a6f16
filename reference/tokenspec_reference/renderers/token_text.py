"""Where each token lies in the text, computed from the bytes of the tokens.

A byte-level (or byte-fallback) vocabulary spells every token as known UTF-8 bytes, so the running sum of their numbers
places the tokens without any offsets from the tokenizer. That is exact, works for tokenizers that track no offsets, and
is checked: the bytes must be those of the (NFC-normalised) text, otherwise the caller falls back to the tokenizer's own
offsets.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CharSpans = list[tuple[int, int]]

_LEAD_BYTES = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))
_BYTE_TOKEN = re.compile(r"<0x[0-9A-Fa-f]{2}>")


@lru_cache(maxsize=1)
def byte_alphabet() -> dict[str, int]:
    """The 256 characters GPT-2 style vocabularies write bytes with, and the byte each stands for."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + k): byte for k, byte in enumerate(others)}


def is_byte_level(tokens: Iterable[str]) -> bool:
    """Whether all ordinary tokens are written in the byte alphabet."""
    alphabet = frozenset(byte_alphabet())
    return all(map(alphabet.issuperset, tokens))


def bytes_of_token(token: str, *, byte_level: bool) -> bytes:
    """Bytes an ordinary token stands for in a byte-level, else in a byte-fallback vocabulary."""
    if byte_level:
        alphabet = byte_alphabet()
        return bytes(alphabet[character] for character in token)
    if _BYTE_TOKEN.fullmatch(token):
        return bytes([int(token[3:5], 16)])
    return token.replace("▁", " ").encode()


class TokenBytes(dict[int, bytes]):
    """Bytes of text each id stands for, found when they are first asked for; no key for an id that is in no table."""

    def __init__(self, ordinary: Mapping[int, str], added: Mapping[int, str], *, byte_level: bool) -> None:
        """``ordinary`` maps ids to how the vocabulary spells them, ``added`` to their literal text."""
        super().__init__({i: text.encode() for i, text in added.items()})
        self._ordinary, self._byte_level = ordinary, byte_level

    def __missing__(self, token: int) -> bytes:
        """The bytes of an ordinary token."""
        found = self[token] = bytes_of_token(self._ordinary[token], byte_level=self._byte_level)
        return found


def byte_ends(data: bytes, token_ids: Sequence[int], token_bytes: Mapping[int, bytes]) -> list[int] | None:
    """Where each token ends in ``data``, behind a 0; None when the tokens spell other bytes."""
    try:
        pieces = list(map(token_bytes.__getitem__, token_ids))
    except KeyError:
        return None
    return list(accumulate(map(len, pieces), initial=0)) if b"".join(pieces) == data else None


def spans_from_bytes(text: str, token_ids: Sequence[int], token_bytes: Mapping[int, bytes]) -> CharSpans | None:
    """Character span of every token, or None when the tokens do not spell the text.

    A token that holds only part of a character's bytes spans that whole character.
    """
    data = text.encode()
    ends = byte_ends(data, token_ids, token_bytes)
    if ends is not None:
        return list(pairwise(ends)) if text.isascii() else _spans_in(data, ends)
    data = unicodedata.normalize("NFC", text).encode()
    ends = byte_ends(data, token_ids, token_bytes)
    return None if ends is None else _undo_normalisation(text, _spans_in(data, ends))


def _spans_in(data: bytes, ends: list[int]) -> CharSpans:
    """Turn byte ends, the first of them 0, into spans of the characters that the bytes spell."""
    characters = list(accumulate(data.translate(_LEAD_BYTES), initial=0))  # characters begun in data[:k]
    stops = itemgetter(*ends)(characters)[1:]
    firsts = [characters[start + 1] - 1 if start < end else characters[start] for start, end in pairwise(ends)]
    return list(zip(firsts, stops, strict=True))


@lru_cache(maxsize=1)
def _composing() -> frozenset[str]:
    """Characters that can join the one before them under NFC: combining marks and second halves of compositions."""
    second = set()
    for code in range(0x110000):
        character = chr(code)
        parts = unicodedata.decomposition(character)
        if unicodedata.combining(character):
            second.add(character)
        if parts and not parts.startswith("<"):
            second.update(chr(int(part, 16)) for part in parts.split()[1:])
    second.update(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))  # Hangul vowels and finals
    return frozenset(second)


def _undo_normalisation(text: str, spans: CharSpans) -> CharSpans:
    """Map spans of the NFC form back to the original text, cluster by cluster."""
    composing = _composing()
    starts = [k for k, character in enumerate(text) if k == 0 or character not in composing]
    before, after = [0], [0]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        cluster = text[start:end]
        form = unicodedata.normalize("NFC", cluster)
        same = len(form) if len(form) == len(cluster) else _alike(cluster, form)  # other orders keep their places
        before.extend(range(start + 1, start + same + 1))
        after.extend(range(after[-1] + 1, after[-1] + same + 1))
        if len(form) != len(cluster):
            before.append(end)
            after.append(after[-1] + len(form) - same)
    return [(_floor(after, before, start), _ceil(after, before, end)) for start, end in spans]


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _floor(after: list[int], before: list[int], position: int) -> int:
    return before[bisect_right(after, position) - 1]


def _ceil(after: list[int], before: list[int], position: int) -> int:
    k = bisect_right(after, position) - 1
    return before[k] if after[k] == position else before[k + 1]


def spans_from_offsets(offsets: Any, length: int) -> CharSpans:
    """Offsets of a tokenizer as plain, clipped spans."""
    return [(min(int(start), length), min(int(end), length)) for start, end in offsets]
