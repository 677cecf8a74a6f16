"""Dual-space distillation with attention between the models in place of an alignment (``ALN-085``). Source: DSKD."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.loss_utils.next_token import divergence

NO_LABEL = -100
FAR = -100_000.0
Projection = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Space:
    """One model on its tokens; all numbers are finite, also at positions without a label.

    ``hidden``, ``input_embeddings``, ``label_embeddings``: ``[B, T, D]``; ``labels``: int64 ``[B, T]``, the token
    behind each position or -100; ``logits``: ``[B, T, V]``; ``head``: ``[V, D]``.
    """

    hidden: torch.Tensor
    input_embeddings: torch.Tensor
    label_embeddings: torch.Tensor
    labels: torch.Tensor
    logits: torch.Tensor
    head: torch.Tensor

    @property
    def labelled(self) -> torch.Tensor:
        """Where there is a label, bool ``[B, T]``."""
        return self.labels != NO_LABEL

    @property
    def both_embeddings(self) -> torch.Tensor:
        """Of inputs and labels side by side, constants ``[B, T, 2 D]``."""
        return torch.cat([self.input_embeddings, self.label_embeddings], -1).detach()


@dataclass(frozen=True)
class Projections:
    """Learned maps: ``query`` from 2 D_s to 2 D_t, ``s2t`` from D_s to D_t, ``t2s`` from D_t to D_s."""

    query: Projection
    s2t: Projection
    t2s: Projection


@dataclass(frozen=True)
class DualSpaceTerms:
    """Scalars, sums over labels: ``loss`` (with gradient) and its three parts, and the number of student labels."""

    loss: torch.Tensor
    ce: torch.Tensor
    t2s: torch.Tensor
    s2t: torch.Tensor
    labels: torch.Tensor


def dual_space_loss(
    student: Space,
    teacher: Space,
    projections: Projections,
    *,
    temperature: float = 1.0,
    teacher_temperature: float = 1.0,
) -> DualSpaceTerms:
    """The loss of a student's states and logits against a teacher's; nothing of the teacher has a gradient.

    Raises:
        AlignmentInputError: shapes that do not belong together, or a temperature that is not positive.
    """
    _require(student, teacher, {"temperature": temperature, "teacher_temperature": teacher_temperature})
    hidden, behind = teacher.hidden.detach(), teacher.label_embeddings.detach()
    query, values = projections.query(student.both_embeddings), projections.t2s(_scaled(hidden) + _scaled(behind))
    seen = projections.s2t(student.hidden)
    with torch.autocast(query.device.type, enabled=False):
        return _compared(
            student, teacher, (query.float(), values.float(), seen.float()), temperature, teacher_temperature
        )


def _compared(
    student: Space, teacher: Space, projected: tuple[torch.Tensor, ...], temperature: float, teacher_temperature: float
) -> DualSpaceTerms:
    """The terms, of the student's queries, the teacher's states in its space, and its own in the teacher's."""
    query, values, seen = projected
    near = query @ _scaled(teacher.both_embeddings.float()).mT
    near = near / math.sqrt(2 * teacher.hidden.shape[-1])
    near = near + FAR * (~(student.labelled[:, :, None] & teacher.labelled[:, None, :])).float()

    in_student = _spoken(near.softmax(-1) @ values, student.head)
    labels = student.labels.where(student.labelled, 0)
    ce = torch.nn.functional.cross_entropy(in_student.flatten(0, 1), labels.flatten(), reduction="none")
    ce = torch.where(student.labelled, ce.reshape(labels.shape), 0.0).sum()

    found = (in_student.argmax(-1) == labels) & student.labelled
    t2s = _kl(
        student.logits[found].float() / temperature, in_student.detach()[found] / (temperature * teacher_temperature)
    )
    in_teacher = _spoken(near.mT.softmax(-1) @ seen, teacher.head)[teacher.labelled]
    s2t = _kl(in_teacher / temperature, teacher.logits.detach()[teacher.labelled].float() / temperature)
    return DualSpaceTerms(ce + t2s + s2t, ce.detach(), t2s.detach(), s2t.detach(), student.labelled.sum())


def _spoken(states: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
    """States as logits; the product is in the head's own precision."""
    return (states.to(head.dtype) @ head.detach().mT).float()


def _scaled(values: torch.Tensor) -> torch.Tensor:
    """Over the standard deviation of all its numbers."""
    return values / values.std()


def _kl(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    sides = (torch.log_softmax(side, -1) for side in (student, teacher))
    return divergence(*sides, reverse=False).sum()


def _require(student: Space, teacher: Space, temperatures: dict[str, float]) -> None:
    for name, value in temperatures.items():
        if not (math.isfinite(value) and value > 0):
            raise AlignmentInputError(f"must be positive and finite, is {value}", field=name)
    for side, space in (("student", student), ("teacher", teacher)):
        states = (space.hidden, space.input_embeddings, space.label_embeddings)
        fits = space.labels.dim() == 2 and all(
            state.dim() == 3 and state.shape[:2] == space.labels.shape for state in (*states, space.logits)
        )
        if not fits or space.head.shape != (space.logits.shape[-1], space.hidden.shape[-1]):
            raise AlignmentInputError("has states, logits and a head of other shapes than its labels", field=side)
    if len(student.labels) != len(teacher.labels):
        raise AlignmentInputError(f"has {len(teacher.labels)} rows, the student {len(student.labels)}", field="teacher")
