"""The parts of the reference that the power is stated for, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from tokenspec.errors import UnknownName


@dataclass(frozen=True)
class Part:
    """Some files of the reference.

    Attributes:
        name: as in the table and after ``--area``.
        areas: the areas of the suite that it is there for; each is another name for it.
        executed_by: the areas whose cells may execute it.
        files: patterns; the first part with a fitting one has the file.
    """

    name: str
    areas: tuple[str, ...]
    files: tuple[str, ...]
    executed_by: tuple[str, ...]


RENDERERS = ("render", "parse", "stream", "bridge", "media")
RENDERING = (*RENDERERS, "template-engine")
PARTS = (
    Part("families", ("render",), ("renderers/families/*",), RENDERERS),
    Part("media", ("media",), ("renderers/media/*",), ("media", "bridge")),
    Part("template", ("template-engine",), ("renderers/template/*",), RENDERING),
    Part(
        "turns",
        ("parse", "stream", "bridge"),
        ("renderers/parsing/*", "renderers/bridge.py", "renderers/template_turns.py"),
        RENDERERS,
    ),
    Part("fast-forward", ("fast-forward", "grammar-mask"), ("fast_forward/*",), ("fast-forward", "grammar-mask")),
    Part("processors", ("processors",), ("processors/*",), ("processors",)),
    Part("aligners", ("aligners",), ("aligners/*",), ("aligners",)),
    Part("engines", ("engines",), ("engines/*",), ("engines",)),
    Part("core", ("render",), ("*",), RENDERING),
)


def part_of(file: str) -> str:
    """The part a file belongs to."""
    return next(part.name for part in PARTS if any(fnmatch(file, pattern) for pattern in part.files))


def chosen_parts(names: Sequence[str]) -> list[Part]:
    """The parts with these names, or those that these areas judge; all where none is named.

    Raises:
        UnknownName: nothing is called so.
    """
    known = {name for part in PARTS for name in (part.name, *part.areas)}
    for name in names:
        if name not in known:
            raise UnknownName("part of the reference", name, sorted(known))
    return [part for part in PARTS if not names or not {part.name, *part.areas}.isdisjoint(names)]
