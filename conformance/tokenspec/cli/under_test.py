"""What a run asks: the areas that the implementations under test answer, with what judging them takes."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Sequence

from tokenspec.adapters import Column
from tokenspec.areas import areas
from tokenspec.areas.area import Cell
from tokenspec.errors import UsageError

REFERENCE = "reference"


def under_test(columns: Sequence[Column], gate: Collection[str]) -> list[Column]:
    """The columns that decide; where nobody says which, all but the reference, which stands beside them."""
    if gate:
        return [column for column in columns if column.name in gate]
    return [column for column in columns if column.name != REFERENCE] or list(columns)


def answered_by(cells: Sequence[Cell], tested: Sequence[Column]) -> list[Cell]:
    """The cells of the areas that one of these columns answers; all of them where none answers any."""
    return [cell for cell in cells if any(column.has(cell.area.operation) for column in tested)] or list(cells)


def refuse_missing_modules(cells: Sequence[Cell], columns: Sequence[Column]) -> None:
    """What judging takes is here, for every area that some column answers.

    Raises:
        UsageError: naming the module, and what brings it.
    """
    for area in {cell.area.name: cell.area for cell in cells}.values():
        missing = [module for module in area.needs if importlib.util.find_spec(module) is None]
        if missing and any(column.has(area.operation) for column in columns):
            others = " ".join(f"--area {name}" for name, other in areas().items() if not other.needs)
            raise UsageError(
                f"the area {area.name} is judged with {missing[0]}, which is not installed here. "
                f"Run: pip install 'tokenspec[reference]', or leave it out: {others}"
            )
