"""Losses over single positions: the student's own cross-entropy, its accuracy, and teachers that share its tokenizer.

Logits at t predict token t + 1; a position counts if that token is real (``ALN-070``, ``ALN-071``).
"""

from __future__ import annotations

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.options import LossOptions
from tokenspec_reference.aligners.loss_utils.projection import select_teacher_topk_indices
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks


def next_tokens(
    input_ids: torch.Tensor, token_mask: torch.Tensor, sample_mask: torch.Tensor | None = None, ranks: Ranks = ALONE
) -> tuple[torch.Tensor, torch.Tensor]:
    """The token that each position predicts, int64 ``[B, T]``, and where there is one to predict, bool ``[B, T]``.

    Raises:
        AlignmentInputError: masks of another shape than the ids.
    """
    if token_mask.shape != input_ids.shape:
        raise AlignmentInputError(
            f"has shape {tuple(token_mask.shape)}, the ids have {tuple(input_ids.shape)}", field="token_mask"
        )
    if sample_mask is not None and sample_mask.shape != input_ids.shape[:1]:
        raise AlignmentInputError(
            f"has shape {tuple(sample_mask.shape)}; one entry a row is needed, {len(input_ids)}", field="sample_mask"
        )
    marked = torch.where(token_mask.bool(), input_ids, -1)
    behind = torch.cat([marked[:, 1:], ranks.sequence_next(marked[:, :1])], 1)
    real = behind >= 0
    if sample_mask is not None:
        real = real & sample_mask.bool()[:, None].to(real.device)
    return behind.clamp(min=0), real


def next_token_cross_entropy(logits: torch.Tensor, labels: torch.Tensor, *, field: str = "labels") -> torch.Tensor:
    """Minus the log-probability of each label, float32 ``[B, T]``.

    Raises:
        AlignmentInputError: a label beyond the columns; ``field`` is where labels are read from.
    """
    if bool((labels >= logits.shape[-1]).any()):
        raise AlignmentInputError(f"has ids beyond the {logits.shape[-1]} columns of its logits", field=field)
    flat = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), reduction="none")
    return flat.reshape(labels.shape)


def next_token_accuracy(
    logits: torch.Tensor,
    labels: torch.Tensor,
    real: torch.Tensor,
    ranks: Ranks = ALONE,
    sample_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """How often the largest logit is the next token; a number without gradient."""
    return mean_over((logits.detach().argmax(-1) == labels).float(), real, ranks, sample_mask)


def mean_over(
    values: torch.Tensor, counted: torch.Tensor, ranks: Ranks = ALONE, sample_mask: torch.Tensor | None = None
) -> torch.Tensor:
    """The sum of what counts on the ranks of these rows over the number of what counts anywhere, 0 if nothing does.

    ``sample_mask`` ``[B]`` weighs rows in both sums; None weighs each once.
    """
    weight = counted.long() if sample_mask is None else counted * sample_mask[:, None].to(values.device)
    total = ranks.sequence_sum((torch.where(counted, values, 0.0) * weight).sum())
    count = ranks.data_sum(ranks.sequence_sum(weight.sum()))
    return total / torch.where(count > 0, count, torch.ones_like(count))


def divergence(student: torch.Tensor, teacher: torch.Tensor, *, reverse: bool) -> torch.Tensor:
    """Sum of p * (log p - log q) over the last axis, p the teacher's, or the student's if reversed.

    A token that the teacher gives no probability at all (a masked column) counts for nothing, in either direction.
    """
    possible = teacher != -torch.inf
    teacher = torch.where(possible, teacher, 0.0)
    p, q = (student, teacher) if reverse else (teacher, student)
    return torch.where(possible, p.exp() * (p - q), 0.0).sum(-1)


def same_tokenizer_kl(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    real: torch.Tensor,
    options: LossOptions,
    ranks: Ranks = ALONE,
    *,
    columns: int | None = None,
    sample_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Mean divergence of both sides at the positions ``real``, times the squared temperature (``ALN-070``).

    ``columns``: over so many columns of largest maximum teacher logit, each side renormalised to them; ``None``: over
    all that the student has.
    """
    if student_logits.shape[:2] != teacher_logits.shape[:2]:
        raise AlignmentInputError(
            f"has shape {tuple(teacher_logits.shape)}; a teacher of the same tokenizer reads the student's "
            f"{tuple(student_logits.shape[:2])} tokens",
            field="teachers",
        )
    width = min(student_logits.shape[-1], teacher_logits.shape[-1])
    teacher_logits = teacher_logits[..., :width]
    if columns is not None:
        chosen = select_teacher_topk_indices(teacher_logits, columns, ranks)
        student_logits, teacher_logits = student_logits[..., chosen], teacher_logits[..., chosen]
    elif student_logits.shape[-1] > width:
        raise AlignmentInputError(f"has {width} columns, the student {student_logits.shape[-1]}", field="teachers")
    sides = [
        torch.log_softmax(side[real].float() / options.temperature, -1) for side in (student_logits, teacher_logits)
    ]
    apart = torch.zeros(real.shape, device=real.device, dtype=sides[0].dtype)
    apart = apart.masked_scatter(real, divergence(sides[0], sides[1].detach(), reverse=options.reverse_kl))
    return mean_over(apart, real, ranks, sample_mask) * options.temperature**2
