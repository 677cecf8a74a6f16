"""Aligners: the ids of two tokenizers for one text, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from tokenspec.model import Case, Golden

from . import NO_ROW, Area

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec

Task = Literal[
    "align",
    "align-pieces",
    "align-canonical",
    "canonical-token",
    "canonical-sequence",
    "remap",
    "chunk-average",
    "projection",
    "exact-map",
    "loss",
]
Ids = list[int]

PAIRS = (
    ("qwen3", "deepseek-v3"),
    ("llama-3.2", "qwen3"),
    ("gpt-oss", "llama-3.2"),
    ("deepseek-v3", "gpt-oss"),
    ("gemma-4", "qwen3"),
    ("llama-spm", "qwen3"),
    ("llama-spm", "gemma-4"),
    ("toy-bpe", "toy-ranks"),
    ("toy-metaspace", "toy-bpe"),
    ("toy-added", "toy-bpe"),
    ("toy-ranks", "toy-metaspace"),
)


class SideInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """How one side of one row is made: special tokens, the text's tokens (the first ``take``), padding.

    ``text`` overrides the row's text. ``before`` and ``after`` name attributes (``bos_token``); one that the tokenizer
    does not have adds nothing. Padding is masked.
    """

    text: str | None = None
    before: list[str] = []
    after: list[str] = []
    take: int | None = None
    left: int = 0
    right: int = 0


class RowInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One row of the batch."""

    text: str
    student: SideInput = SideInput()
    teacher: SideInput = SideInput()


class AlignersInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """``align`` needs two models and makes its ids from ``batch``; every other task carries its values in ``data``.

    ``edit`` damages an ``align`` request on purpose, for refusals.
    """

    task: Task
    profile: Literal["boundary", "nw-compat"] = "boundary"
    batch: list[RowInput] = []
    options: dict[str, Any] = {}
    data: dict[str, Any] = {}
    edit: Literal["ragged", "mask-shape", "batch-size", "bad-id", "bad-option"] | None = None


class AlignersOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns; an alignment needs chunk ids of both sides, or pairs.

    Attributes:
        student_chunk_id, teacher_chunk_id: per row and position.
        pairs: per row ``[student start, end, teacher start, end]``.
        pair_valid, pair_is_correct: per row and pair slot.
        student_exact, teacher_exact: per row and position.
        num_chunks: per row.
        canonical, ranges: canonical tokens and the original range of each.
        score: of a dynamic programme, in the units of the profile.
        values: named numbers and nested lists of the remaining tasks.
    """

    student_chunk_id: list[Ids] | None = None
    teacher_chunk_id: list[Ids] | None = None
    pairs: list[list[tuple[int, int, int, int]]] | None = None
    pair_valid: list[list[bool]] | None = None
    pair_is_correct: list[list[bool]] | None = None
    student_exact: list[list[bool]] | None = None
    teacher_exact: list[list[bool]] | None = None
    num_chunks: list[int] | None = None
    canonical: list[str] | None = None
    ranges: list[tuple[int, int]] | None = None
    score: float | None = None
    values: dict[str, Any] | None = None


class AlignersExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The oracle's answer; only what the task has. ``student_ids`` and ``teacher_ids`` are what the oracle aligned."""

    student_ids: list[Ids] | None = None
    teacher_ids: list[Ids] | None = None
    student_chunk_id: list[Ids] | None = None
    teacher_chunk_id: list[Ids] | None = None
    pairs: list[list[tuple[int, int, int, int]]] | None = None
    correct: list[str] | None = None
    canonical: list[str] | None = None
    ranges: list[tuple[int, int]] | None = None
    score: float | None = None
    values: dict[str, Any] | None = None


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """``align`` runs on every pair whose rows exist, the other tasks need no model."""
    if case.input["task"] != "align":
        return [NO_ROW]
    known = {spec.id for spec in specs}
    return [f"{student}+{teacher}" for student, teacher in PAIRS if {student, teacher} <= known]


def request(case: Case, row: str) -> dict[str, Any]:
    """Ids, masks and texts for ``align``; the case's own values for everything else."""
    from tokenspec.oracle.alignment_request import align_request, plain_request

    return align_request(case, row) if case.input["task"] == "align" else plain_request(case)


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """``boundary``: a two-pointer walk over the text. ``nw-compat``: the upstream code itself, from a checkout."""
    from tokenspec.oracle.alignment_golden import alignment_golden

    return alignment_golden(case, row, rows_by_id)


AREA = Area(
    name="aligners",
    title="Aligners: the ids of two tokenizers for one text",
    prefix="ALN",
    operation="align",
    levels=("SPANS", "COMPAT", "LOSS"),
    input_type=AlignersInput,
    output_type=AlignersOutput,
    expect_type=AlignersExpect,
    rows=rows,
    request=request,
    oracle=oracle,
)
