"""Aligners: the ids of two tokenizers for one text, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenspec.areas.aligners.records import AlignersExpect, AlignersInput, AlignersOutput, AlignersRequest
from tokenspec.areas.area import NO_ROW, Area
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec

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
    ("toy-nfd", "toy-bpe"),
)


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """``align`` runs on every pair whose rows exist, the other tasks need no model."""
    if case.input["task"] != "align":
        return [NO_ROW]
    known = {spec.id for spec in specs}
    return [f"{student}+{teacher}" for student, teacher in PAIRS if {student, teacher} <= known]


def request(case: Case, row: str) -> dict[str, Any]:
    """Ids, masks and texts for ``align``; the case's own values for everything else."""
    from tokenspec.areas.aligners.oracle.request import align_request, plain_request

    return align_request(case, row) if case.input["task"] == "align" else plain_request(case)


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """``boundary``: a two-pointer walk over the text. ``nw-compat``: the upstream code itself, from a checkout."""
    from tokenspec.areas.aligners.oracle.golden import alignment_golden

    return alignment_golden(case, row, rows_by_id)


AREA = Area(
    name="aligners",
    title="Aligners: the ids of two tokenizers for one text",
    order=70,
    prefix="ALN",
    operation="align",
    levels=("SPANS", "COMPAT", "LOSS"),
    input_type=AlignersInput,
    output_type=AlignersOutput,
    expect_type=AlignersExpect,
    rows=rows,
    request=request,
    request_type=AlignersRequest,
    oracle=oracle,
    needs=("transformers",),
)
