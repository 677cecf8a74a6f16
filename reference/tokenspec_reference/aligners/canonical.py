"""Canonical token spellings of ``nw-compat`` and the ranges that lead back to the original tokens.

``canonicalize_sequence`` = join known two-token artefacts, canonicalise each token, join runs of byte-like tokens.
Source: NeMo-RL x_token, ``canonical_token``, ``_canonicalize_sequence``, ``_merge_encoding_artifacts``,
``_merge_consecutive_bytes``, ``_try_merge_byte_buffer`` and ``_get_byte_value``.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from tokenspec_reference.aligners.canonical_tables import (
    NEWLINE,
    SPACE,
    SPECIAL_TOKENS,
    TAB,
    TWO_TOKEN_FIXES,
    UNICODE_FIXES,
    VISUAL_BYTES,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec_reference.aligners.alignment import Range


def canonical_token(token: str, *, enabled: bool = True) -> str:
    """One vocabulary piece in canonical spelling (``ALN-030``). Not idempotent, as upstream."""
    if not enabled or not token:
        return token
    if token[0] in " _\u2581":
        token = SPACE + token[1:]
    token = _canonical_newline(token)
    if token in (SPACE + ",", SPACE + ".", SPACE + ";", SPACE + ":"):
        token = token[1]
    byte = _byte_fallback(token)
    if byte is not None:
        return chr(byte)
    for broken, fixed in UNICODE_FIXES:
        token = token.replace(broken, fixed)
    return SPECIAL_TOKENS.get(token, token)


def _canonical_newline(token: str) -> str:
    if token in (TAB, SPACE + "\n"):
        return "\n"
    if NEWLINE in token:
        return token.replace(NEWLINE, "\n")
    return token.replace("\\n", "\n")


def _byte_fallback(token: str) -> int | None:
    if len(token) != 6 or not token.startswith("<0x") or not token.endswith(">"):
        return None
    try:
        value = int(token[3:5], 16)
    except ValueError:
        return None
    return value if value >= 0 else None


def canonicalize_sequence(tokens: Sequence[str]) -> tuple[list[str], list[Range]]:
    """Canonical tokens, and for each the half-open range of original tokens it stands for.

    The ranges are non-empty, strictly increasing, and their concatenation is ``range(len(tokens))`` (``ALN-032``).
    """
    joined, ranges = merge_encoding_artifacts(tokens)
    return merge_consecutive_bytes([canonical_token(token) for token in joined], ranges)


def merge_encoding_artifacts(tokens: Sequence[str]) -> tuple[list[str], list[Range]]:
    """Join the two-token patterns of ``TWO_TOKEN_FIXES``, left to right, first pattern wins."""
    fixes = dict(TWO_TOKEN_FIXES)
    result: list[str] = []
    ranges: list[Range] = []
    start = 0
    while start < len(tokens):
        fixed = fixes.get((tokens[start], tokens[start + 1])) if start + 1 < len(tokens) else None
        end = start + (1 if fixed is None else 2)
        result.append(tokens[start] if fixed is None else fixed)
        ranges.append((start, end))
        start = end
    return result, ranges


def byte_value(character: str) -> int | None:
    """The byte a character is taken for: its code point below 256, else the (wrong) visual byte table."""
    if len(character) != 1:
        return None
    return ord(character) if ord(character) < 256 else VISUAL_BYTES.get(character)


def merge_consecutive_bytes(tokens: Sequence[str], ranges: Sequence[Range]) -> tuple[list[str], list[Range]]:
    """Replace each maximal run of byte-like tokens by one character if the whole run spells exactly one.

    Byte-like: non-empty after stripping space marks, and every character has a byte value; so every ASCII word is
    byte-like and prevents the merge of its neighbours (``ALN-032``).
    """
    result: list[str] = []
    result_ranges: list[Range] = []
    for byte_like, group in groupby(zip(tokens, ranges, strict=True), key=lambda item: _is_byte_like(item[0])):
        run = list(group)
        character = decode_run([token for token, _ in run]) if byte_like else None
        if character is None:
            result += [token for token, _ in run]
            result_ranges += [span for _, span in run]
        else:
            result.append(character)
            result_ranges.append((run[0][1][0], run[-1][1][1]))
    return result, result_ranges


def _is_byte_like(token: str) -> bool:
    stripped = token.lstrip(SPACE)
    return bool(stripped) and all(byte_value(character) is not None for character in stripped)


def decode_run(tokens: Sequence[str]) -> str | None:
    """The one non-ASCII character that 2 to 4 bytes spell, with the first token's space mark; else None."""
    values = [byte_value(character) for token in tokens for character in token.lstrip(SPACE)]
    raw = bytes(value for value in values if value is not None)
    if not 2 <= len(raw) <= 4:
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    if len(text) != 1:
        return None
    return (SPACE if tokens[0].startswith(SPACE) else "") + text
