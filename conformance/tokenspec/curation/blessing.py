"""Blessing: cells go to their oracle, its answers go to the store. Making and flipping goldens are this loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.oracle_version import same_answer
from tokenspec.areas.selection import goldens_path
from tokenspec.curation.witness_list import WitnessList
from tokenspec.curation.witnesses import Contradiction, Hearing, Present, about, as_heard, hear
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
        contradicted: what witnesses said against goldens that were to be written, and now are not.
        unheard: goldens that were replaced, with the witnesses of the old one that nobody could ask again.
        refused: cells whose oracle refuses unexpectedly, with what it said.
        missing: rows whose files are not here, with the cure.
    """

    equal: int = 0
    made: list[Change] = field(default_factory=list)
    replaced: list[Change] = field(default_factory=list)
    differing: list[Change] = field(default_factory=list)
    contradicted: list[Contradiction] = field(default_factory=list)
    unheard: list[tuple[Cell, str]] = field(default_factory=list)
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
    cells: Iterable[Cell],
    *,
    overwrite: bool = False,
    witnesses: Sequence[Present] = (),
    listed: WitnessList | None = None,
    on_cell: Callable[[Cell], None] = lambda _cell: None,
) -> Blessing:
    """Ask about every cell; write what is missing and, with ``overwrite``, what differs, unless a witness contradicts.

    Cells of one row and area lie together and are written together, so that a blessing that is killed leaves whole
    files: of the rows before it the new ones, of the others the old ones.
    """
    done = Blessing()
    for (row, _), group in groupby(cells, key=lambda cell: (cell.row, cell.area.name)):
        pending: list[tuple[list[Change], Change]] = []
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
                if kept is done.differing:
                    kept.append(change)
                elif kept is not None:
                    pending.append((kept, change))
        written = confirmed(pending, witnesses, listed or WitnessList(), done)
        write_each(written, lambda cell: goldens_path(cell.row, cell.area.name))
    return done


def confirmed(
    pending: Sequence[tuple[list[Change], Change]], witnesses: Sequence[Present], listed: WitnessList, done: Blessing
) -> list[Change]:
    """The changes no witness contradicts, with the names of those who agree; each is put on its list."""
    asked = [about(change.cell, change.new) for _, change in pending if change.new is not None]
    hearing = hear(asked, witnesses, listed)
    done.contradicted += hearing.contradicted
    kept: list[Change] = []
    for place, change in pending:
        if change.new is None or hearing.contradicts(change.cell):
            continue
        new = as_heard(change.new, change.cell, hearing)
        done.unheard += [(change.cell, name) for name in heard_of(change.old) if name not in heard_of(new)]
        kept.append(replace(change, new=new))
        place.append(kept[-1])
    return kept


def heard_of(golden: Golden | None) -> list[str]:
    """The programs that a golden names, whether they agree or answer otherwise."""
    return [] if golden is None else [*golden.witnesses, *(answer.by for answer in golden.answers.values())]


def testify(cells: Sequence[Cell], witnesses: Sequence[Present], listed: WitnessList) -> tuple[Hearing, list[Change]]:
    """Ask the witnesses about goldens that stand: what they said, and the goldens whose witnesses it changes.

    A golden that is contradicted is left as it is.
    """
    hearing, changes = hear(cells, witnesses, listed), []
    for cell in cells:
        old = cell.golden
        if old is None or hearing.contradicts(cell):
            continue
        new = as_heard(old, cell, hearing)
        if new != old:
            changes.append(Change(cell, old, new))
    return hearing, changes


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
