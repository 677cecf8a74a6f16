"""What goes in and comes out of the area ``aligners``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

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
    "build-projection",
    "distil",
    "chunk-loss",
]


Edit = Literal[
    "ragged",
    "mask-shape",
    "student-mask-shape",
    "batch-size",
    "bad-id",
    "student-bad-id",
    "bad-option",
    "unknown-option",
    "padding-ids",
]
Ids = list[int]


class SideInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """How one side of one row is made: special tokens, the text's tokens (the first ``take``), padding.

    ``text`` overrides the row's text. ``before`` and ``after`` name attributes (``bos_token``) or spellings of special
    tokens; one that the tokenizer does not have adds nothing. Padding is masked.
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

    ``edit`` damages an ``align`` request on purpose, for refusals; ``padding-ids`` damages only what nobody reads.
    """

    task: Task
    profile: Literal["boundary", "nw-compat"] = "boundary"
    batch: list[RowInput] = []
    options: dict[str, Any] = {}
    data: dict[str, Any] = {}
    edit: Edit | None = None


class SideRequest(msgspec.Struct, kw_only=True):
    """One tokenizer's side of a batch: ``ids`` and ``mask`` are padded on the right to the longest row."""

    model: str
    texts: list[str]
    ids: list[Ids]
    mask: list[list[int]]


class AlignersRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked: ``align`` has the two sides, every other task has its values in ``data``."""

    task: Task
    profile: Literal["boundary", "nw-compat"]
    options: dict[str, Any]
    data: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    student: SideRequest | msgspec.UnsetType = msgspec.UNSET
    teacher: SideRequest | msgspec.UnsetType = msgspec.UNSET


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
