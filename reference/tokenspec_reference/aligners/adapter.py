"""The aligner behind the adapter protocol: plain JSON in, plain JSON out. One operation, ten tasks."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.aligners.alignment import (
    AlignmentBatch,
    AlignmentPair,
    drop_padding,
    pairs_to_batch,
    remap_pairs,
    spans_of,
)
from tokenspec_reference.aligners.canonical import canonical_token, canonicalize_sequence
from tokenspec_reference.aligners.errors import AlignmentInputError, ProjectionFileError, TextMismatch
from tokenspec_reference.aligners.loss_utils import (
    LossOptions,
    build_exact_token_map,
    chunk_average_log_probs,
    cross_tokenizer_loss,
    get_sparse_projection_matrix,
)
from tokenspec_reference.aligners.nw_compat import align_tokens
from tokenspec_reference.aligners.nw_rows import align_rows
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.aligners.token_aligner import TokenAligner
from tokenspec_reference.errors import TokenSpecError, placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.loaded_model import LoadedModel

Json = dict[str, Any]


def align(request: Json, models: Mapping[str, LoadedModel]) -> Json:
    """Answer one request; ``request["task"]`` says which."""
    with placed(_place):
        if request["task"] == "align":
            return _align(request, models)
        return TASKS[request["task"]](request)


def _place(error: TokenSpecError) -> str:
    """The pointer to what an error calls ``student_ids[0][3]``, ``teacher_attention_mask`` or ``path``."""
    if isinstance(error, TextMismatch):
        return f"/teacher/texts/{error.row}/{error.byte}"
    if isinstance(error, ProjectionFileError):
        return "/data/file"
    side, _, rest = (error.field or "").replace("attention_mask", "mask").partition("_")
    if side in ("student", "teacher"):
        return f"/{side}/{rest.replace('][', '/').replace('[', '/').replace(']', '')}"
    return f"/options/{error.field}" if error.field else ""


def _align(request: Json, models: Mapping[str, LoadedModel]) -> Json:
    student, teacher = request["student"], request["teacher"]
    tokenizers = [models[side["model"]].tokenizer for side in (student, teacher)]
    options = json.dumps(request["options"], sort_keys=True)
    aligner = _aligner(tokenizers[0], tokenizers[1], request["profile"], options)
    ids = _tensor(student["ids"], "student_ids"), _tensor(teacher["ids"], "teacher_ids")
    batch = aligner.align(
        *ids,
        student_attention_mask=_tensor(student["mask"], "student_attention_mask"),
        teacher_attention_mask=_tensor(teacher["mask"], "teacher_attention_mask"),
    )
    if request["profile"] == "boundary":
        return _batch(batch)
    return {**_batch(batch), "pairs": [_spans(row) for row in aligner.compat_pairs(*ids)]}


@lru_cache(maxsize=4)
def _aligner(student: Any, teacher: Any, profile: Any, options: str) -> TokenAligner:
    """One aligner per pair of rows, so that its tables are made once."""
    chosen = json.loads(options)
    if profile == "boundary" and not chosen.get("special_roles"):
        student, teacher = _piece_table(student), _piece_table(teacher)
    return TokenAligner(student, teacher, profile=profile, **chosen)


@lru_cache(maxsize=4)
def _piece_table(tokenizer: Any) -> PieceTable:
    return PieceTable.from_tokenizer(tokenizer)


def _tensor(rows: list[list[int]], field: str) -> torch.Tensor:
    if len({len(row) for row in rows}) > 1:
        raise AlignmentInputError("has rows of different lengths; pad them and pass a mask", field=field)
    return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), -1 if rows and rows[0] else 0)


def _batch(batch: AlignmentBatch) -> Json:
    return {
        "pairs": spans_of(batch),
        "student_chunk_id": batch.student_chunk_id.tolist(),
        "teacher_chunk_id": batch.teacher_chunk_id.tolist(),
        "pair_valid": batch.pair_valid.tolist(),
        "pair_is_correct": batch.pair_is_correct.tolist(),
        "student_exact": batch.student_exact_partition_mask.tolist(),
        "teacher_exact": batch.teacher_exact_partition_mask.tolist(),
        "num_chunks": batch.num_chunks.tolist(),
    }


def _spans(pairs: list[AlignmentPair[str]]) -> list[tuple[int, int, int, int]]:
    return [(*pair.student, *pair.teacher) for pair in pairs]


def _align_pieces(request: Json) -> Json:
    data, options = request["data"], request["options"]
    if request["profile"] == "boundary":
        return _align_boundary_pieces(data, options)
    rows = [
        align_tokens(student, teacher, **options)
        for student, teacher in zip(data["student"], data["teacher"], strict=True)
    ]
    batch = pairs_to_batch(
        rows,
        student_length=max(map(len, data["student"]), default=0),
        teacher_length=max(map(len, data["teacher"]), default=0),
    )
    masks = {
        f"{side}_attention_mask": _tensor(data[f"{side}_mask"], f"{side}_mask")
        for side in ("student", "teacher")
        if data.get(f"{side}_mask") is not None
    }
    return {**_batch(drop_padding(batch, **masks)), "pairs": [_spans(row) for row in rows]}


def _align_boundary_pieces(data: Json, options: Json) -> Json:
    """Pieces ``[kind, value]`` become two made-up vocabularies; ``student_habits`` are what its tokenizer does."""
    tables, ids, masks = [], [], []
    for side in ("student", "teacher"):
        vocabulary = sorted({tuple(piece) for row in data[side] for piece in row})
        spelled = {"text": str.encode, "hex": bytes.fromhex, "run": _run}
        pieces = tuple(spelled[kind](value) if kind in spelled else b"" for kind, value in vocabulary)
        roles = tuple(value if kind == "special" else "" for kind, value in vocabulary)
        tables.append(PieceTable(side, pieces, roles, **data.get(f"{side}_habits", {})))
        ids.append(_tensor([[vocabulary.index(tuple(piece)) for piece in row] for row in data[side]], side))
        masks.append(_tensor([[int(kind != "padding") for kind, _ in row] for row in data[side]], side))
    aligner = TokenAligner(tables[0], tables[1], **options)
    return _batch(aligner.align(*ids, student_attention_mask=masks[0], teacher_attention_mask=masks[1]))


def _run(value: str) -> bytes:
    """``3 ab`` is ``ababab``."""
    count, _, text = value.partition(" ")
    return text.encode() * int(count)


def _align_canonical(request: Json) -> Json:
    data, options = request["data"], request["options"]
    kernel = align_scalar if options.get("path") == "scalar" else align_rows
    pairs, score = kernel(data["student"], data["teacher"], max_comb_len=options.get("max_comb_len", 4))
    return {"pairs": [_spans(pairs)], "score": score}


def _canonical_token(request: Json) -> Json:
    return {"canonical": [canonical_token(token) for token in request["data"]["tokens"]]}


def _canonical_sequence(request: Json) -> Json:
    canonical, ranges = canonicalize_sequence(request["data"]["tokens"])
    return {"canonical": canonical, "ranges": ranges}


def _remap(request: Json) -> Json:
    data = request["data"]
    pairs: list[AlignmentPair[str]] = [AlignmentPair([], [], *pair) for pair in data["pairs"]]
    return {"pairs": [_spans(remap_pairs(pairs, data["student_ranges"], data["teacher_ranges"]))]}


def _chunk_average(request: Json) -> Json:
    data = request["data"]
    means, sizes = chunk_average_log_probs(
        torch.tensor(data["log_probs"], dtype=torch.float64), torch.tensor(data["chunk_id"]), data["max_chunks"]
    )
    return {"values": {"means": means.tolist(), "sizes": sizes.tolist()}}


@contextmanager
def _projection_file(file: Json) -> Iterator[Path]:
    """Write the described file where only this call sees it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "projection.pt")
        if file["kind"] == "dense":
            tensors = {name: torch.tensor(file[name]) for name in ("indices", "likelihoods")}
            torch.save(tensors, path)
        elif file["kind"] == "sparse":
            torch.save({(s, t): weight for s, t, weight in file["entries"]}, path)
        elif file["kind"] == "hex":
            path.write_bytes(bytes.fromhex(file["hex"]))
        yield path


