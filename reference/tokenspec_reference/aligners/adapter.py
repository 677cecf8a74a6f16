"""The aligner behind the adapter protocol: plain JSON in, plain JSON out. One operation, many tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.aligners.adapter_losses import LOSS_TASKS, known
from tokenspec_reference.aligners.alignment import (
    AlignmentBatch,
    AlignmentPair,
    drop_padding,
    pairs_to_batch,
    remap_pairs,
    spans_of,
)
from tokenspec_reference.aligners.canonical import canonical_token, canonicalize_sequence
from tokenspec_reference.aligners.errors import AlignmentInputError, TextMismatch
from tokenspec_reference.aligners.nw_compat import align_tokens
from tokenspec_reference.aligners.nw_rows import align_rows
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.nw_scores import Scores
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.aligners.roles import ROLE_OF_SPELLING
from tokenspec_reference.aligners.token_aligner import TokenAligner
from tokenspec_reference.errors import TokenSpecError, placed

if TYPE_CHECKING:
    from tokenspec_reference.loaded_model import LoadedModel

Json = dict[str, Any]

SCORES = frozenset(field.name for field in fields(Scores))
OF_BOUNDARY = frozenset({"on_mismatch", "special_roles"})
OF_COMPAT = SCORES | {"max_comb_len", "anchor_lengths"}
OF_CANONICAL = SCORES | {"max_comb_len", "path"}
"""The options of each profile, and of one call of the kernel."""


def align(request: Json, models: Mapping[str, LoadedModel]) -> Json:
    """Answer one request; ``request["task"]`` says which."""
    with placed(_place):
        if request["task"] == "align":
            return _align(request, models)
        return TASKS[request["task"]](request)


def _place(error: TokenSpecError) -> str:
    """The pointer to what an error calls ``student_ids[0][3]``, ``data/student`` or ``options/path``."""
    if isinstance(error, TextMismatch):
        return f"/teacher/texts/{error.row}/{error.byte}"
    if error.field and error.field.startswith(("data/", "options/")):
        return f"/{error.field}"
    side, _, rest = (error.field or "").replace("attention_mask", "mask").partition("_")
    if side in ("student", "teacher"):
        return f"/{side}/{rest.replace('[', '/').replace(']', '')}"
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
    if profile != "boundary":
        scores, others = _scores(chosen, OF_COMPAT)
        return TokenAligner(student, teacher, profile=profile, scores=scores, **others)
    if not known(chosen, OF_BOUNDARY).get("special_roles"):
        student, teacher = _piece_table(student), _piece_table(teacher)
    return TokenAligner(student, teacher, **chosen)


@lru_cache(maxsize=4)
def _piece_table(tokenizer: Any) -> PieceTable:
    return PieceTable.from_tokenizer(tokenizer)


def _tensor(rows: list[list[int]], field: str) -> torch.Tensor:
    width = _width(rows, field)
    return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), width)


def _width(rows: list[list[Any]], field: str) -> int:
    """The length of every row."""
    lengths = {len(row) for row in rows} or {0}
    if len(lengths) > 1:
        raise AlignmentInputError("has rows of different lengths; pad them and pass a mask", field=field)
    return lengths.pop()


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
    data = request["data"]
    if request["profile"] == "boundary":
        return _align_boundary_pieces(data, known(request["options"], OF_BOUNDARY))
    scores, options = _scores(request["options"], OF_COMPAT)
    rows = [
        align_tokens(student, teacher, scores=scores, **options)
        for student, teacher in zip(data["student"], data["teacher"], strict=True)
    ]
    batch = pairs_to_batch(
        rows,
        student_length=_width(data["student"], "data/student"),
        teacher_length=_width(data["teacher"], "data/teacher"),
    )
    masks = {
        f"{side}_attention_mask": _mask(data[f"{side}_mask"], chunk_id, f"data/{side}_mask")
        for side, chunk_id in (("student", batch.student_chunk_id), ("teacher", batch.teacher_chunk_id))
        if data.get(f"{side}_mask") is not None
    }
    return {**_batch(drop_padding(batch, **masks)), "pairs": [_spans(row) for row in rows]}


def _mask(rows: list[list[int]], chunk_id: torch.Tensor, field: str) -> torch.Tensor:
    mask = _tensor(rows, field)
    if mask.shape != chunk_id.shape:
        raise AlignmentInputError(f"must have the shape {tuple(chunk_id.shape)} of its pieces", field=field)
    return mask


def _align_boundary_pieces(data: Json, options: Json) -> Json:
    """Pieces ``[kind, value]`` become two made-up vocabularies; ``student_habits`` are what its tokenizer does."""
    tables, ids, masks = [], [], []
    for side in ("student", "teacher"):
        vocabulary = sorted({tuple(piece) for row in data[side] for piece in row})
        spelled = {"text": str.encode, "hex": bytes.fromhex, "run": _run}
        pieces = tuple(spelled[kind](value) if kind in spelled else b"" for kind, value in vocabulary)
        roles = tuple(map(_role, vocabulary))
        tables.append(PieceTable(pieces, roles, **data.get(f"{side}_habits", {})))
        ids.append(_tensor([[vocabulary.index(tuple(piece)) for piece in row] for row in data[side]], f"data/{side}"))
        masks.append(_tensor([[int(kind != "padding") for kind, _ in row] for row in data[side]], f"data/{side}"))
    aligner = TokenAligner(tables[0], tables[1], **options)
    return _batch(aligner.align(*ids, student_attention_mask=masks[0], teacher_attention_mask=masks[1]))


def _role(piece: tuple[str, str]) -> str:
    """Special tokens are given with their role, or ``named`` by their spelling."""
    kind, value = piece
    return ROLE_OF_SPELLING.get(value, value) if kind == "named" else value if kind == "special" else ""


def _run(value: str) -> bytes:
    """``3 ab`` is ``ababab``."""
    count, _, text = value.partition(" ")
    return text.encode() * int(count)


def _align_canonical(request: Json) -> Json:
    data = request["data"]
    scores, options = _scores(request["options"], OF_CANONICAL)
    kernel = align_scalar if options.get("path") == "scalar" else align_rows
    pairs, score = kernel(data["student"], data["teacher"], max_comb_len=options.get("max_comb_len", 4), scores=scores)
    return {"pairs": [_spans(pairs)], "score": score}


def _scores(options: Json, names: frozenset[str]) -> tuple[Scores, Json]:
    """The scores among the options, which all have to be of these names, and the other options."""
    chosen = {name: value for name, value in known(options, names).items() if name in SCORES}
    return Scores(**chosen), {name: value for name, value in options.items() if name not in SCORES}


def _canonical_token(request: Json) -> Json:
    return {"canonical": [canonical_token(token) for token in request["data"]["tokens"]]}


def _canonical_sequence(request: Json) -> Json:
    canonical, ranges = canonicalize_sequence(request["data"]["tokens"])
    return {"canonical": canonical, "ranges": ranges}


def _remap(request: Json) -> Json:
    data = request["data"]
    pairs: list[AlignmentPair[str]] = [AlignmentPair([], [], *pair) for pair in data["pairs"]]
    return {"pairs": [_spans(remap_pairs(pairs, data["student_ranges"], data["teacher_ranges"]))]}


TASKS: dict[str, Callable[[Json], Json]] = {
    "align-pieces": _align_pieces,
    "align-canonical": _align_canonical,
    "canonical-token": _canonical_token,
    "canonical-sequence": _canonical_sequence,
    "remap": _remap,
    **LOSS_TASKS,
}
