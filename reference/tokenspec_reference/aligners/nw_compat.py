"""``nw-compat``: the seed's alignment of two lists of vocabulary pieces, bit for bit.

canonicalise -> anchors -> dynamic programme between anchors -> repairs -> original indices -> ``is_correct``.
Source: the seed's ``_align_single``. No text, no offsets, no special-token list is used; padding is aligned like text.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tokenspec_reference.aligners.alignment import AlignmentPair, remap_pairs
from tokenspec_reference.aligners.canonical import canonicalize_sequence
from tokenspec_reference.aligners.nw_anchors import align_with_anchors
from tokenspec_reference.aligners.nw_postprocess import post_process, texts_agree
from tokenspec_reference.aligners.nw_rows import align_sequences
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch


def align_tokens(
    student: Sequence[str],
    teacher: Sequence[str],
    *,
    max_comb_len: int = 4,
    anchor_lengths: Sequence[int] = (3,),
    device: torch.device | str = "cpu",
    scalar: bool = False,
    scores: Scores = DEFAULT_SCORES,
) -> list[AlignmentPair[str]]:
    """Pairs in text order with original indices; their tokens are canonical spellings, as upstream.

    ``scalar=True`` runs the readable twin, which gives the same pairs. Repairs never ignore a leading character, as
    upstream.
    """
    chosen = partial(align_scalar) if scalar else partial(align_sequences, device=device)
    kernel = partial(chosen, max_comb_len=max_comb_len, scores=scores)
    repairing = partial(kernel, scores=replace(scores, ignore_leading_char_diff=False))
    s_canonical, s_ranges = canonicalize_sequence(student)
    t_canonical, t_ranges = canonicalize_sequence(teacher)
    pairs, _ = align_with_anchors(s_canonical, t_canonical, kernel, anchor_lengths=anchor_lengths)
    pairs = remap_pairs(post_process(pairs, repairing), s_ranges, t_ranges)
    return [replace(pair, is_correct=texts_agree(pair)) for pair in pairs]
