"""Broken chunk losses of the literature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tokenspec.areas.aligners.mutants.patched import replaced
from tokenspec_reference.aligners import adapter_losses as tasks
from tokenspec_reference.aligners.loss_utils import alm, dual_space, uld

ULD = uld.uld_loss
ALM = alm.alm_loss
DUAL = dual_space.dual_space_loss
BASE = uld._base
BEHIND = alm._behind
DISTANCE = uld.sorted_distance
DIVERGENCE = uld.generalised_divergence


def _last_counts(members: Any, merge: Any) -> Any:
    """The last token's distribution, whatever was asked."""
    del merge
    return BASE(members, "bayesian")


def _base_alone(logits: Any, ids: Any, members: Any, merge: Any) -> Any:
    """The other tokens of a chunk do not count."""
    del ids
    return torch.softmax(logits, -1)[BASE(members, merge)]


def _first_token_counts(alignment: Any) -> Any:
    return torch.zeros_like(alignment.pair_valid)


def _unsorted(student: Any, teacher: Any) -> Any:
    width = min(student.shape[-1], teacher.shape[-1])
    return (student[:, :width] - teacher[:, :width]).abs().sum(-1)


def _without_tail(student: Any, teacher: Any) -> Any:
    """The longer side is cut."""
    width = min(student.shape[-1], teacher.shape[-1])
    return DISTANCE(student.topk(width, -1).values, teacher.topk(width, -1).values)


def _exchanged(student: Any, teacher: Any, beta: float) -> Any:
    return DIVERGENCE(teacher, student, beta)


def _evenly(student: Any, teacher: Any, beta: float) -> Any:
    del beta
    return DIVERGENCE(student, teacher, 0.5)


def _always_adaptive(*arguments: Any, options: Any, **others: Any) -> Any:
    return ULD(*arguments, options=replace(options, matched_weight=None, unmatched_weight=None), **others)


def _not_binarised(*arguments: Any, options: Any, **others: Any) -> Any:
    return ALM(*arguments, options=replace(options, binarization_temperature=1.0), **others)


def _half_entropy(student: Any, teacher: Any, options: Any) -> Any:
    """The chance that a chunk is not written is left out."""
    s, t = student / options.binarization_temperature, teacher / options.binarization_temperature
    return -(t.exp() * s)


def _never_merged(*arguments: Any, options: Any, **others: Any) -> Any:
    return ALM(*arguments, options=replace(options, merge_above=None), **others)


def _nothing_behind(*arguments: Any) -> Any:
    return torch.zeros_like(BEHIND(*arguments))


def _as_it_is(values: Any) -> Any:
    return values


def _softened_twice(*arguments: Any, temperature: float = 1.0, teacher_temperature: float = 1.0) -> Any:
    return DUAL(*arguments, temperature=temperature, teacher_temperature=teacher_temperature * temperature)


def _detached(loss: Any) -> Any:
    """The student's logits are a constant."""

    def constant(student: Any, *arguments: Any, **others: Any) -> Any:
        return loss(student.detach(), *arguments, **others)

    return constant


def _still(layer: Any) -> Any:
    return lambda values: layer(values).detach() + 0 * layer(values)  # a gradient there is, and it is nought


def _still_projections(student: Any, teacher: Any, projections: Any, **options: Any) -> Any:
    """The projections are not trained."""
    still = dual_space.Projections(*(_still(getattr(projections, name)) for name in ("query", "s2t", "t2s")))
    return DUAL(student, teacher, still, **options)


MUTANTS = (
    replaced("last-token-counts", "ALN-080", "always the last token's distribution", (uld, "_base", _last_counts)),
    replaced("one-token-counts", "ALN-080", "other tokens of a chunk do not count", (uld, "_merged", _base_alone)),
    replaced("unpredicted-counts", "ALN-080", "a token nothing predicts", (uld, "_unpredicted", _first_token_counts)),
    replaced("uld-unsorted", "ALN-081", "probabilities are not sorted", (uld, "sorted_distance", _unsorted)),
    replaced("uld-cut", "ALN-081", "the longer vocabulary is cut", (uld, "sorted_distance", _without_tail)),
    replaced("hybrid-exchanged", "ALN-082", "sides exchanged", (uld, "generalised_divergence", _exchanged)),
    replaced("hybrid-evenly", "ALN-082", "beta is not read", (uld, "generalised_divergence", _evenly)),
    replaced("hybrid-adaptive", "ALN-082", "weights are not read", (tasks, "uld_loss", _always_adaptive)),
    replaced("alm-not-binarised", "ALN-083", "log-probabilities as they are", (tasks, "alm_loss", _not_binarised)),
    replaced("alm-half", "ALN-083", "half of the entropy", (alm, "_difference", _half_entropy)),
    replaced("alm-never-merged", "ALN-084", "chunks are not joined", (tasks, "alm_loss", _never_merged)),
    replaced("alm-nothing-behind", "ALN-084", "nothing is appended", (alm, "_behind", _nothing_behind)),
    replaced("dskd-unscaled", "ALN-085", "no standard deviation", (dual_space, "_scaled", _as_it_is)),
    replaced("dskd-softened", "ALN-085", "the teacher is softened twice", (tasks, "dual_space_loss", _softened_twice)),
    replaced("uld-no-gradient", "ALN-058", "uld has no gradient", (tasks, "uld_loss", _detached(ULD))),
    replaced("alm-no-gradient", "ALN-058", "alm has no gradient", (tasks, "alm_loss", _detached(ALM))),
    replaced(
        "dskd-still-projections",
        "ALN-058 ALN-085",
        "projections have no gradient",
        (tasks, "dual_space_loss", _still_projections),
    ),
)
