"""Which options of a case change the oracle's text: the case is rendered again without each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.render.options import given_options, without_option
from tokenspec.areas.render.records import RenderInput
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options
from tokenspec.store.canonical import convert

if TYPE_CHECKING:
    from tokenspec.models import Row
    from tokenspec.store.records import Case


def effects_of(case: Case, row: Row, text: str) -> dict[str, bool | None]:
    """Per option whether the text without it is another than ``text``; None where the oracle refuses without it."""
    oracle = TransformersOracle(row)
    found: dict[str, bool | None] = {}
    for name in given_options(case.input):
        changed: dict[str, Any] = without_option(case.input, name)
        given = convert(changed, RenderInput, where=f"{case.id}: input")
        try:
            found[name] = oracle.text(given.messages, given.tools, effective_options(row, given.options)) != text
        except OracleRefuses:
            found[name] = None
    return found
