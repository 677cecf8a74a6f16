"""A page for each implementation that is judged here: what it answers, how it is run, where it is known to differ."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Sequence
from functools import cache

from tokenspec.adapters.foreign import Foreign, foreign_columns, not_obtainable
from tokenspec.adapters.resolve import registered
from tokenspec.areas import areas
from tokenspec.areas.area import Area
from tokenspec.curation.witness_list import Witness, WitnessList, read_witnesses
from tokenspec.data import checkout_root
from tokenspec.report.deviations import reasons_of
from tokenspec.reproduction.kept import reproductions
from tokenspec.requirements import requirements

from . import score_pages
from .command_line import plain
from .reproduction_pages import target
from .requirement_pages import cell, table

PINNED = re.compile(r"^([\w.-]+)(?:\[\w+\])?==(\S+)$", re.MULTILINE)
OURS = "reference"


def implementations() -> dict[str, str]:
    """``pkg.module:Attribute`` by name: what is registered, then the witnesses that are not."""
    found = {name: point.value for name, point in sorted(registered().items()) if point.value.startswith("tokenspec")}
    found = {name: value for name, value in found.items() if name not in foreign_columns() or has_module(name)}
    known = {*found.values(), *foreign_columns()}
    named = {witness.name: witness.impl for witness in read_witnesses().witness if witness.impl not in known}
    return {**found, **{name if name not in found else f"{name}-masks": impl for name, impl in named.items()}}


def pages() -> dict[str, str]:
    """One page each, and the table of all."""
    found = implementations()
    made = {f"columns/{name}.md": page(name, impl, read_witnesses()) for name, impl in found.items()}
    rows = (
        f"| [{name}]({name}.md) | {', '.join(area.name for area in answered(impl))} | {summary(impl)} |"
        for name, impl in found.items()
    )
    outside = {name: column for name, column in foreign_columns().items() if name not in found}
    made |= {f"columns/{name}.md": foreign_page(column) for name, column in outside.items()}
    apart = (
        f"| [{name}]({name}.md) | {', '.join(area.name for area in asked(column))} | {cell(column.description.what)} |"
        for name, column in outside.items()
    )
    hidden = "\n".join([*found, *outside])
    made["columns/index.md"] = (
        "# Implementations\n\nEach is a column of the matrix, and answers *unsupported* where its package is not "
        "installed; `--gate` says which of them decide the exit code. [Write an adapter](../write-an-adapter.md) for "
        "yours.\n\n"
        f"{table(('column', 'areas', 'what'), rows)}\n\n## In an environment of their own\n\n"
        "`tokenspec columns make NAME` makes it; [how](../foreign-columns.md).\n\n"
        f"{table(('column', 'areas', 'what'), apart)}\n\n## Cannot run here\n\n{table(('what', 'said'), missing())}"
        f"\n\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n"
    )
    return made


def has_module(name: str) -> bool:
    """Whether the adapter of a column is a module of the suite, which runs in this process too."""
    return foreign_columns()[name].description.adapter is not None


def missing() -> list[str]:
    """What was tried and cannot run."""
    return [f"| {one.name} {one.version} | {cell(one.said)}: `{cell(one.command)}` |" for one in not_obtainable()]


def asked(column: Foreign) -> list[Area]:
    """The areas that a column with an environment of its own answers."""
    return [area for area in areas().values() if area.operation in column.description.operations]


def foreign_page(column: Foreign) -> str:
    """One column with an environment of its own: what it calls, how it is run, why it differs."""
    adapter = column.folder / "adapter.py"
    words = ast.get_docstring(ast.parse(adapter.read_text(encoding="utf-8"))) if adapter.is_file() else None
    found = asked(column)
    facts = [
        f"* answers {', '.join(f'[{area.name}](../spec/{chapter_of(area)})' for area in found)}",
        f"* judged at {column.description.package} {column.version}; {column.needs}",
        *(f"* <{link}>" for link in (column.description.homepage, column.description.issues) if link),
    ]
    narrowed = "".join(f" --area {area.name}" for area in found)
    commands = (
        f"tokenspec columns make {column.name}\n"
        f"tokenspec run --impl {column.name} --impl reference --gate reference{narrowed}"
    )
    parts = [
        f"# {column.name}",
        plain(words or f"{column.description.what}."),
        "\n".join(facts),
        f"```sh\n{commands}\n```",
    ]
    own = [witness for witness in read_witnesses().witness if witness.impl == column.name]
    parts += [*deviations(column.name), *confirms(own), *reproduced(column.name), *score_pages.of_column(column.name)]
    return "\n\n".join(parts) + "\n"


def confirms(witnesses: Sequence[Witness]) -> list[str]:
    """Which goldens a column is asked about, as a witness or as the publisher of a row."""
    if not witnesses:
        return []
    rows = (f"| {one.area} | {', '.join(one.levels)} | {cell(one.version)} | {cell(one.how)} |" for one in witnesses)
    said = "It is asked about them, and named in those it agrees with ([CNV-007](../requirements/CNV-007.md))."
    if any(one.publishes for one in witnesses):
        said += " Where it differs its answer stands beside the golden's: [sources disagree](../sources-disagree.md)."
    return ["## Confirms goldens", said, table(("area", "levels", "version", "how"), rows)]


def deviations(name: str) -> list[str]:
    """The reviewed causes of a column's failures."""
    reasons = reasons_of(name)
    if reasons is None:
        return []
    rows = (
        f"| {one.verdict or ''} | {cell(one.why)} | {', '.join(one.rows)} | {', '.join(one.checks)} |"
        for one in reasons.deviation
    )
    return ["## Why it deviates", f"Reviewed at {reasons.version}.", table(("verdict", "why", "rows", "checks"), rows)]


