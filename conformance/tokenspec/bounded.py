"""Implementations in this process, asked about a stranger's model: its template and tokenizer run within bounds."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from tokenspec.adapters import Column, Outcome
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.guard.strangers import strangers
from tokenspec.models.assets import assets_of
from tokenspec.models.publisher import TOKENIZER
from tokenspec.models.rows import Row, is_strangers

RENDERING = frozenset({"render", "render_media", "parse", "parse_stream", "bridge", "render_template"})
"""Operations in which an implementation renders a template."""


def load_row(column: Column, row: Row) -> Outcome | None:
    """Make a row available to a column; None means it went well."""
    size = (row.directory / TOKENIZER).stat().st_size
    with strangers("tokenizer", size) if isinstance(column, InProcess) and is_strangers(row.id) else nullcontext():
        return column.load(row.id, assets_of(row))


def bounded(column: Column, cell: Cell) -> AbstractContextManager[None]:
    """Bounds for an implementation in this process that renders a stranger's template."""
    is_bounded = isinstance(column, InProcess) and cell.area.operation in RENDERING and is_strangers(cell.row)
    return strangers("template", len(repr(cell.case.input))) if is_bounded else nullcontext()
