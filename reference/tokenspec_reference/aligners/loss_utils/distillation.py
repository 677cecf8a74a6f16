"""A whole distillation step: one student, any number of teachers, the student's own loss (``ALN-070`` to ``ALN-076``).

``sum`` adds the teachers' losses by weight; ``averaged_logits`` makes one teacher of several that share the student's
tokenizer; ``select_teacher`` takes the one that predicts its own tokens best. Source: NeMo-RL x_token, loss function.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import torch

from tokenspec_reference.aligners.devices import require_device_of
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.losses import cross_tokenizer_loss
from tokenspec_reference.aligners.loss_utils.next_token import (
    mean_over,
    next_token_accuracy,
    next_token_cross_entropy,
    next_tokens,
    same_tokenizer_kl,
)
from tokenspec_reference.aligners.loss_utils.options import LossOptions, Mode
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks
from tokenspec_reference.aligners.loss_utils.teachers import (
    Metric,
    Teacher,
    Tokens,
    best_teacher,
    teacher_weights,
    vocabulary_scales,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_LOSS = LossOptions()
TeacherMode = Literal["sum", "averaged_logits", "select_teacher"]


@dataclass(frozen=True)
class DistillationOptions:
    """How teachers are put together, and their loss with the student's own.

    ``mode``: the loss of a teacher with another tokenizer. ``teacher_mode``: see the module. ``kl_loss_weight`` and
    ``ce_loss_scale`` weigh the teachers and the next-token cross-entropy; with ``dynamic_loss_scaling`` the teachers'
    loss is brought to the size of the cross-entropy instead. For ``sum``: ``sum_weights_metric`` weighs teachers by
    what they know, ``alpha`` says how sharply, ``normalize_teacher_by_vocab`` scales each by its vocabulary's size.
    """

    mode: Mode = "p-kl"
    teacher_mode: TeacherMode = "sum"
    kl_loss_weight: float = 1.0
    ce_loss_scale: float = 1.0
    dynamic_loss_scaling: bool = False
    sum_weights_metric: Metric | None = None
    alpha: float = 1.0
    normalize_teacher_by_vocab: bool = False
    loss: LossOptions = DEFAULT_LOSS

    def __post_init__(self) -> None:
        """Raises ``AlignmentInputError`` for an unknown choice, or one that its mode does not read."""
        for name, chosen, choices in (
            ("mode", self.mode, get_args(Mode)),
            ("teacher_mode", self.teacher_mode, get_args(TeacherMode)),
            ("sum_weights_metric", self.sum_weights_metric, (None, *get_args(Metric))),
        ):
            if chosen not in choices:
                raise AlignmentInputError(f"{chosen!r} is none of {choices}", field=name)
        for name, read in (
            ("sum_weights_metric", self.sum_weights_metric),
            ("normalize_teacher_by_vocab", self.normalize_teacher_by_vocab),
        ):
            if read and self.teacher_mode != "sum":
                raise AlignmentInputError(f"is read where teachers are added, not in {self.teacher_mode}", field=name)


@dataclass(frozen=True)
class DistillationTerms:
    """Scalars: ``loss`` (with gradient) and, without, what it is made of.

    ``kd``: the teachers together; ``ce``: the student's cross-entropy; ``kd_scale``: what ``kd`` was multiplied by in
    ``dynamic_loss_scaling``, else 1; ``accuracy``: of the student's next token; ``teacher_losses`` and ``weights``: of
    each teacher that was used; ``selected``: the only one, in ``select_teacher``.
    """

    loss: torch.Tensor
    kd: torch.Tensor
    ce: torch.Tensor
    kd_scale: torch.Tensor
    accuracy: torch.Tensor
    teacher_losses: tuple[torch.Tensor, ...]
    weights: tuple[float, ...]
    selected: int | None = None


def distillation_loss(
    student_logits: torch.Tensor,
    input_ids: torch.Tensor,
    token_mask: torch.Tensor,
    teachers: Sequence[Teacher],
    *,
    options: DistillationOptions | None = None,
    sample_mask: torch.Tensor | None = None,
    ranks: Ranks = ALONE,
) -> DistillationTerms:
    """The loss of student logits ``[B, T_s, V_s]`` on its ids ``[B, T_s]`` (mask 1 real, 0 padding) and its teachers.

    ``sample_mask`` ``[B]``: 0 leaves a row out, other values weigh its tokens. The values are those of the rows of this
    rank over the counts of all ranks: added over ranks they are the loss of the whole batch.

    Raises:
        AlignmentInputError: no teacher, weights that cannot be averaged, or what ``cross_tokenizer_loss`` refuses.
        ProjectionFileError: a bad file.
    """
    options = options or DistillationOptions()
    if not teachers:
        raise AlignmentInputError("needs at least one", field="teachers")
    student_logits = ranks.vocabulary_gather(student_logits)
    ranks = replace(ranks, vocabulary_gather=ALONE.vocabulary_gather)
    require_device_of(student_logits, **{f"teachers[{at}]": given.logits for at, given in enumerate(teachers)})
    if student_logits.shape[:2] != input_ids.shape:
        raise AlignmentInputError(
            f"has shape {tuple(student_logits.shape)}, the ids have {tuple(input_ids.shape)}", field="student_logits"
        )
    input_ids, token_mask = input_ids.to(student_logits.device), token_mask.to(student_logits.device)
    student = Tokens(input_ids, token_mask, sample_mask, ranks)
    labels, real = next_tokens(input_ids, token_mask, sample_mask, ranks)
    ce = mean_over(next_token_cross_entropy(student_logits, labels, field="input_ids"), real, ranks, sample_mask)
    losses, weights, selected = _teachers(student_logits, real, teachers, student, options)
    kd = sum((loss * weight for loss, weight in zip(losses, weights, strict=True)), start=torch.zeros_like(ce))
    scale = torch.ones_like(ce)
    if options.dynamic_loss_scaling:
        sizes = ranks.data_sum(kd.detach()).abs(), ranks.data_sum(ce.detach()).abs()
        scale = torch.where(sizes[0] > 0, sizes[1] / sizes[0], scale)
        loss = scale * kd + ce
    else:
        loss = options.kl_loss_weight * kd + options.ce_loss_scale * ce
    return DistillationTerms(
        loss,
        kd.detach(),
        ce.detach(),
        scale,
        next_token_accuracy(student_logits, labels, real, ranks, sample_mask),
        tuple(term.detach() for term in losses),
        tuple(float(weight) for weight in weights),
        selected,
    )


def _teachers(
    student_logits: torch.Tensor,
    real: torch.Tensor,
    teachers: Sequence[Teacher],
    student: Tokens,
    options: DistillationOptions,
) -> tuple[list[torch.Tensor], list[torch.Tensor | float], int | None]:
    """Losses and weights of the teachers that are used, and which one was selected."""

    def _direct(logits: torch.Tensor, columns: int | None) -> torch.Tensor:
        weigh, ranks = student.sample_mask, student.ranks
        return same_tokenizer_kl(student_logits, logits, real, options.loss, ranks, columns=columns, sample_mask=weigh)

    def loss_of(teacher: Teacher, mode: Mode) -> torch.Tensor:
        if teacher.alignment is None or teacher.projection_matrix_path is None:
            logits = teacher.logits[..., : teacher.vocab_size]
            chosen = options.loss.vocab_topk
            return _direct(logits, chosen)
        return cross_tokenizer_loss(
            student_logits,
            teacher.logits,
            teacher.alignment,
            mode=mode,
            projection_matrix_path=teacher.projection_matrix_path,
            teacher_vocab_size=teacher.vocab_size,
            options=options.loss,
            sample_mask=student.sample_mask,
            ranks=student.ranks,
        ).loss

    if options.teacher_mode == "select_teacher":
        best = best_teacher(teachers, student)
        return [loss_of(teachers[best], options.mode)], [1.0], best
    if options.teacher_mode == "averaged_logits":
        shapes = {tuple(teacher.logits.shape) for teacher in teachers}
        if len(shapes) == 1 and all(teacher.same_tokenizer for teacher in teachers):
            return [_direct(_averaged(teachers), None)], [1.0], None
        return [loss_of(teacher, options.mode) for teacher in teachers], [teacher.weight for teacher in teachers], None
    by_vocabulary = options.normalize_teacher_by_vocab
    weights = teacher_weights(
        teachers, student, metric=options.sum_weights_metric, alpha=options.alpha, by_vocabulary=by_vocabulary
    )
    losses = [loss_of(teacher, teacher.mode or options.mode) for teacher in teachers]
    if by_vocabulary:
        losses = [loss * scale for loss, scale in zip(losses, vocabulary_scales(teachers), strict=True)]
    return losses, weights, None


def _averaged(teachers: Sequence[Teacher]) -> torch.Tensor:
    total = sum(teacher.weight for teacher in teachers)
    if total == 0:
        raise AlignmentInputError("have weights that sum to zero: no average", field="teachers")
    shares = (teacher.logits.float() * (teacher.weight / total) for teacher in teachers)
    return torch.stack(list(shares)).sum(0)