def reproduced(name: str) -> list[str]:
    """The reproductions of a column, each with its verdict."""
    shown = [one for one in reproductions().values() if one.column == name]
    rows = (
        f"| [{cell(one.written.title)}](../reproductions.md#{target(one)}) | {one.written.verdict} "
        f"| {cell(one.written.package)} |"
        for one in shown
    )
    return ["## Reproductions", table(("divergence", "verdict", "seen in"), rows)] if shown else []


def adapter_class(impl: str) -> type:
    """The adapter itself."""
    module, _, attribute = impl.partition(":")
    found: type = getattr(importlib.import_module(module), attribute)
    return found


def answered(impl: str) -> list[Area]:
    """The areas whose operation it has."""
    return [area for area in areas().values() if hasattr(adapter_class(impl), area.operation)]


def described(impl: str) -> str:
    """What it says of itself: the module's words where it has a module of its own, else the class's."""
    found = adapter_class(impl)
    own = found.__module__.startswith("tokenspec.columns.")
    return inspect.cleandoc((inspect.getmodule(found).__doc__ if own else found.__doc__) or "")


def summary(impl: str) -> str:
    """The first paragraph, in a table."""
    return " ".join(described(impl).split("\n\n")[0].split()).replace("|", "\\|")


def chapter_of(area: Area) -> str:
    """The chapter its requirements are in."""
    return next(block.chapter for block in requirements().values() if block.id.startswith(area.prefix))


@cache
def pins() -> dict[str, str]:
    """The versions that everything here was judged with."""
    root = checkout_root()
    return dict(PINNED.findall((root / "constraints.txt").read_text(encoding="utf-8"))) if root else {}


def page(name: str, impl: str, listed: WitnessList) -> str:
    """One implementation."""
    found = answered(impl)
    given = name if name in registered() else impl
    narrowed = "".join(f" --area {area.name}" for area in found)
    witnesses = [witness for witness in listed.witness if witness.impl == impl]
    facts = [f"* answers {', '.join(f'[{area.name}](../spec/{chapter_of(area)})' for area in found)}"]
    about = adapter_class(impl)().info()
    facts += [f"* written in {about['language']}"] if "language" in about else []
    facts += [f"* <{about[key]}>" for key in ("homepage", "issues") if key in about]
    facts += [f"* judged at version {pins()[name]}"] if name in pins() else []
    gate = "" if name.startswith(OURS) else " --impl reference --gate reference"
    parts = [
        f"# {name}",
        plain(described(impl)),
        "\n".join(facts),
        f"```sh\ntokenspec run --impl {given}{gate}{narrowed}\n```",
    ]
    parts += confirms(witnesses)
    names = {witness.name for witness in witnesses}
    differences = [one for one in listed.difference if one.witness in names]
    if differences:
        rows = (f"| `{one.case}` | {cell(one.row)} | {cell(one.reason)} |" for one in differences)
        parts += ["## Known to differ", table(("cases", "row", "why"), rows)]
    parts += [*deviations(name), *reproduced(name), *score_pages.of_column(name)]
    return "\n\n".join(parts) + "\n"
