"""The case files of an area, written from its generators: one file a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tokenspec.areas import area_of, areas, modules
from tokenspec.data import checkout_root, fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.store.case_files import write_cases
from tokenspec.store.records import Case


def themes(area: str) -> dict[str, list[Case]]:
    """The cases of each generator module of an area, by the module's name; none where cases are written by hand."""
    found = {module.__name__.rpartition(".")[2]: module for module in modules("cases", area)}
    return {name: list(module.CASES) for name, module in found.items() if hasattr(module, "CASES")}


def write_area(names: Sequence[str] = (), target: Path | None = None) -> Iterator[str]:
    """Write the case files of areas below ``target`` (default: the fixtures), and take away those without a module.

    Raises:
        UsageError: there is no such area, or no checkout with generators.
    """
    if checkout_root() is None:
        raise UsageError("generators live in the source checkout, not in the wheel; clone the repository")
    for area in [area_of(name).name for name in names] or areas():
        folder = (target or fixtures_dir()) / "cases" / area
        made = themes(area)
        for theme, cases in made.items():
            write_cases(folder / f"{theme}.json", area, cases)
        for path in folder.glob("*.json") if made else ():
            if path.stem not in made:
                path.unlink()
        if made:
            yield f"{area}: {sum(map(len, made.values()))} cases in {len(made)} files"
