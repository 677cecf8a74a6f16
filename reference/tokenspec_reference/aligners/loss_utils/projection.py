"""Projection files and matrices: which teacher tokens a student token stands for, with weights (``ALN-052``).

A file holds either ``{"indices": [V_s, k], "likelihoods": [V_s, k]}`` (teacher ids, -1 = none) or a dictionary
``{(student id, teacher id): weight}``. Files are data: they are read with ``weights_only=True`` and checked, while
upstream unpickles whatever the file says.
"""

from __future__ import annotations

import pickle
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import torch

from tokenspec_reference.aligners.devices import exact_device
from tokenspec_reference.aligners.errors import ProjectionFileError, ProjectionFileMissing
from tokenspec_reference.aligners.loss_utils.ranks import ALONE, Ranks
from tokenspec_reference.top_ids import top_ids

CACHED_FILES = 8
Coordinates = tuple[torch.Tensor, torch.Tensor, int, int]


def parse_projection_file(path: str | PathLike[str]) -> Coordinates:
    """Coordinates int64 ``[2, n]`` (student, teacher; -1 kept), weights float32 ``[n]``, and both sizes seen.

    Student size: rows of the dense form, else largest id + 1. Teacher size: largest id + 1, 0 if there is none.

    Raises:
        ProjectionFileMissing: no such file (also a ``FileNotFoundError``).
        ProjectionFileError: not loadable as plain data, or of the wrong shape, type or range.
    """
    data = _load(fspath(path))
    if {"indices", "likelihoods"} <= data.keys():
        indices, likelihoods = _dense(data)
        rows, columns = indices.shape
        students = torch.arange(rows).repeat_interleave(columns)
        return torch.stack([students, indices.flatten()]), likelihoods.flatten(), rows, _size(indices)
    coordinates, weights = _sparse(data)
    return coordinates, weights, _size(coordinates[0]), _size(coordinates[1])


