"""Repairs that ``nw-compat`` makes after the dynamic programme (``ALN-035``).

Step 1 lumps runs of mismatched pairs, except in the last fifth of the pairs. Step 2 looks forward from each remaining
mismatch for the smallest window of 2..10 pairs whose texts agree, and aligns that window again.
Source: NeMo-RL x_token, ``_post_process_alignment``, ``_combine_consecutive_misaligned``, ``_flatten_chunk``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec_reference.aligners.alignment import AlignmentPair, Range
from tokenspec_reference.aligners.canonical import canonical_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokenspec_reference.aligners.nw_anchors import Kernel

END_MISMATCH_THRESHOLD = 0.2
REPAIR_WINDOW = 10

Pairs = list[AlignmentPair[str]]


def canonical_text(tokens: Iterable[str]) -> str:
    """Concatenated canonical spellings; tokens that are already canonical are canonicalised a second time."""
    return "".join(canonical_token(token) for token in tokens)


def texts_agree(pair: AlignmentPair[str]) -> bool:
    """The comparison behind every mismatch test and behind ``is_correct`` (``ALN-037``)."""
    return canonical_text(pair.s_tokens) == canonical_text(pair.t_tokens)


def post_process(
    pairs: Sequence[AlignmentPair[str]],
    kernel: Kernel,
    *,
    end_mismatch_threshold: float = END_MISMATCH_THRESHOLD,
) -> Pairs:
    """Both repair steps; indices stay in canonical space."""
    combined = combine_consecutive_misaligned(pairs, end_mismatch_threshold)
    agrees = [texts_agree(pair) for pair in combined]
    repaired: Pairs = []
    i = 0
    while i < len(combined):
        split = split_identical(combined[i])
        if split is not None:  # looked at only where the cursor stops, as upstream
            repaired += split
            i += 1
            continue
        bad = next((index for index in range(i, len(combined)) if not agrees[index]), len(combined))
        repaired += combined[i:bad]
        if bad == len(combined):
            break
        replacement, used = _repair(combined[bad : bad + REPAIR_WINDOW], kernel)
        repaired += replacement
        i = bad + used
    return repaired


def split_identical(pair: AlignmentPair[str]) -> Pairs | None:
    """1-1 pairs if both sides hold the same list of at least two tokens, else None."""
    if len(pair.s_tokens) < 2 or pair.s_tokens != pair.t_tokens:
        return None
    s, t = pair.s_start, pair.t_start
    return [
        AlignmentPair([a], [b], s + x, s + x + 1, t + x, t + x + 1)
        for x, (a, b) in enumerate(zip(pair.s_tokens, pair.t_tokens, strict=True))
    ]


def _repair(window: Pairs, kernel: Kernel) -> tuple[Pairs, int]:
    """Replacement for the smallest agreeing window that starts here, and how many pairs it replaces."""
    for size in range(2, len(window) + 1):
        chunk = merge_pairs(window[:size])
        if not texts_agree(chunk):
            continue
        inner, _ = kernel(chunk.s_tokens, chunk.t_tokens)
        if all(texts_agree(pair) for pair in inner):
            return [pair.shifted(chunk.s_start, chunk.t_start) for pair in inner], size
        return [chunk], size
    return window[:1], 1


def combine_consecutive_misaligned(pairs: Sequence[AlignmentPair[str]], end_mismatch_threshold: float) -> Pairs:
    """One pair for every run of at least two mismatches before the last fifth; their texts are not compared."""
    if len(pairs) < 2:
        return list(pairs)
    boundary = int(len(pairs) * (1 - end_mismatch_threshold))
    combined: Pairs = []
    i = 0
    while i < len(pairs):
        end = i
        while end < boundary and not texts_agree(pairs[end]):
            end += 1
        if end - i >= 2:
            combined.append(merge_pairs(pairs[i:end]))
            i = end
        else:
            combined.append(pairs[i])
            i += 1
    return combined


def merge_pairs(pairs: Sequence[AlignmentPair[str]]) -> AlignmentPair[str]:
    """Concatenated tokens, and the hull of the ranges of the members that have that side."""
    s_start, s_end = _hull([pair.student for pair in pairs if pair.s_tokens])
    t_start, t_end = _hull([pair.teacher for pair in pairs if pair.t_tokens])
    s_tokens = [token for pair in pairs for token in pair.s_tokens]
    t_tokens = [token for pair in pairs for token in pair.t_tokens]
    return AlignmentPair(s_tokens, t_tokens, s_start, s_end, t_start, t_end)


def _hull(spans: Sequence[Range]) -> Range:
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (-1, -1)
