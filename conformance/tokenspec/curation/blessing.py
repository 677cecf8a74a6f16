"""Asking the oracle of a cell's area, on loaded rows."""

from __future__ import annotations

from tokenspec.areas.area import Cell, models_of
from tokenspec.errors import UsageError
from tokenspec.models import load
from tokenspec.store.records import Golden


def ask_oracle(cell: Cell) -> Golden:
    """The golden the oracle makes of this cell today. Raises AssetsMissing when the row's files are not here."""
    if cell.area.oracle is None:
        raise UsageError(f"{cell.name}: this area's expectations live in its cases; it has no oracle to bless from")
    return cell.area.oracle(cell.case, cell.row, {model: load(model) for model in models_of(cell.row)})
