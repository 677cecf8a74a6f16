"""Where each token lies in the text, computed from the bytes of the tokens.

A byte-level (or byte-fallback) vocabulary spells every token as a known number of UTF-8 bytes, so the running sum of
those numbers places the tokens without any offsets from the tokenizer. That is exact, works for tokenizers that track
no offsets, and is checked: the sum must equal the length of the (NFC-normalised) text, otherwise the caller falls back
to the tokenizer's own offsets.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
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
    return token.replace("▁", " ").encode("utf-8", "replace")


def token_byte_lengths(vocabulary: Mapping[str, int], added: Mapping[int, str]) -> dict[int, int] | None:
    """Bytes of text each id stands for, or None when the vocabulary spells tokens in no known way.

    ``added`` maps the ids of added tokens to their literal text.
    """
    ordinary = {token: i for token, i in vocabulary.items() if i not in added}
    if is_byte_level(ordinary):
        lengths = {i: len(token) for token, i in ordinary.items()}
    elif any("▁" in token for token in ordinary):
        lengths = {
            i: 1 if _BYTE_TOKEN.fullmatch(token) else len(token.replace("▁", " ").encode("utf-8", "replace"))
            for token, i in ordinary.items()
        }
    else:
        return None
    lengths.update({i: len(text.encode("utf-8")) for i, text in added.items()})
    return lengths


def spans_from_bytes(text: str, token_ids: Sequence[int], lengths: Mapping[int, int]) -> CharSpans | None:
    """Character span of every token, or None when the token bytes do not add up to the text.

    A token that holds only part of a character's bytes spans that whole character.
    """
    try:
        ends = list(accumulate(map(lengths.__getitem__, token_ids)))
    except KeyError:
        return None
    total = ends[-1] if ends else 0
    if text.isascii():
        return None if total != len(text) else list(zip([0, *ends], ends, strict=False))
    normalised = text if unicodedata.is_normalized("NFC", text) else None
    if normalised is not None or total == len(text.encode()):
        return _spans_in(text, ends)
    normalised = unicodedata.normalize("NFC", text)
    spans = _spans_in(normalised, ends)
    return spans and _undo_normalisation(text, spans)


def _spans_in(text: str, ends: list[int]) -> CharSpans | None:
    """Turn byte ends into character spans of ``text``."""
    data = text.encode("utf-8")
    if (ends[-1] if ends else 0) != len(data):
        return None
    characters = list(accumulate(data.translate(_LEAD_BYTES), initial=0))  # characters begun in data[:k]
    if not ends:
        return []
    stops = itemgetter(*ends, 0)(characters)[:-1]
    firsts = [characters[start + 1] - 1 if start < end else characters[start] for start, end in zip([0, *ends], ends)]  # noqa: B905
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
        if form == cluster:
            before.extend(range(start + 1, end + 1))
            after.extend(range(after[-1] + 1, after[-1] + 1 + len(form)))
        else:
            before.append(end)
            after.append(after[-1] + len(form))
    return [(_floor(after, before, start), _ceil(after, before, end)) for start, end in spans]


def _floor(after: list[int], before: list[int], position: int) -> int:
    return before[bisect_right(after, position) - 1]


def _ceil(after: list[int], before: list[int], position: int) -> int:
    k = bisect_right(after, position) - 1
    return before[k] if after[k] == position else before[k + 1]


def spans_from_offsets(offsets: Any, length: int) -> CharSpans:
    """Offsets of a tokenizer as plain, clipped spans."""
    return [(min(int(start), length), min(int(end), length)) for start, end in offsets]
