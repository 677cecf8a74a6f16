"""Broken projections and steps with several teachers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tokenspec.areas.aligners.mutants.patched import replaced
from tokenspec_reference.aligners import adapter_losses as tasks
from tokenspec_reference.aligners.loss_utils import build_projection, distillation, losses, next_token, ranks, teachers

DISTIL = distillation.distillation_loss
NEXT = next_token.next_tokens
SAME = next_token.same_tokenizer_kl
SCORE = teachers.teacher_score


def _unscaled(student: Any, teacher: Any, real: Any, options: Any, others: Any = ranks.ALONE, **columns: Any) -> Any:
    """The squared temperature is left out."""
    return SAME(student, teacher, real, options, others, **columns) / options.temperature**2


def _all_columns(student: Any, teacher: Any, real: Any, options: Any, others: Any = ranks.ALONE, **columns: Any) -> Any:
    """Over all columns, not the chosen ones."""
    del columns
    return SAME(student, teacher, real, options, others, columns=None)


def _whole_mask(ids: Any, mask: Any, sample_mask: Any = None, others: Any = ranks.ALONE) -> Any:
    """Padding is predicted, too."""
    return NEXT(ids, torch.ones_like(mask), sample_mask, others)


def _unweighted(*arguments: Any, **options: Any) -> Any:
    del options
    return [1.0] * len(arguments[0])


def _plus_entropy(teacher: Any, student: Any, metric: Any) -> Any:
    """The less a teacher knows, the more it is trusted."""
    found = SCORE(teacher, student, metric)
    return -found if metric == "entropy" else found


def _first_as_average(given: Any) -> Any:
    return given[0].logits.float()


def _worst(given: Any, student: Any) -> int:
    scores = [float(SCORE(teacher, student, "ce")) for teacher in given]
    return scores.index(min(scores))


def _last_of_equals(given: Any, student: Any) -> int:
    scores = [float(SCORE(teacher, student, "ce")) for teacher in given]
    return len(scores) - 1 - scores[::-1].index(max(scores))


def _always_fixed(*arguments: Any, options: Any, **others: Any) -> Any:
    return DISTIL(*arguments, options=replace(options, dynamic_loss_scaling=False), **others)


def _own_counts(*arguments: Any, **others: Any) -> Any:
    return DISTIL(*arguments, **{**others, "ranks": ranks.ALONE})


def _own_chunks(*arguments: Any, **_: Any) -> Any:
    return TERMS(*arguments[:6], ranks.ALONE)


TERMS: Any = losses._terms


def _largest_id(self: Any, other: Any) -> Any:
    """The rows of the other stand first."""
    return OVER(other, self)


OVER = build_projection.Projection.over


def _kept_as_counted(weights: torch.Tensor) -> torch.Tensor:
    return weights.float()


MUTANTS = (
    replaced(
        "rows-not-normalised", "ALN-063", "rows sum to anything", (build_projection, "_normalised", _kept_as_counted)
    ),
    replaced("under-not-over", "ALN-063", "the other lies on top", (build_projection.Projection, "over", _largest_id)),
    replaced("same-unscaled", "ALN-070", "no squared temperature", (distillation, "same_tokenizer_kl", _unscaled)),
    replaced("same-all-columns", "ALN-070", "over all columns", (distillation, "same_tokenizer_kl", _all_columns)),
    replaced("padding-is-predicted", "ALN-071", "padding is predicted", (distillation, "next_tokens", _whole_mask)),
    replaced("teachers-unweighted", "ALN-072", "all weigh the same", (distillation, "teacher_weights", _unweighted)),
    replaced("trusts-the-unsure", "ALN-072", "entropy with the wrong sign", (teachers, "teacher_score", _plus_entropy)),
    replaced("first-is-average", "ALN-073", "the first stands for all", (distillation, "_averaged", _first_as_average)),
    replaced("worst-teacher", "ALN-074", "the worst teacher", (distillation, "best_teacher", _worst)),
    replaced("last-of-equals", "ALN-074", "the last of equals", (distillation, "best_teacher", _last_of_equals)),
    replaced("scale-is-fixed", "ALN-075", "no dynamic scale", (tasks, "distillation_loss", _always_fixed)),
    replaced("own-counts", "ALN-076", "divides by its own count", (tasks, "distillation_loss", _own_counts)),
    replaced(
        "other-count-of-chunks",
        "ALN-076",
        "chunks are divided by those of this rank",
        (losses, "_terms", _own_chunks),
    ),
)
