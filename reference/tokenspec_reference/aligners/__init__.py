"""Aligners: which tokens of one tokenizer spell the same text as which tokens of another.

Read in this order: ``alignment`` (the records), ``boundary`` (the two-pointer walk), ``piece_table`` and
``roles`` (what a tokenizer spells), ``boundary_batch`` (the walk as tensors), ``canonical``, ``nw_scores``,
``nw_scalar``, ``nw_rows``, ``nw_anchors``, ``nw_postprocess``, ``nw_compat`` (NeMo-RL's algorithm), ``token_aligner``
(the front door), ``collate`` (texts to a batch), ``chat_bodies``, ``chat_transfer`` (conversations in two wire
formats), ``loss_utils``.
"""

from tokenspec_reference.aligners.alignment import (
    AlignmentBatch,
    AlignmentPair,
    drop_padding,
    pairs_to_batch,
    remap_pairs,
)
from tokenspec_reference.aligners.boundary import boundary_align
from tokenspec_reference.aligners.canonical import canonical_token, canonicalize_sequence
from tokenspec_reference.aligners.chat_transfer import Carried, ChatAligner, ChatAlignment, Unaligned, batch_of
from tokenspec_reference.aligners.collate import CrossTokenizerCollator
from tokenspec_reference.aligners.errors import (
    AlignmentInputError,
    IdOutOfVocabulary,
    ProjectionFileError,
    TextMismatch,
    UnsupportedTokenizer,
)
from tokenspec_reference.aligners.nw_compat import align_tokens
from tokenspec_reference.aligners.nw_rows import align_rows
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.nw_scores import Scores
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.aligners.token_aligner import TokenAligner

__all__ = [
    "AlignmentBatch",
    "AlignmentInputError",
    "AlignmentPair",
    "Carried",
    "ChatAligner",
    "ChatAlignment",
    "CrossTokenizerCollator",
    "IdOutOfVocabulary",
    "PieceTable",
    "ProjectionFileError",
    "Scores",
    "TextMismatch",
    "TokenAligner",
    "Unaligned",
    "UnsupportedTokenizer",
    "align_rows",
    "align_scalar",
    "align_tokens",
    "batch_of",
    "boundary_align",
    "canonical_token",
    "canonicalize_sequence",
    "drop_padding",
    "pairs_to_batch",
    "remap_pairs",
]