def get_topk_projection(
    path: str | PathLike[str], device: torch.device | str = "cpu"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Teacher ids int64 ``[V_s, k]`` and weights float32 ``[V_s, k]`` of a dense file; shared between calls.

    Raises:
        ProjectionFileError: as ``parse_projection_file``, or the file is in the sparse form.
    """
    return _cached_topk(*fingerprint(path), exact_device(device))


def get_sparse_projection_matrix(
    path: str | PathLike[str],
    device: torch.device | str = "cpu",
    *,
    student_vocab_size: int,
    teacher_vocab_size: int,
) -> torch.Tensor:
    """Coalesced float32 COO matrix, at least ``[student_vocab_size, teacher_vocab_size]``, larger if the file is.

    Entries with a negative teacher id are dropped, equal coordinates are added. The tensor is shared between calls with
    equal arguments and an unchanged file; do not modify it.
    """
    return _cached_sparse(*fingerprint(path), exact_device(device), int(student_vocab_size), int(teacher_vocab_size))


def fingerprint(path: str | PathLike[str]) -> tuple[str, int, int]:
    """What tells a file from its next version: path, time in nanoseconds, bytes.

    Raises:
        ProjectionFileMissing: no such file.
    """
    try:
        status = Path(path).stat()
    except OSError:
        raise ProjectionFileMissing(f"{fspath(path)} does not exist") from None
    return fspath(path), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=CACHED_FILES)
def _cached_topk(path: str, _mtime: int, _size: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    data = _load(path)
    if not {"indices", "likelihoods"} <= data.keys():
        raise ProjectionFileError(
            f"{path} is not in the dense form; this loss needs 'indices' and 'likelihoods' tensors"
        )
    indices, likelihoods = _dense(data)
    return indices.to(device), likelihoods.to(device)


@lru_cache(maxsize=CACHED_FILES)
def _cached_sparse(
    path: str, _mtime: int, _size: int, device: torch.device, student_vocab_size: int, teacher_vocab_size: int
) -> torch.Tensor:
    coordinates, weights, _, _ = parse_projection_file(path)
    kept = coordinates[1] >= 0
    coordinates, weights = coordinates[:, kept], weights[kept]
    shape = (
        max(student_vocab_size, _largest(coordinates[0]) + 1),
        max(teacher_vocab_size, _largest(coordinates[1]) + 1),
    )
    return torch.sparse_coo_tensor(coordinates, weights, shape, check_invariants=True).coalesce().to(device)


def _load(path: str) -> dict[Any, Any]:
    fingerprint(path)
    try:
        data = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, AttributeError) as error:
        raise ProjectionFileError(
            f"{path} cannot be read as tensors and plain values ({type(error).__name__}); files that hold code "
            "or foreign objects are refused, save a dictionary of tensors",
        ) from error
    if not isinstance(data, dict):
        raise ProjectionFileError("holds no dictionary")
    return data


def _dense(data: dict[Any, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    indices, likelihoods = data["indices"], data["likelihoods"]
    if not (isinstance(indices, torch.Tensor) and isinstance(likelihoods, torch.Tensor)):
        raise ProjectionFileError("indices and likelihoods must be tensors")
    if indices.dim() != 2 or indices.shape != likelihoods.shape:
        raise ProjectionFileError(
            f"indices have shape {tuple(indices.shape)}, likelihoods {tuple(likelihoods.shape)}; both must be [V_s, k]"
        )
    if indices.is_floating_point() or (indices.numel() and int(indices.min()) < -1):
        raise ProjectionFileError("must hold integer teacher ids, or -1 for none", field="indices")
    weights = likelihoods.float()
    if not bool(torch.isfinite(weights).all()):
        raise ProjectionFileError("must be finite", field="likelihoods")
    return indices.long(), weights


def _sparse(data: dict[Any, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    if not all(isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, int) for part in key) for key in data):
        raise ProjectionFileError("is neither {'indices', 'likelihoods'} nor {(student id, teacher id): weight}")
    if any(student < 0 for student, _ in data):
        raise ProjectionFileError("has a negative student id")
    if not all(isinstance(weight, int | float) for weight in data.values()):
        raise ProjectionFileError("has a weight that is not a number")
    coordinates = torch.tensor(list(data), dtype=torch.int64).reshape(-1, 2).T.contiguous()
    return coordinates, torch.tensor(list(data.values()), dtype=torch.float32)


def _largest(ids: torch.Tensor) -> int:
    return int(ids.max()) if ids.numel() else -1


def _size(ids: torch.Tensor) -> int:
    return max(0, _largest(ids) + 1)


def slice_sparse_projection_rows(matrix: torch.Tensor, row_start: int, row_end: int) -> torch.Tensor:
    """Rows ``[row_start, row_end)`` of a coalesced COO matrix."""
    coordinates, weights = matrix.indices(), matrix.values()
    kept = (coordinates[0] >= row_start) & (coordinates[0] < row_end)
    moved = coordinates[:, kept] - coordinates.new_tensor([[row_start], [0]])
    return torch.sparse_coo_tensor(
        moved, weights[kept], (row_end - row_start, matrix.shape[1]), check_invariants=False
    ).coalesce()


def slice_sparse_projection_cols(matrix: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """The given columns (sorted, unique) of a coalesced COO matrix, in their order."""
    coordinates, weights = matrix.indices(), matrix.values()
    place = torch.searchsorted(columns, coordinates[1].contiguous()).clamp(max=max(0, len(columns) - 1))
    kept = columns[place] == coordinates[1] if len(columns) else torch.zeros_like(place, dtype=torch.bool)
    moved = torch.stack([coordinates[0][kept], place[kept]])
    return torch.sparse_coo_tensor(
        moved, weights[kept], (matrix.shape[0], len(columns)), check_invariants=False
    ).coalesce()


def project_student_to_teacher_vocab(probabilities: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """``[B, T, V_s]`` times ``[V_s, V_t]`` (COO), in float32 under autocast too: ``[B, T, V_t]``."""
    batch, length, vocabulary = probabilities.shape
    flat = probabilities.reshape(batch * length, vocabulary).float()
    return _Projected.apply(flat, matrix).reshape(batch, length, matrix.shape[1])


class _Projected(torch.autograd.Function):  # type: ignore[misc]
    """Rows times a sparse matrix. Autocast would make both products bfloat16, and has no kernel for it on CUDA."""

    @staticmethod
    def forward(ctx: Any, rows: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
        ctx.matrix = matrix
        with torch.autocast(rows.device.type, enabled=False):
            return torch.sparse.mm(matrix.t(), rows.t()).t()

    @staticmethod
    def backward(ctx: Any, arriving: torch.Tensor) -> tuple[torch.Tensor, None]:
        with torch.autocast(arriving.device.type, enabled=False):
            return torch.sparse.mm(ctx.matrix, arriving.float().t()).t(), None


def select_teacher_topk_indices(teacher_logits: torch.Tensor, k: int, ranks: Ranks = ALONE) -> torch.Tensor:
    """The k columns of ``[B, T, V_t]`` with the largest maximum over all positions, ascending; no gradient.

    A NaN is no maximum: where it matters, the loss is NaN by itself.
    """
    numbers = teacher_logits.detach().flatten(0, 1).nan_to_num(-torch.inf, torch.inf, -torch.inf)
    return top_ids(ranks.sequence_max(numbers.amax(0))[None], k)[0]
