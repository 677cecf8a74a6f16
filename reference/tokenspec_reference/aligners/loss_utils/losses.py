"""The three cross-tokenizer distillation losses over chunks (``ALN-055`` to ``ALN-057``).

``p-kl`` projects student probabilities into the teacher's vocabulary and compares chunk averages there. ``gold``
compares tokens that exist on both sides by KL and the sorted rest by L1. ``xtoken`` is ``gold`` with the relaxed map.
Chunk ids are shifted by one, because logits at t predict token t + 1. Source: NeMo-RL x_token, loss on one device.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, get_args

import torch

from tokenspec_reference.aligners.devices import require_device_of
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.blocks import Compare, chunk_sums
from tokenspec_reference.aligners.loss_utils.chunks import (
    EPSILON,
    ChunkMembers,
    members_of_chunks,
    require_pairs,
    shift_next,
    valid_chunk_mask,
)
from tokenspec_reference.aligners.loss_utils.exact_map import ExactTokenMap, build_exact_token_map
from tokenspec_reference.aligners.loss_utils.next_token import divergence
from tokenspec_reference.aligners.loss_utils.options import LossOptions, LossTerms, Mode
from tokenspec_reference.aligners.loss_utils.projection import (
    get_sparse_projection_matrix,
    project_student_to_teacher_vocab,
    select_teacher_topk_indices,
    slice_sparse_projection_cols,
)
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks

if TYPE_CHECKING:
    from os import PathLike

    from tokenspec_reference.aligners.alignment import AlignmentBatch

Compared = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def cross_tokenizer_loss(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    alignment: AlignmentBatch,
    *,
    mode: Mode,
    projection_matrix_path: str | PathLike[str],
    teacher_vocab_size: int,
    options: LossOptions | None = None,
    sample_mask: torch.Tensor | None = None,
    ranks: Ranks = ALONE,
) -> LossTerms:
    """Loss of student logits ``[B, T_s, V_s]`` against teacher logits ``[B, T_t, V_t]``.

    A mean over valid chunks, times the squared temperature.
    Both logits are on one device; the alignment and masks may be elsewhere.
    ``teacher_vocab_size`` cuts off padded teacher columns. ``sample_mask`` ``[B]``: 0 leaves a row out; in ``p-kl``
    other values weigh its chunks, each of which counts as one, as upstream. Without a valid chunk the loss is 0.
    ``ranks``: what the ranks of a parallel run exchange.

    Raises:
        AlignmentInputError: unknown mode, an option out of range, mismatched or empty shapes, two devices.
        ProjectionFileError: a bad file.
    """
    options = options or LossOptions()
    student_logits = ranks.vocabulary_gather(student_logits)
    _require(student_logits, teacher_logits, alignment, mode, options, sample_mask)
    if teacher_vocab_size < 1:
        raise AlignmentInputError(f"must be at least 1, is {teacher_vocab_size}", field="teacher_vocab_size")
    require_device_of(student_logits, teacher_logits=teacher_logits)
    alignment = alignment.to(student_logits.device)
    teacher = teacher_logits[..., :teacher_vocab_size]
    rows = torch.ones(len(student_logits)) if sample_mask is None else sample_mask
    device = student_logits.device
    if mode == "p-kl":
        matrix = get_sparse_projection_matrix(
            projection_matrix_path,
            device,
            student_vocab_size=student_logits.shape[-1],
            teacher_vocab_size=teacher.shape[-1],
        )
        _require_columns(student_logits, matrix.shape[0])
        return projection_kl_loss(student_logits, teacher, alignment, matrix, options, rows.to(device), ranks)
    token_map = build_exact_token_map(
        projection_matrix_path, device, xtoken_loss=mode == "xtoken", teacher_vocab_size=teacher.shape[-1]
    )
    rows_of_file = token_map["common_student"].numel() + token_map["uncommon_student"].numel()
    _require_columns(student_logits, rows_of_file)
    return gold_loss(student_logits, teacher, alignment, token_map, options, rows.to(device), ranks)


def projection_kl_loss(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    alignment: AlignmentBatch,
    matrix: torch.Tensor,
    options: LossOptions,
    sample_mask: torch.Tensor,
    ranks: Ranks = ALONE,
) -> LossTerms:
    """P-KL: chunk means of projected probabilities (renormalised) against chunk means of teacher log-probabilities."""
    columns = select_teacher_topk_indices(teacher_logits, options.vocab_topk, ranks)
    narrow = slice_sparse_projection_cols(matrix, columns)

    def compare(logits: torch.Tensor, ours: ChunkMembers, theirs: ChunkMembers) -> Compared:
        probabilities = torch.softmax(logits / options.temperature, -1)
        student = ours.means(project_student_to_teacher_vocab(probabilities[None], narrow)[0])
        student = student / (student.sum(-1, keepdim=True) + EPSILON)
        chosen = _rows(teacher_logits, theirs, columns)
        teacher = theirs.means(torch.log_softmax(chosen / options.temperature, -1))
        kl = divergence((student + EPSILON).log(), teacher, reverse=options.reverse_kl)
        return kl, torch.zeros_like(kl), (student.argmax(-1) == teacher.argmax(-1)).float()

    pair_valid = alignment.pair_valid
    if options.exact_token_match_only:
        pair_valid = pair_valid & alignment.pair_is_correct
    weights = sample_mask[:, None].expand(pair_valid.shape)
    return _terms(student_logits, alignment, pair_valid, compare, options, sample_mask, ranks, weights)


def gold_loss(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    alignment: AlignmentBatch,
    token_map: ExactTokenMap,
    options: LossOptions,
    sample_mask: torch.Tensor,
    ranks: Ranks = ALONE,
) -> LossTerms:
    """KL over tokens of both vocabularies (not renormalised) plus L1 over the sorted remaining probabilities."""

    def compare(logits: torch.Tensor, ours: ChunkMembers, theirs: ChunkMembers) -> Compared:
        student = ours.means(torch.log_softmax(logits / options.temperature, -1))
        teacher = theirs.means(torch.log_softmax(_rows(teacher_logits, theirs) / options.temperature, -1))
        s_common, t_common = student[..., token_map["common_student"]], teacher[..., token_map["common_teacher"]]
        kl = divergence(s_common, t_common, reverse=options.reverse_kl)
        l1 = _sorted_distance(
            student[..., token_map["uncommon_student"]].exp(),
            teacher[..., token_map["uncommon_teacher"]].exp(),
            options.uncommon_topk,
        )
        same = s_common.argmax(-1) == t_common.argmax(-1) if s_common.shape[-1] else torch.zeros_like(kl)
        return kl, l1, same.float()

    return _terms(student_logits, alignment, alignment.pair_valid, compare, options, sample_mask, ranks)


def _terms(
    student_logits: torch.Tensor,
    alignment: AlignmentBatch,
    pair_valid: torch.Tensor,
    compare: Compare,
    options: LossOptions,
    sample_mask: torch.Tensor,
    ranks: Ranks,
    weights: torch.Tensor | None = None,
) -> LossTerms:
    """Means over the valid chunks of all ranks, 0 if there is none; ``weights`` ``[B, C]`` of their divergence."""
    ours, theirs = _members(alignment, ranks)
    valid = valid_chunk_mask(ours.all_sizes, theirs.all_sizes, pair_valid) & sample_mask.bool()[:, None]
    total, sums = chunk_sums(student_logits, ours, theirs, valid, compare, weights=weights, in_blocks=options.in_blocks)
    count = ranks.data_sum(valid.sum()).clamp(min=1)
    kl, l1, top1 = sums / count
    return LossTerms(total / count * options.temperature**2, kl, l1, valid.sum(), top1)


def _members(alignment: AlignmentBatch, ranks: Ranks) -> tuple[ChunkMembers, ChunkMembers]:
    """Of the student and the teacher: the positions whose logits predict a token of a chunk."""
    width = alignment.pair_valid.shape[1]
    ids = (alignment.student_chunk_id, alignment.teacher_chunk_id)
    ours, theirs = (members_of_chunks(shift_next(side, ranks), width, ranks) for side in ids)
    return ours, theirs


def _rows(logits: torch.Tensor, members: ChunkMembers, columns: torch.Tensor | None = None) -> torch.Tensor:
    """The logits ``[N, V]`` of the members, in float32: others are not computed with, whatever stands there."""
    rows = logits.flatten(0, 1)[members.positions]
    return (rows if columns is None else rows[:, columns]).float()


def _sorted_distance(student: torch.Tensor, teacher: torch.Tensor, limit: int) -> torch.Tensor:
    """L1 between the largest probabilities of both sides, ranked."""
    k = min(student.shape[-1], teacher.shape[-1], limit)
    return (student.topk(k, -1).values - teacher.topk(k, -1).values).abs().sum(-1)


def _require_columns(student_logits: torch.Tensor, rows: int) -> None:
    if student_logits.shape[-1] < rows:
        raise AlignmentInputError(
            f"has {student_logits.shape[-1]} columns; the projection file knows {rows} student tokens",
            field="student_logits",
        )


def _require(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    alignment: AlignmentBatch,
    mode: str,
    options: LossOptions,
    sample_mask: torch.Tensor | None,
) -> None:
    if mode not in get_args(Mode):
        raise AlignmentInputError(f"{mode!r} is none of {', '.join(get_args(Mode))}", field="mode")
    if not (isfinite(options.temperature) and options.temperature > 0):
        raise AlignmentInputError(f"must be positive and finite, is {options.temperature}", field="temperature")
    for name, columns in (("vocab_topk", options.vocab_topk), ("uncommon_topk", options.uncommon_topk)):
        if columns < 1:
            raise AlignmentInputError(f"must be at least 1, is {columns}", field=name)
    if sample_mask is not None and sample_mask.shape != student_logits.shape[:1]:
        raise AlignmentInputError(
            f"has shape {tuple(sample_mask.shape)}; one entry a row is needed, {len(student_logits)}",
            field="sample_mask",
        )
    for side, logits, chunk_id in (
        ("student", student_logits, alignment.student_chunk_id),
        ("teacher", teacher_logits, alignment.teacher_chunk_id),
    ):
        if logits.dim() != 3 or logits.shape[:2] != chunk_id.shape:
            raise AlignmentInputError(
                f"has shape {tuple(logits.shape)}; the alignment was made for {tuple(chunk_id.shape)} tokens",
                field=f"{side}_logits",
            )
        if not logits.numel():
            raise AlignmentInputError(f"has shape {tuple(logits.shape)}: nothing to compare", field=f"{side}_logits")
    require_pairs(alignment)
