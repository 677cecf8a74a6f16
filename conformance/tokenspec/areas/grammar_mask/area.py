"""Grammar masks: a vocabulary, a grammar and the tokens so far become the set of tokens that may come next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.area import NO_ROW, Area
from tokenspec.areas.fast_forward.area import AREA as FAST_FORWARD
from tokenspec.areas.grammar_mask.records import (
    GrammarMaskExpect,
    GrammarMaskInput,
    GrammarMaskOutput,
    GrammarMaskRequest,
)
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Every vocabulary once, as fast-forward has them."""
    return FAST_FORWARD.rows(case, specs)


def request(case: Case, row: str) -> dict[str, Any]:
    """The case's input; it names the row, or brings its vocabulary along."""
    given = msgspec.to_builtins(case.input)
    return {"prefix": [], "vocabulary": None, **given, "model": None if row == NO_ROW else row}


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """An automaton over bytes, asked for every id."""
    from tokenspec.areas.grammar_mask.oracle.golden import mask_golden

    return mask_golden(case, row, rows_by_id)


AREA = Area(
    name="grammar-mask",
    title="Grammar masks: the tokens a grammar allows",
    order=65,
    prefix="MSK",
    operation="grammar_mask",
    levels=("MASK", "MOVES"),
    input_type=GrammarMaskInput,
    output_type=GrammarMaskOutput,
    expect_type=GrammarMaskExpect,
    rows=rows,
    request=request,
    request_type=GrammarMaskRequest,
    oracle=oracle,
)
