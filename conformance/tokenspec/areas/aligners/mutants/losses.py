"""Broken losses, projection files and refusals of aligners."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from tokenspec.areas.aligners.mutants.patched import Json, edited, replaced
from tokenspec.areas.misrefusing import Edit, coded, misrefusing, placing
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.aligners import adapter_losses as tasks
from tokenspec_reference.aligners.errors import ProjectionFileError
from tokenspec_reference.aligners.loss_utils import chunks, exact_map, losses, next_token, projection


def _sums_only(chunk_sums: Any, chunk_sizes: Any) -> Any:
    return chunk_sums, chunk_sizes


def _sentinel_counts(log_probs: Any, chunk_id: Any, max_chunks: int) -> Any:
    return CHUNK_SUMS(log_probs, chunk_id % max_chunks, max_chunks)


CHUNK_SUMS = chunks.chunk_log_prob_sums
GET_MATRIX = projection.get_sparse_projection_matrix


def _one_side_is_enough(student_sizes: Any, teacher_sizes: Any, pair_valid: Any) -> Any:
    return ((student_sizes > 0) | (teacher_sizes > 0)) & pair_valid


def _file_decides(path: Any, device: Any = "cpu", *, student_vocab_size: int, teacher_vocab_size: int) -> Any:
    """Configured sizes are ignored."""
    del student_vocab_size, teacher_vocab_size
    return GET_MATRIX(path, device, student_vocab_size=0, teacher_vocab_size=0)


def _clipped(path: Any, device: Any = "cpu", *, student_vocab_size: int, teacher_vocab_size: int) -> Any:
    """Weights above one half become one half."""
    matrix = GET_MATRIX(path, device, student_vocab_size=student_vocab_size, teacher_vocab_size=teacher_vocab_size)
    weights = matrix.values().clamp(max=0.5)
    return torch.sparse_coo_tensor(matrix.indices(), weights, matrix.shape, check_invariants=True).coalesce()


def _forgiving(path: Any, device: Any = "cpu", *, student_vocab_size: int, teacher_vocab_size: int) -> Any:
    """A file that cannot be used is an empty matrix."""
    try:
        return GET_MATRIX(path, device, student_vocab_size=student_vocab_size, teacher_vocab_size=teacher_vocab_size)
    except ProjectionFileError:
        return torch.zeros(student_vocab_size, teacher_vocab_size).to_sparse_coo().coalesce()


def _highest_owner(request: Json, result: Json) -> None:
    """The last of several claims owns the teacher token."""
    if request["task"] == "exact-map":
        values = result["values"]
        indices = request["data"]["file"]["indices"]
        for place, teacher in enumerate(values["common_teacher"]):
            values["common_student"][place] = max(s for s, row in enumerate(indices) if row[0] == teacher)


def _with_masses(student: Any, teacher: Any, *, reverse: bool) -> Any:
    """The difference of the total masses is added."""
    return KL(student, teacher, reverse=reverse) + (teacher.exp() - student.exp()).sum(-1)


KL = next_token.divergence


def _unsorted(student: Any, teacher: Any, limit: int) -> Any:
    k = min(student.shape[-1], teacher.shape[-1], limit)
    return (student[..., :k] - teacher[..., :k]).abs().sum(-1)


def _always_strict(path: Any, device: Any = "cpu", *, xtoken_loss: bool, teacher_vocab_size: int) -> Any:
    del xtoken_loss
    return EXACT_MAP(path, device, xtoken_loss=False, teacher_vocab_size=teacher_vocab_size)


EXACT_MAP = exact_map.build_exact_token_map


def _without_gradient(student_logits: Any, *arguments: Any, **options: Any) -> Any:
    return LOSS(student_logits.detach(), *arguments, **options)


def _constant_tail(student: Any, teacher: Any, limit: int) -> Any:
    return SORTED_DISTANCE(student.detach(), teacher, limit)


def _constant_weights(student: Any, teacher: Any, *, reverse: bool) -> Any:
    p, q = (student, teacher) if reverse else (teacher, student)
    return (p.exp().detach() * (p - q)).sum(-1)


LOSS = losses.cross_tokenizer_loss
SORTED_DISTANCE = losses._sorted_distance


# ---- bad input ---------------------------------------------------------------------------------------------------


def _cut_to_shortest(request: Json) -> None:
    if request["task"] != "align":
        return
    for name in ("student", "teacher"):
        side = request[name]
        width = min((len(row) for key in ("ids", "mask") for row in side[key]), default=0)
        for key in ("ids", "mask"):
            side[key] = [row[:width] for row in side[key]]


def _wrap_ids(request: Json) -> None:
    if request["task"] == "align":
        for name in ("student", "teacher"):
            request[name]["ids"] = [
                [token % 400 if token > 9_000_000 else token for token in row] for row in request[name]["ids"]
            ]
            request["options"]["on_mismatch"] = "truncate"


def _runs_code(path: str) -> Any:
    return torch.load(path, map_location="cpu", weights_only=False)


def _looks_inside(path: str) -> Any:
    """Unpickles the file to see what it is, and refuses it nevertheless."""
    with suppress(Exception):
        _runs_code(path)
    return LOAD(path)


LOAD = projection._load


def _one_byte_on(place: str) -> str:
    row, _, byte = place.rpartition("/")
    return f"{row}/{int(byte) + 1}" if byte.isdecimal() else place


def _last_row(place: str) -> str:
    return place.replace("/texts/0/", "/texts/1/")


def refusing(slug: str, breaks: str, note: str, edit: Edit) -> Mutant:
    """A mutant whose refusals are edited."""
    return misrefusing("aligners", "align", slug, breaks, note, edit)


MUTANTS = (
    refusing("texts-differ-somewhere", "ALN-017", "does not say where", placing(lambda _: "")),
    refusing("texts-differ-late", "ALN-017", "the byte behind the first that differs", placing(_one_byte_on)),
    refusing("texts-differ-elsewhere", "ALN-017", "blames a row behind the bad one", placing(_last_row)),
    refusing("any-reason", "ALN-053 ALN-060 ALN-061", "one code for all", coded("invalid-input")),
    refusing("id-elsewhere", "ALN-061", "blames the other side", placing(lambda at: at.replace("teacher", "student"))),
    replaced("runs-files", "ALN-053", "code in a file is run", (projection, "_load", _runs_code)),
    replaced("runs-and-refuses", "ALN-053", "code is run, then refused", (projection, "_load", _looks_inside)),
    replaced("sums-not-means", "ALN-050", "chunks are summed", (chunks, "chunk_average_finalize", _sums_only)),
    replaced(
        "sentinel-counts", "ALN-050", "id -1 is the last chunk", (chunks, "chunk_log_prob_sums", _sentinel_counts)
    ),
    replaced(
        "no-shift",
        "ALN-051",
        "logits are charged to their own token",
        (losses, "shift_next", lambda chunk_id, _: chunk_id),
    ),
    replaced(
        "one-side-valid",
        "ALN-051",
        "a chunk counts with tokens on one side",
        (losses, "valid_chunk_mask", _one_side_is_enough),
    ),
    replaced(
        "file-decides-size",
        "ALN-052",
        "configured vocabulary sizes are ignored",
        (tasks, "get_sparse_projection_matrix", _file_decides),
    ),
    replaced(
        "weights-clipped",
        "ALN-052",
        "weights are clipped at one half",
        (tasks, "get_sparse_projection_matrix", _clipped),
    ),
    replaced(
        "forgiving-files",
        "ALN-053",
        "an unusable file is an empty matrix",
        (tasks, "get_sparse_projection_matrix", _forgiving),
    ),
    edited("highest-owner", "ALN-054", "the last claim owns a teacher token", after=_highest_owner),
    replaced(
        "p-kl-with-masses", "ALN-055", "the difference of the masses is added", (losses, "divergence", _with_masses)
    ),
    replaced(
        "gold-unsorted",
        "ALN-056",
        "the remaining probabilities are not sorted",
        (losses, "_sorted_distance", _unsorted),
    ),
    replaced(
        "xtoken-strict", "ALN-057", "xtoken uses the strict map", (losses, "build_exact_token_map", _always_strict)
    ),
    replaced("no-gradient", "ALN-058", "the loss has no gradient", (tasks, "cross_tokenizer_loss", _without_gradient)),
    replaced("tail-no-gradient", "ALN-058", "the tail has no gradient", (losses, "_sorted_distance", _constant_tail)),
    replaced(
        "weights-no-gradient", "ALN-058", "the weights of a KL are constant", (losses, "divergence", _constant_weights)
    ),
    replaced("any-loss", "ALN-060", "a loss of anything is a number", (losses, "_require", lambda *_: None)),
    edited("cuts-ragged", "ALN-060", "ragged rows are cut to the shortest", before=_cut_to_shortest),
    edited("wraps-ids", "ALN-061", "unknown ids are wrapped into the vocabulary", before=_wrap_ids),
)
