"""Teachers: what each brings to a step, and how far each is trusted (``ALN-072``, ``ALN-074``)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.next_token import mean_over, next_token_cross_entropy, next_tokens
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tokenspec_reference.aligners.alignment import AlignmentBatch
    from tokenspec_reference.aligners.loss_utils.options import Mode

Metric = Literal["ce", "entropy", "max_prob"]


@dataclass(frozen=True)
class Teacher:
    """One teacher's logits ``[B, T_t, V_t]`` of this step; columns from ``vocab_size`` on are padding.

    A teacher of the student's tokenizer has neither projection nor alignment and reads the student's tokens. Any other
    has both, and ``input_ids`` and ``token_mask`` ``[B, T_t]`` where it is scored by them. ``weight``: its share.
    ``mode``: its own loss, where several are added.
    """

    logits: torch.Tensor
    vocab_size: int
    projection_matrix_path: str | PathLike[str] | None = None
    alignment: AlignmentBatch | None = None
    input_ids: torch.Tensor | None = None
    token_mask: torch.Tensor | None = None
    weight: float = 1.0
    mode: Mode | None = None

    def __post_init__(self) -> None:
        """Raises ``AlignmentInputError`` for no vocabulary, a projection without an alignment, or the reverse."""
        if self.vocab_size < 1:
            raise AlignmentInputError(f"need a vocab_size of at least 1, not {self.vocab_size}", field="teachers")
        if (self.projection_matrix_path is None) != (self.alignment is None):
            raise AlignmentInputError(
                "needs both a projection_matrix_path and an alignment, or, with the student's tokenizer, neither",
                field="teachers",
            )

    @property
    def same_tokenizer(self) -> bool:
        """Whether it reads the student's tokens."""
        return self.projection_matrix_path is None


@dataclass(frozen=True)
class Tokens:
    """Ids and masks ``[B, T]`` of the student, rows that count, and what ranks exchange."""

    input_ids: torch.Tensor
    token_mask: torch.Tensor
    sample_mask: torch.Tensor | None = None
    ranks: Ranks = ALONE


def teacher_score(teacher: Teacher, student: Tokens, metric: Metric) -> torch.Tensor:
    """How far a teacher is to be trusted on these texts, larger is more; one number, the same on all ranks.

    ``ce``: minus its cross-entropy on its own next tokens; ``entropy``: minus its mean entropy, ``max_prob``: its mean
    largest probability, both over all real positions.
    """
    ids, mask = student.input_ids, student.token_mask
    if not teacher.same_tokenizer:
        if teacher.input_ids is None or teacher.token_mask is None:
            raise AlignmentInputError("needs input_ids and token_mask to be scored", field="teachers")
        device = teacher.logits.device
        ids, mask = teacher.input_ids.to(device), teacher.token_mask.to(device)
    logits = teacher.logits.detach().float()
    if logits.shape[:2] != ids.shape:
        raise AlignmentInputError(
            f"has logits of shape {tuple(logits.shape)} for ids of {tuple(ids.shape)}", field="teachers"
        )
    labels, real = next_tokens(ids, mask, student.sample_mask, student.ranks)
    if metric == "ce":
        return -_global_mean(next_token_cross_entropy(logits, labels, field="teachers"), real, student)
    real = mask.bool()
    if student.sample_mask is not None:
        real = real & student.sample_mask.bool()[:, None].to(real.device)
    chances = torch.softmax(logits, -1)
    if metric == "entropy":
        return _global_mean(-torch.special.entr(chances).sum(-1), real, student)
    return _global_mean(chances.amax(-1), real, student)


def _global_mean(values: torch.Tensor, counted: torch.Tensor, student: Tokens) -> torch.Tensor:
    """The mean over all ranks: a choice must be the same on each."""
    return student.ranks.data_sum(mean_over(values, counted, student.ranks, student.sample_mask))


def teacher_weights(
    teachers: Sequence[Teacher],
    student: Tokens,
    *,
    metric: Metric | None,
    alpha: float,
    by_vocabulary: bool,
) -> list[torch.Tensor | float]:
    """The share of each teacher: its own, or with a metric the softmax of ``alpha`` times the scores."""
    if metric is None:
        return [teacher.weight for teacher in teachers]
    scores = torch.stack([teacher_score(teacher, student, metric) for teacher in teachers])
    if by_vocabulary:
        scores = scores * torch.tensor(vocabulary_scales(teachers), device=scores.device)
    return list(torch.softmax(alpha * scores, 0))


def vocabulary_scales(teachers: Sequence[Teacher]) -> list[float]:
    """The logarithm of each vocabulary's size over that of the smallest.

    Raises:
        AlignmentInputError: the smallest has one token.
    """
    smallest = math.log(min(teacher.vocab_size for teacher in teachers))
    if smallest == 0:
        raise AlignmentInputError(
            "divides by the logarithm of the smallest vocabulary, which has one token",
            field="normalize_teacher_by_vocab",
        )
    return [math.log(teacher.vocab_size) / smallest for teacher in teachers]


def best_teacher(teachers: Sequence[Teacher], student: Tokens) -> int:
    """The teacher with the lowest cross-entropy on its own tokens, of equals the first."""
    scores = [float(teacher_score(teacher, student, "ce")) for teacher in teachers]
    return scores.index(max(scores))
