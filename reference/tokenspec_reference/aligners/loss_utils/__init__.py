"""Consumers of an alignment: chunk averages, vocabulary projections, and the three distillation losses.

``chunks`` (averages over chunks), ``projection`` (projection files and matrices), ``build_projection`` (where they come
from: ``build_projection.exact(s, t).save(path)``), ``exact_map`` (tokens that mean the same on both sides), ``losses``
(P-KL, gold, xtoken), ``next_token`` (the student's own loss, teachers of its tokenizer), ``teachers`` and
``distillation`` (a whole step), ``ranks`` (what a parallel run exchanges), ``uld``, ``alm``, ``dual_space`` (losses of
the literature, over the tokens that were ``written``). Source: ``x_token.loss_utils`` and the
cross-tokenizer loss of NeMo-RL (x_token).
"""

from tokenspec_reference.aligners.loss_utils import build_projection
from tokenspec_reference.aligners.loss_utils.alm import AlmOptions, AlmTerms, alm_loss
from tokenspec_reference.aligners.loss_utils.build_projection import Projection
from tokenspec_reference.aligners.loss_utils.chunks import (
    alignment_from_flat_batch,
    chunk_average_finalize,
    chunk_average_log_probs,
    chunk_log_prob_sums,
    shift_next,
    valid_chunk_mask,
)
from tokenspec_reference.aligners.loss_utils.distillation import (
    DistillationOptions,
    DistillationTerms,
    distillation_loss,
)
from tokenspec_reference.aligners.loss_utils.dual_space import DualSpaceTerms, Projections, Space, dual_space_loss
from tokenspec_reference.aligners.loss_utils.exact_map import ExactTokenMap, build_exact_token_map
from tokenspec_reference.aligners.loss_utils.losses import cross_tokenizer_loss, gold_loss, projection_kl_loss
from tokenspec_reference.aligners.loss_utils.next_token import (
    next_token_accuracy,
    next_token_cross_entropy,
    next_tokens,
    same_tokenizer_kl,
)
from tokenspec_reference.aligners.loss_utils.options import LossOptions, LossTerms
from tokenspec_reference.aligners.loss_utils.projection import (
    get_sparse_projection_matrix,
    get_topk_projection,
    parse_projection_file,
    project_student_to_teacher_vocab,
    select_teacher_topk_indices,
    slice_sparse_projection_cols,
    slice_sparse_projection_rows,
)
from tokenspec_reference.aligners.loss_utils.ranks import Ranks
from tokenspec_reference.aligners.loss_utils.teachers import Teacher
from tokenspec_reference.aligners.loss_utils.uld import UldOptions, UldTerms, uld_loss

__all__ = [
    "AlmOptions",
    "AlmTerms",
    "DistillationOptions",
    "DistillationTerms",
    "DualSpaceTerms",
    "ExactTokenMap",
    "LossOptions",
    "LossTerms",
    "Projection",
    "Projections",
    "Ranks",
    "Space",
    "Teacher",
    "UldOptions",
    "UldTerms",
    "alignment_from_flat_batch",
    "alm_loss",
    "build_exact_token_map",
    "build_projection",
    "chunk_average_finalize",
    "chunk_average_log_probs",
    "chunk_log_prob_sums",
    "cross_tokenizer_loss",
    "distillation_loss",
    "dual_space_loss",
    "get_sparse_projection_matrix",
    "get_topk_projection",
    "gold_loss",
    "next_token_accuracy",
    "next_token_cross_entropy",
    "next_tokens",
    "parse_projection_file",
    "project_student_to_teacher_vocab",
    "projection_kl_loss",
    "same_tokenizer_kl",
    "select_teacher_topk_indices",
    "shift_next",
    "slice_sparse_projection_cols",
    "slice_sparse_projection_rows",
    "uld_loss",
    "valid_chunk_mask",
]
