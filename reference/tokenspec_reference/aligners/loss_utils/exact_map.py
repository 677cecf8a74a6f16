"""Tokens that mean the same on both sides, read off a dense projection (``ALN-054``)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypedDict

import torch

from tokenspec_reference.aligners.devices import exact_device
from tokenspec_reference.aligners.errors import ProjectionFileError
from tokenspec_reference.aligners.loss_utils.projection import CACHED_FILES, fingerprint, get_topk_projection

if TYPE_CHECKING:
    from os import PathLike

RELAXED_WEIGHT = 0.6


class ExactTokenMap(TypedDict):
    """int64 ids. ``common_student[i]`` means ``common_teacher[i]``, by student id; the rest of each side, ascending."""

    common_student: torch.Tensor
    common_teacher: torch.Tensor
    uncommon_student: torch.Tensor
    uncommon_teacher: torch.Tensor


def build_exact_token_map(
    path: str | PathLike[str],
    device: torch.device | str = "cpu",
    *,
    xtoken_loss: bool,
    teacher_vocab_size: int,
) -> ExactTokenMap:
    """Partition both vocabularies.

    Strict (``xtoken_loss=False``): the row's top weight is 1.0 and its second index is -1; if several student tokens
    claim one teacher token, the lowest student id has it. Relaxed: top weight at least 0.6; the highest weight has it,
    then the lowest student id. Teacher ids outside ``[0, teacher_vocab_size)`` never count. The tensors are shared
    between calls with equal arguments and an unchanged file; do not modify them.

    Raises:
        ProjectionFileError: the file is not dense, or has fewer than two columns.
    """
    return _cached_map(*fingerprint(path), exact_device(device), bool(xtoken_loss), int(teacher_vocab_size))


@lru_cache(maxsize=CACHED_FILES)
def _cached_map(
    path: str, _mtime: int, _size: int, device: torch.device, xtoken_loss: bool, teacher_vocab_size: int
) -> ExactTokenMap:
    indices, weights = get_topk_projection(path, device)
    if indices.shape[1] < 2:
        raise ProjectionFileError("must have at least 2 columns to tell exact rows", field="indices")
    top, order = weights.sort(dim=1, descending=True, stable=True)  # of equal weights the first column
    claimed = indices.gather(1, order[:, :1])[:, 0]
    exact = top[:, 0] >= RELAXED_WEIGHT if xtoken_loss else (top[:, 0] == 1.0) & (indices[:, 1] == -1)
    exact &= (claimed >= 0) & (claimed < teacher_vocab_size)
    students = exact.nonzero().flatten()
    teachers = claimed[students]
    if xtoken_loss:
        best = top.new_full((teacher_vocab_size,), -torch.inf)
        best.scatter_reduce_(0, teachers, top[students, 0], "amax")
        strongest = top[students, 0] == best[teachers]
        students, teachers = students[strongest], teachers[strongest]
    first = students.new_full((teacher_vocab_size,), len(indices))
    first.scatter_reduce_(0, teachers, students, "amin")
    owns = students == first[teachers]
    students, teachers = students[owns], teachers[owns]
    return ExactTokenMap(
        common_student=students,
        common_teacher=teachers,
        uncommon_student=_others(students, len(indices)),
        uncommon_teacher=_others(teachers, teacher_vocab_size),
    )


def _others(ids: torch.Tensor, size: int) -> torch.Tensor:
    rest = torch.ones(size, dtype=torch.bool, device=ids.device)
    rest[ids] = False
    return rest.nonzero().flatten()
