"""Universal logit distillation over chunks, alone or with the tokens both sides have (``ALN-080`` to ``ALN-082``).

``uld`` compares sorted probabilities, ``uld-hybrid`` (GOLD) those of common tokens directly and the rest sorted.
Source: the GOLD trainer of TRL, of which the one-position offset of ``observed`` is kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.blocks import chunk_sums
from tokenspec_reference.aligners.loss_utils.written import next_ids, require_written, written_chunks

if TYPE_CHECKING:
    from tokenspec_reference.aligners.alignment import AlignmentBatch
    from tokenspec_reference.aligners.loss_utils.chunks import ChunkMembers
    from tokenspec_reference.aligners.loss_utils.exact_map import ExactTokenMap

Merge = Literal["observed", "bayesian"]
SMALLEST = 1e-8


@dataclass(frozen=True)
class UldOptions:
    """``merge``: how several tokens become one distribution. ``beta`` and both weights: of common tokens (hybrid).

    ``in_blocks``: as in ``LossOptions``.
    """

    student_temperature: float = 1.0
    teacher_temperature: float = 1.0
    merge: Merge = "observed"
    beta: float = 0.5
    matched_weight: float | None = None
    unmatched_weight: float | None = None
    in_blocks: bool = True

    def __post_init__(self) -> None:
        """Raises ``AlignmentInputError`` for a value out of range."""
        for side, temperature in (("student", self.student_temperature), ("teacher", self.teacher_temperature)):
            if not (math.isfinite(temperature) and temperature > 0):
                raise AlignmentInputError(f"must be positive and finite, is {temperature}", field=f"{side}_temperature")
        if self.merge not in get_args(Merge):
            raise AlignmentInputError(f"{self.merge!r} is none of {', '.join(get_args(Merge))}", field="merge")
        if not 0 <= self.beta <= 1:
            raise AlignmentInputError(f"must lie between 0 and 1, is {self.beta}", field="beta")
        if (self.matched_weight is None) != (self.unmatched_weight is None):
            raise AlignmentInputError("needs the other weight too, or none of both", field="matched_weight")


@dataclass(frozen=True)
class UldTerms:
    """Scalars: ``loss`` (with gradient), what common and other tokens have in it, the number of valid chunks."""

    loss: torch.Tensor
    matched: torch.Tensor
    unmatched: torch.Tensor
    valid_chunks: torch.Tensor


def uld_loss(
    student_logits: torch.Tensor,
    teacher_logits: torch.Tensor,
    student_ids: torch.Tensor,
    teacher_ids: torch.Tensor,
    alignment: AlignmentBatch,
    *,
    token_map: ExactTokenMap | None = None,
    options: UldOptions | None = None,
    sample_mask: torch.Tensor | None = None,
) -> UldTerms:
    """Loss of student logits ``[B, T_s, V_s]`` against a teacher's ``[B, T_t, V_t]`` on the ids ``[B, T]`` they read.

    ``token_map``: common tokens, for the hybrid loss. ``sample_mask`` ``[B]``: 0 leaves a row out. A mean over rows.

    Raises:
        AlignmentInputError: mismatched shapes, ids or common tokens beyond the columns.
    """
    options = options or UldOptions()
    require_written((student_logits, teacher_logits), (student_ids, teacher_ids), alignment, sample_mask)
    device = student_logits.device
    alignment, student_ids, teacher_ids = alignment.to(device), student_ids.to(device), teacher_ids.to(device)
    bayesian = options.merge == "bayesian"
    ours, theirs, valid = written_chunks(alignment, sample_mask, shifted=bayesian)
    if bayesian:
        student_ids, teacher_ids, valid = next_ids(student_ids), next_ids(teacher_ids), valid & ~_unpredicted(alignment)
    rows = len(valid) if sample_mask is None else max(1, int(sample_mask.bool().sum()))
    shares = 1.0 / (valid.sum(-1).clamp(min=1) * rows)
    columns = _Columns()
    if token_map is not None:
        columns = _Columns.of(token_map, (student_logits.shape[-1], teacher_logits.shape[-1]), options)

    def compare(
        logits: torch.Tensor, s_members: ChunkMembers, t_members: ChunkMembers
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        behind = teacher_logits.detach().flatten(0, 1)[t_members.positions].float()
        student = _merged(logits / options.student_temperature, student_ids, s_members, options.merge)
        teacher = _merged(behind / options.teacher_temperature, teacher_ids, t_members, options.merge)
        share = shares[s_members.positions[_base(s_members, options.merge)] // student_logits.shape[1]]
        matched, unmatched = columns.compare(student, teacher, options.beta)
        return matched * share, unmatched * share, torch.zeros_like(share)

    total, sums = chunk_sums(student_logits, ours, theirs, valid, compare, in_blocks=options.in_blocks)
    return UldTerms(total, sums[0], sums[1], valid.sum())


def _unpredicted(alignment: AlignmentBatch) -> torch.Tensor:
    """Chunks with the first token of a side, which no logits predict, bool ``[B, C]``."""
    chunks = torch.arange(alignment.pair_valid.shape[1], device=alignment.pair_valid.device)
    firsts = (alignment.student_chunk_id[:, :1], alignment.teacher_chunk_id[:, :1])
    return (firsts[0] == chunks) | (firsts[1] == chunks)


def _base(members: ChunkMembers, merge: Merge) -> torch.Tensor:
    """Of every chunk the member whose whole distribution counts, int64 ``[C]``."""
    ends = members.sizes[0].cumsum(0)
    return ends - 1 if merge == "bayesian" else ends - members.sizes[0]


def _merged(logits: torch.Tensor, ids: torch.Tensor, members: ChunkMembers, merge: Merge) -> torch.Tensor:
    """One distribution ``[C, V]`` a chunk, not normalised, of logits ``[N, V]`` a member."""
    probabilities = torch.softmax(logits, -1)
    base = _base(members, merge)
    written = ids.flatten()[members.positions][:, None]
    factors = probabilities.gather(-1, written).clamp(min=SMALLEST).log().index_fill(0, base, 0.0)
    return probabilities[base] * members.sums(factors)[0].exp()


@dataclass(frozen=True)
class _Columns:
    """Common and other columns of both sides, with their weights; ``None`` where all columns are sorted."""

    common: tuple[torch.Tensor, torch.Tensor] | None = None
    others: tuple[torch.Tensor, torch.Tensor] | None = None
    weights: tuple[float, float] = (0.0, 1.0)

    @staticmethod
    def of(token_map: ExactTokenMap, widths: tuple[int, int], options: UldOptions) -> _Columns:
        common = token_map["common_student"], token_map["common_teacher"]
        rest = []
        for side, ids, width in zip(("student", "teacher"), common, widths, strict=True):
            if ids.numel() and int(ids.max()) >= width:
                raise AlignmentInputError(
                    f"has {width} columns; the map knows token {int(ids.max())}", field=f"{side}_logits"
                )
            free = torch.ones(width, dtype=torch.bool, device=ids.device).index_fill(0, ids, value=False)
            rest.append(free.nonzero()[:, 0])
        share = common[1].numel() / widths[1]
        weights = (share, 1.0 - share)
        if options.matched_weight is not None and options.unmatched_weight is not None:
            weights = (options.matched_weight, options.unmatched_weight)
        return _Columns(common, (rest[0], rest[1]), weights)

    def compare(self, student: torch.Tensor, teacher: torch.Tensor, beta: float) -> tuple[torch.Tensor, torch.Tensor]:
        """Of every chunk the weighed divergence over common columns, and the weighed distance over the others."""
        if self.common is None or self.others is None:
            distance = sorted_distance(student, teacher)
            return torch.zeros_like(distance), distance
        matched = generalised_divergence(student[:, self.common[0]], teacher[:, self.common[1]], beta)
        unmatched = torch.zeros_like(matched)
        if all(ids.numel() for ids in self.others):
            unmatched = sorted_distance(student[:, self.others[0]], teacher[:, self.others[1]])
        return matched * self.weights[0], unmatched * self.weights[1]


def sorted_distance(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """L1 distance ``[C]`` of ``[C, V_s]`` and ``[C, V_t]``, both in descending order, the shorter with zeros behind."""
    width = max(student.shape[-1], teacher.shape[-1])
    ranked = (
        torch.nn.functional.pad(side.sort(-1, descending=True).values, (0, width - side.shape[-1]))
        for side in (student, teacher)
    )
    ours, theirs = ranked
    return (ours - theirs).abs().sum(-1)


def generalised_divergence(student: torch.Tensor, teacher: torch.Tensor, beta: float) -> torch.Tensor:
    """The divergence ``[C]`` of probabilities ``[C, V]``: at ``beta`` 0 KL(teacher, student), at 1 the reverse."""
    q, p = (side.clamp(min=SMALLEST).log() for side in (student, teacher))
    if beta == 0:
        return (p.exp() * (p - q)).sum(-1)
    if beta == 1:
        return (q.exp() * (q - p)).sum(-1)
    middle = torch.logaddexp(q + math.log1p(-beta), p + math.log(beta))
    return (beta * p.exp() * (p - middle) + (1 - beta) * q.exp() * (q - middle)).sum(-1)
