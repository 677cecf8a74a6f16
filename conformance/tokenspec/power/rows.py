"""One row in memory at a time, loaded before processes are made of this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tokenspec.areas.area import Cell, models_of
from tokenspec.models import Row, load


@contextmanager
def row_at_hand(row: str) -> Iterator[dict[str, Row]]:
    """The models of a row, their tokenizers read, once for the suite and once for who is judged.

    Within the block, and in processes made there, ``from_pretrained`` of their folders reads no file.
    """
    from transformers import PreTrainedTokenizerFast

    rows = {model: load(model) for model in models_of(row)}
    kept: dict[str, Any] = {}
    usual = PreTrainedTokenizerFast.from_pretrained
    for found in rows.values():
        found.tokenizer, found.vocabulary  # noqa: B018 - reads both: oracles ask the one, judges the other
        kept[str(found.directory)] = usual(str(found.directory))

    def at_hand(folder: str, *given: Any, **options: Any) -> Any:
        return kept[folder] if folder in kept and not (given or options) else usual(folder, *given, **options)

    PreTrainedTokenizerFast.from_pretrained = at_hand
    try:
        yield rows
    finally:
        PreTrainedTokenizerFast.from_pretrained = usual


def by_row(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """The cells of each row, in the rows' order."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.row, []).append(cell)
    return found
