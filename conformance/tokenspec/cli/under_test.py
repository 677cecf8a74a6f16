"""What a run asks: the areas that the implementations under test answer, with what judging them takes."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Sequence

from tokenspec.adapters import Column
from tokenspec.areas import areas
from tokenspec.areas.area import NO_ROW, Cell
from tokenspec.errors import EXTRAS, UsageError, installing

REFERENCE = "reference"


def under_test(columns: Sequence[Column], gate: Collection[str]) -> list[Column]:
    """The columns that decide; where nobody says which, all but the reference, which stands beside them."""
    if gate:
        return [column for column in columns if column.name in gate]
    return [column for column in columns if column.name != REFERENCE] or list(columns)


def answered_by(cells: Sequence[Cell], tested: Sequence[Column]) -> list[Cell]:
    """The cells of the areas that one of these columns answers; all of them where none answers any."""
    return [cell for cell in cells if any(column.has(cell.area.operation) for column in tested)] or list(cells)


def refuse_missing_modules(cells: Sequence[Cell], columns: Sequence[Column], *, areas_apart: bool = False) -> None:
    """Check that the modules are installed that judging takes, and those that an implementation declares.

    ``areas_apart``: the command has ``--area``, so the message can name the areas that need no module.

    Raises:
        UsageError: a module is missing; the message names the command that installs it.
    """
    for area in {cell.area.name: cell.area for cell in cells}.values():
        missing = [module for module in area.needs if not is_installed(module)]
        if missing and any(column.has(area.operation) for column in columns):
            others = " ".join(f"--area {name}" for name, other in areas().items() if not other.needs)
            instead = f", or leave it out: {others}" if areas_apart else ""
            raise UsageError(
                f"the area {area.name} is judged with {missing[0]}, which is not installed here. "
                f"Run: {installing(missing[0])}{instead}"
            )
    for column in columns:
        if lacking := next((module for module in declared_needs(column, cells) if not is_installed(module)), None):
            raise UsageError(
                f"--impl {column.name} takes {lacking}, which is not installed here. Run: {installing(lacking)}"
            )


def declared_needs(column: Column, cells: Sequence[Cell]) -> list[str]:
    """The modules that an implementation declares (its attribute ``needs``) for what these cells ask of it."""
    needs = getattr(getattr(column, "adapter", None), "needs", {})
    asked = [cell for cell in cells if column.has(cell.area.operation)]
    steps = {"load" for cell in asked if cell.row != NO_ROW} | {cell.area.operation for cell in asked}
    return [module for step in sorted(steps) for module in needs.get(step, ())]


def is_installed(module: str) -> bool:
    """Whether a module can be imported; nothing is imported for it."""
    return importlib.util.find_spec(module) is not None


def no_implementation(command: str | None) -> str:
    """What to do about a missing ``--impl``: the reference, with what installs it where it is not whole here."""
    tried = f"Try: tokenspec {command} --impl reference"
    missing = next((module for module in EXTRAS["reference"] if not is_installed(module)), None)
    return tried if missing is None else f"{tried}, after: {installing(missing)}"
