"""Areas: one folder an area, found by looking. To add one, add a folder whose ``area.py`` exports ``AREA``.

Beside ``area.py`` lie ``records.py`` (what goes in, comes out and is expected), ``oracle/`` (how goldens are made),
``checks/`` (how outputs are judged) and ``bench.py``; in a checkout also ``cases/`` (the generators of its cases) and
``mutants/`` (its broken implementations).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tokenspec.adapters import CONVERSE
from tokenspec.data import checkout_root
from tokenspec.errors import UnknownName

if TYPE_CHECKING:
    from tokenspec.areas.area import Area


UNSHIPPED = ("cases", "mutants")
"""Parts of an area that the wheel leaves out."""


@cache
def areas() -> dict[str, Area]:
    """All areas by name, in the order of the spec's chapters."""
    found: list[Area] = [importlib.import_module(f"{folder}.area").AREA for folder in _folders()]
    found.sort(key=lambda area: (area.order, area.name))
    return {area.name: area for area in found}


def area_of(name: str) -> Area:
    """An area by name.

    Raises:
        UnknownName: there is none.
    """
    if name not in areas():
        raise UnknownName("area", name, areas())
    return areas()[name]


def operations() -> tuple[str, ...]:
    """What an implementation can be asked for, in the order of the areas."""
    return tuple(dict.fromkeys(area.operation for area in areas().values() if area.operation != CONVERSE))


def modules(part: str, area: str | None = None) -> list[ModuleType]:
    """The modules of one part (``checks``, ``cases``, ``mutants``, ``bench``) of every area that has it, or of one."""
    if part in UNSHIPPED:
        find_unshipped()
    found: list[ModuleType] = []
    for folder in _folders() if area is None else [f"{__name__}.{area.replace('-', '_')}"]:
        if importlib.util.find_spec(f"{folder}.{part}") is None:
            continue
        package = importlib.import_module(f"{folder}.{part}")
        found.append(package)
        if hasattr(package, "__path__"):
            names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
            found += [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return found


def find_unshipped() -> None:
    """Generators and mutants are not in a wheel: an installed one finds them in the checkout it is run from."""
    root = checkout_root()
    if root is None:
        return
    for folder in _folders():
        package = importlib.import_module(folder)
        beside = str(root / "conformance" / Path(*folder.split(".")))
        if beside not in package.__path__:
            package.__path__.append(beside)


def _folders() -> list[str]:
    return [f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__) if module.ispkg]
