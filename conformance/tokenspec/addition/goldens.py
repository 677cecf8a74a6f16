"""The goldens of a candidate row, made by each area's oracle into a folder of their own; no other row's are touched."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokenspec.addition.files import AdditionRefused
from tokenspec.areas import areas
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import goldens_path, load_cases, rows_of
from tokenspec.curation.blessing import Change, ask_oracle, write_each
from tokenspec.data import fixtures_dir
from tokenspec.models.assemble import pin
from tokenspec.models.cache import keep_folder, row_folder
from tokenspec.models.errors import AssetsMissing
from tokenspec.models.rows import candidate, specs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tokenspec.models.rows import Row
    from tokenspec.models.spec import RowSpec
    from tokenspec.store.records import Golden

Made = list[tuple[Cell, "Golden"]]


@contextmanager
def known(spec: RowSpec, files: Mapping[str, bytes], goldens: Path | None = None) -> Iterator[None]:
    """Within the block the candidate counts among the rows and can be loaded; its folder goes if it was not there."""
    place = row_folder(spec.id, pin(spec))
    kept = not place.exists()
    if kept:
        keep_folder(place, files)
    try:
        with candidate(spec, goldens):
            yield
    finally:
        if kept:
            shutil.rmtree(place)


def displaced(spec: RowSpec) -> list[str]:
    """Cells of other rows that would be nobody's once the candidate is there: it takes their place for a vocabulary."""
    rows = [row for row in specs().values() if row.id != spec.id]
    lost = []
    for area in areas().values():
        for case in load_cases(area) if area.oracle else ():
            gone = set(rows_of(area, case, rows)) - set(rows_of(area, case, [*rows, spec]))
            lost += [f"{area.name}/{row}/{case.slug}" for row in sorted(gone)]
    return lost


def cells_of(row: str) -> list[Cell]:
    """Every case of every area with an oracle that applies to the row alone; pairs name their rows themselves."""
    found = []
    for area in areas().values():
        if area.oracle is None:
            continue
        for case in load_cases(area):
            keys = rows_of(area, case, list(specs().values()))
            found += [Cell(area, case, key, None) for key in keys if key == row]
    return found


def make_goldens(row: Row, stage: Path, step: Callable[[int, int], None]) -> Made:
    """Ask the oracle of each cell and write the goldens below ``stage``, laid out as below ``fixtures/golden``."""
    made: Made = []
    cells = cells_of(row.id)
    for number, cell in enumerate(cells):
        step(number, len(cells))
        made.append((cell, _ask(cell, row)))
    write_each(
        (Change(cell, None, golden) for cell, golden in made),
        lambda cell: stage / goldens_path(cell.row, cell.area.name).relative_to(fixtures_dir() / "golden"),
    )
    return made


def _ask(cell: Cell, row: Row) -> Golden:
    """One golden; an oracle that breaks on this vocabulary or template is a reason to refuse the row, with its case."""
    try:
        return ask_oracle(cell, {row.id: row})
    except AssetsMissing:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise AdditionRefused(cell.row, [f"the oracle of {cell.area.name} breaks on {cell.case.id}: {what}"]) from error