def _projection(request: Json) -> Json:
    data = request["data"]
    with _projection_file(data["file"]) as path:
        matrix = get_sparse_projection_matrix(
            path, student_vocab_size=data["student_vocab_size"], teacher_vocab_size=data["teacher_vocab_size"]
        )
    entries = zip(*matrix.indices().tolist(), matrix.values().tolist(), strict=True)
    return {"values": {"shape": list(matrix.shape), "entries": [list(entry) for entry in entries]}}


def _exact_map(request: Json) -> Json:
    data = request["data"]
    with _projection_file(data["file"]) as path:
        found = build_exact_token_map(path, xtoken_loss=data["xtoken"], teacher_vocab_size=data["teacher_vocab_size"])
    return {"values": {name: ids.tolist() for name, ids in found.items()}}  # type: ignore[attr-defined]


def _loss(request: Json) -> Json:
    data = request["data"]
    none = torch.zeros(0)
    alignment = AlignmentBatch(
        pair_valid=torch.tensor(data["pair_valid"]),
        pair_is_correct=torch.tensor(data["pair_is_correct"]),
        student_exact_partition_mask=none,
        teacher_exact_partition_mask=none,
        student_chunk_id=torch.tensor(data["student_chunk_id"]),
        teacher_chunk_id=torch.tensor(data["teacher_chunk_id"]),
        num_chunks=none,
    )
    student_logits = torch.tensor(data["student_logits"], requires_grad=True)
    with placed(_place_in_loss), _projection_file(data["file"]) as path:
        terms = cross_tokenizer_loss(
            student_logits,
            torch.tensor(data["teacher_logits"]),
            alignment,
            mode=data["mode"],
            projection_matrix_path=path,
            teacher_vocab_size=data["teacher_vocab_size"],
            options=LossOptions(**data["options"]),
            sample_mask=torch.tensor(data["sample_mask"]),
        )
    names = ("loss", "kl", "l1", "valid_chunks")
    values: Json = {name: float(getattr(terms, name).detach()) for name in names}
    if "gradient" in data.get("want", ()):
        if terms.loss.requires_grad:
            terms.loss.backward()
        found = student_logits.grad
        values["gradient"] = (torch.zeros_like(student_logits) if found is None else found).tolist()
    return {"values": values}


def _place_in_loss(error: TokenSpecError) -> str:
    if isinstance(error, ProjectionFileError):
        return _place(error)
    is_option = error.field in {option.name for option in fields(LossOptions)}
    return f"/data/options/{error.field}" if is_option else f"/data/{error.field}"


TASKS: dict[str, Callable[[Json], Json]] = {
    "align-pieces": _align_pieces,
    "align-canonical": _align_canonical,
    "canonical-token": _canonical_token,
    "canonical-sequence": _canonical_sequence,
    "remap": _remap,
    "chunk-average": _chunk_average,
    "projection": _projection,
    "exact-map": _exact_map,
    "loss": _loss,
}
