"""From ``--impl TEXT`` to a column: a name, a column's folder, ``pkg.mod:attr``, ``cmd:PROGRAM ARGS``, an address."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from pathlib import Path
from typing import Any

from tokenspec.adapters import Column
from tokenspec.adapters.addresses import THIS_MACHINE, Askable, is_address
from tokenspec.adapters.environment import is_made
from tokenspec.adapters.foreign import foreign_column, foreign_columns
from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.adapters.in_process import InProcess
from tokenspec.errors import AdapterError, UnknownName

GROUP = "tokenspec.adapters"
SERVERS = ("tokenspec.columns.live", "LiveServer")
"""What asks servers: named, not imported, as every column is that this package only reaches."""


def registered() -> dict[str, importlib.metadata.EntryPoint]:
    """Adapters that installed packages announce through the entry-point group, by name."""
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}


def _instance(found: Any) -> object:
    return found() if isinstance(found, type) else found


def column_of(name: str, impl: Any) -> Column:
    """The column of an implementation given as text or as the adapter itself, an instance or its class."""
    return resolve(impl) if isinstance(impl, str) else InProcess(name, _instance(impl))


def resolve(text: str, askable: Askable = THIS_MACHINE) -> Column:
    """Make the column that ``--impl TEXT`` names; ``askable`` says which servers may be asked.

    Raises:
        UnknownName: nothing of that name.
        AdapterError: it exists, but importing or starting it failed, or it does not answer.
        UsageError: an address that may not be asked.
    """
    if text.startswith("cmd:"):
        from .stdio import Process

        return Process(text, text.removeprefix("cmd:"))
    if is_address(text):
        module, attribute = SERVERS
        server: Column = getattr(importlib.import_module(module), attribute)(text, askable)
        return server
    points = registered()
    if (foreign := foreign_column(text)) is not None and (is_made(foreign) or text not in points):
        from .reaching import reached

        return reached(foreign, text)
    if text in points:
        try:
            return InProcess(text, _instance(points[text].load()))
        except ImportError as error:
            raise AdapterError(
                f"--impl {text}: {foreign_text(str(error))}. Install what it needs: pip install 'tokenspec[reference]'."
            ) from error
    module, separator, attribute = text.partition(":")
    if not separator:
        cure = "Or give --impl pkg.mod:attr, --impl cmd:PROGRAM for another language, or a server's address."
        raise UnknownName("adapter", text, sorted({*points, *foreign_columns()}), cure=cure)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        target: Any = importlib.import_module(module)
        for part in attribute.split("."):
            target = getattr(target, part)
    except (ImportError, AttributeError) as error:
        raise AdapterError(
            f"--impl {text}: {foreign_text(str(error))}. Check the module path and the attribute after the colon."
        ) from error
    return InProcess(text, _instance(target))
