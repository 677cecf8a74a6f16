"""Blessing: cells go to their oracle, its answers go to the store. Making and flipping goldens are this loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.oracle_version import same_answer
from tokenspec.areas.selection import goldens_path
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models import AssetsMissing, Row, load
from tokenspec.oracle.transformers import OracleRefuses
from tokenspec.store.golden_files import write_goldens
from tokenspec.store.records import Golden


@dataclass(frozen=True)
class Change:
    """What the oracle says of a cell today (``new``), and what the store said (``old``); None is nothing."""

    cell: Cell
    old: Golden | None
    new: Golden | None


@dataclass
class Blessing:
    """What became of the cells of a blessing.

    Attributes:
        equal: how many goldens the oracle confirms.
        made: goldens there were none of, written.
        replaced: goldens that differed, written because that was asked for.
        differing: goldens that differ and were left alone.
        refused: cells whose oracle refuses unexpectedly, with what it said.
        missing: rows whose files are not here, with the cure.
    """

    equal: int = 0
    made: list[Change] = field(default_factory=list)
    replaced: list[Change] = field(default_factory=list)
    differing: list[Change] = field(default_factory=list)
    refused: list[tuple[Cell, str]] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def list_of(self, change: Change, *, overwrite: bool) -> list[Change] | None:
        """Where a change belongs; None, counted, where nothing changed."""
        if change.old is None:
            return self.made
        old, new = change.old, change.new
        if new is not None and old.input_sha256 == new.input_sha256 and same_answer(old, new):
            self.equal += 1
            return None
        return self.replaced if overwrite else self.differing


def ask_oracle(cell: Cell, rows: Mapping[str, Row] | None = None) -> Golden:
    """The golden the oracle makes of this cell today. Raises AssetsMissing when the row's files are not here."""
    if cell.area.oracle is None:
        raise UsageError(f"{cell.name}: nothing is expected of this area's cells; there is no oracle to bless from")
    return cell.area.oracle(cell.case, cell.row, rows or {model: load(model) for model in models_of(cell.row)})


def bless(
    cells: Iterable[Cell], *, overwrite: bool = False, on_cell: Callable[[Cell], None] = lambda _cell: None
) -> Blessing:
    """Ask about every cell; write what is missing and, with ``overwrite``, what differs.

    Cells of one row and area lie together and are written together, so that a blessing that is killed leaves whole
    files: of the rows before it the new ones, of the others the old ones.
    """
    done = Blessing()
    for (row, _), group in groupby(cells, key=lambda cell: (cell.row, cell.area.name)):
        written: list[Change] = []
        for cell in group:
            on_cell(cell)
            try:
                change = Change(cell, cell.golden, ask_oracle(cell))
            except AssetsMissing as missing:
                done.missing[row] = str(missing)
            except OracleRefuses as refusal:
                done.refused.append((cell, str(refusal)))
            else:
                kept = done.list_of(change, overwrite=overwrite)
                if kept is not None:
                    kept.append(change)
                if kept is done.made or kept is done.replaced:
                    written.append(change)
        write_each(written, lambda cell: goldens_path(cell.row, cell.area.name))
    return done


def write_each(changes: Iterable[Change], place: Callable[[Cell], Path]) -> None:
    """Write changes where ``place`` says, file by file; None takes a golden out."""
    by_file: dict[Path, dict[str, Golden | None]] = {}
    for change in changes:
        by_file.setdefault(place(change.cell), {})[change.cell.case.slug] = change.new
    for path, goldens in by_file.items():
        write_goldens(path, goldens)


def entry_names(changes: Iterable[Change]) -> Iterator[str]:
    """The names of the goldens that changed, as lists and errata have them."""
    for change in changes:
        path = goldens_path(change.cell.row, change.cell.area.name).relative_to(fixtures_dir())
        yield f"{path.with_suffix('').as_posix()}#{change.cell.case.slug}"
