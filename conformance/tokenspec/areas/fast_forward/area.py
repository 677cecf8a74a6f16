"""Fast-forward: a vocabulary, a grammar and a prefix become the tokens that are forced next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.area import NO_ROW, Area
from tokenspec.areas.fast_forward.records import (
    FastForwardExpect,
    FastForwardInput,
    FastForwardOutput,
    FastForwardRequest,
)
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec

UNSEEN = {"names", "alike"}
"""Of a case's input, what implementations do not see."""
FIRST = ("qwen3", "deepseek-v3", "llama-3.2", "gemma-4", "gpt-oss", "mistral-nemo", "gpt-2", "phi-3", "llama-spm")


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Every vocabulary once: the rows that share one are represented by the best-known. Stand-ins have no real ids.

    llguidance 1.9.1 lets a byte-level pre-tokenizer add its space, which no grammar forces: no row that declares one.
    """
    if case.input.get("vocabulary") is not None:
        return [NO_ROW]
    known = [
        spec
        for spec in specs
        if spec.status != "stand-in" and "adds-space" not in spec.features and set(case.features) <= set(spec.features)
    ]
    known.sort(key=lambda spec: (FIRST.index(spec.id) if spec.id in FIRST else len(FIRST), spec.id))
    by_vocabulary: dict[str, str] = {}
    for spec in known:
        by_vocabulary.setdefault(spec.tokenizer.sha256, spec.id)
    return list(by_vocabulary.values())


def request(case: Case, row: str) -> dict[str, Any]:
    """The case's input; it names the row, or brings its vocabulary along."""
    given = {key: value for key, value in msgspec.to_builtins(case.input).items() if key not in UNSEEN}
    return {"prefix": [], "vocabulary": None, **given, "model": None if row == NO_ROW else row}


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """Language and forced tokens by llguidance, canonical tokens by re-encoding."""
    from tokenspec.areas.fast_forward.oracle.golden import forced_golden

    return forced_golden(case, row, rows_by_id)


AREA = Area(
    name="fast-forward",
    title="Fast-forward: the tokens a grammar forces",
    order=60,
    prefix="FFT",
    operation="fast_forward",
    levels=("BYTES", "TOKENS", "CANONICAL"),
    input_type=FastForwardInput,
    output_type=FastForwardOutput,
    expect_type=FastForwardExpect,
    rows=rows,
    request=request,
    request_type=FastForwardRequest,
    oracle=oracle,
)
