"""``tokenspec list``, ``explain``, ``diff`` and ``doctor``: look, without judging."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.adapters import CONVERSE, Ok
from tokenspec.adapters.resolve import registered, resolve
from tokenspec.areas import areas
from tokenspec.areas.area import request_fields
from tokenspec.areas.check import all_checks
from tokenspec.areas.oracle_version import CURRENT, EARLIER, flips_of, what_flips
from tokenspec.areas.selection import Selection, all_cases, load_cases, select_cells
from tokenspec.bounded import load_row
from tokenspec.cli.listing import print_listing
from tokenspec.cli.screen import say, screen
from tokenspec.data import fixtures_dir
from tokenspec.errors import AdapterError, UnknownName, UsageError
from tokenspec.models import available, how_to_get, load, specs
from tokenspec.requirements import requirements
from tokenspec.runner import Run
from tokenspec.traceability.lock import read_lock

from .explain_cell import cell_named, explain_cell
from .explain_row import explain_row, row_as_json


def table_of(*names: str) -> Table:
    """A plain table that fits 100 columns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=name != names[-1])
    return table


def flags() -> dict[str, dict[str, Any]]:
    """What a failure of a case means, by flag."""
    return tomllib.loads((fixtures_dir() / "flags.toml").read_text(encoding="utf-8"))


WHERE = "See: tokenspec list requirements|checks|cases|rows"
LISTS = (
    "areas",
    "operations",
    "rows",
    "cases",
    "checks",
    "requirements",
    "flags",
    "impls",
    "seams",
    "attribution",
    "flips",
)


@click.command(name="list")
@click.argument("what", type=click.Choice(LISTS))
@click.option("--row", help="With seams and attribution: the model row.")
def list_(what: str, row: str | None) -> None:
    """List areas, operations, rows, cases, checks, requirements, flags, adapters, seams, attribution, flips."""
    if what == "seams":
        from tokenspec.cli.seams import print_seams

        print_seams(screen(), row)
        return
    if what == "attribution":
        from tokenspec.cli.attribution import print_attribution

        print_attribution(screen(), row)
        return
    if row is not None:
        raise UsageError("--row narrows seams and attribution only: tokenspec list seams --row ROW")
    names, rows = listing(what)
    print_listing(screen(), names, rows)


def listing(what: str) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    """The names of the columns of a list, and its rows."""
    if what == "areas":
        return ("area", "prefix", "levels", "title"), (
            (area.name, area.prefix, " ".join(area.levels), area.title) for area in areas().values()
        )
    if what == "operations":
        asked = (area for area in areas().values() if area.operation != CONVERSE)
        return ("operation", "area", "fields of a request"), (
            (area.operation, area.name, " ".join(request_fields(area))) for area in asked
        )
    if what == "rows":
        return ("row", "family", "status", "features"), (
            (spec.id, spec.family, spec.status, " ".join(spec.features)) for spec in specs().values()
        )
    if what == "cases":
        return ("case", "why"), ((case.id, case.why) for area in areas().values() for case in load_cases(area))
    if what == "checks":
        return ("check", "level", "requires", "judges"), (
            (check.name, check.level, " ".join(check.requires), check.doc) for check in all_checks().values()
        )
    if what == "requirements":
        return ("id", "level", "title"), ((block.id, block.level, block.title) for block in requirements().values())
    if what == "flags":
        return ("flag", "kind", "what its cases show"), (
            (name, flag["bug_type"], flag["description"]) for name, flag in flags().items()
        )
    if what == "flips":
        return ("row", "case", f"{EARLIER.transformers} -> {CURRENT.transformers}"), (
            (row_id, case.id, what_flips(current, earlier)) for row_id, case, current, earlier in flips_of(EARLIER)
        )
    return ("impl", "from"), ((name, point.value) for name, point in registered().items())


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="A row and its certificate as JSON, for scripts.")
def explain(name: str, as_json: bool) -> None:
    """Explain a requirement (RND-022), check (render.text), case (render/tool-parallel), row, cell or finding.

    A cell (render/gpt-oss/tool-parallel) is a case on a row: who expects what, and where sources disagree.
    """
    console = screen()
    if as_json:
        if name not in specs():
            raise UsageError(f"--json explains rows, and no row is called {name!r}. See: tokenspec list rows")
        click.echo(row_as_json(name))
        return
    cases = all_cases()
    if name in requirements():
        explain_requirement(console, name)
    elif name in all_checks():
        check = all_checks()[name]
        console.print(Text(f"{check.name}  ({check.area}, {check.level}, {check.kind})", style="bold"))
        console.print(Text((check.judge.__doc__ or "").strip()))
        for id_ in check.requires:
            console.print(Text(f"  {id_}  {requirements()[id_].title}" if id_ in requirements() else f"  {id_}"))
    elif name in cases:
        import json

        case = cases[name]
        console.print(
            Text(f"{case.id}  flags {' '.join(case.flags)}  requires {' '.join(case.requires)}", style="bold")
        )
        console.print(Text(case.why))
        console.print(Text(json.dumps(case.input, ensure_ascii=False, indent=2)))
    elif name in specs():
        explain_row(console, name)
    elif (finding := findings().get(name)) is not None:
        console.print(Text(f"{name}  ({finding.level}) {finding.meaning}", style="bold"))
        console.print(Text(f"In training: {finding.effect}\nTo mend it: {finding.cure}"))
        for id_ in finding.requirements:
            console.print(Text(f"  {id_}  {requirements()[id_].title}"))
    elif (cell := cell_named(name)) is not None:
        explain_cell(console, cell)
    else:
        known = [*requirements(), *all_checks(), *cases, *specs(), *findings()]
        raise UnknownName("requirement, check, case, row, cell or finding", name, known, cure=WHERE)


def findings() -> Mapping[str, Any]:
    """What audits find, by code."""
    from tokenspec_reference.preparation import CODES

    return CODES


def explain_requirement(console: Console, id_: str) -> None:
    """Text, checks, cases and mutants of a requirement."""
    block = requirements()[id_]
    console.print(Text(f"{block.id} {block.level}: {block.title}", style="bold"))
    console.print(Text(f"spec/{block.link}\n", style="dim"))
    console.print(Text(block.text.strip()))
    checks = [check.name for check in all_checks().values() if id_ in check.requires]
    cases = [case.id for area in areas().values() for case in load_cases(area) if id_ in case.requires]
    locked = read_lock().get(id_)
    console.print(Text(f"\nchecks   {', '.join(checks) or 'none'}"))
    console.print(Text(f"mutants  {', '.join(locked.mutants) if locked and locked.mutants else 'none recorded'}"))
    shown = ", ".join(cases[:8]) + (f" and {len(cases) - 8} more" if len(cases) > 8 else "")
    console.print(Text(f"cases    {shown or 'none'}"))


@click.command()
@click.argument("case")
@click.option("--row", required=True, help="The model row.")
@click.option("--impl", "impls", multiple=True, required=True, help="One or two implementations.")
def diff(case: str, row: str, impls: tuple[str, ...]) -> None:
    """Show one render case token by token: oracle first, then each implementation; differing lines are marked."""
    cells = select_cells(Selection(rows=(row,), cases=(case,)))
    cell = next((found for found in cells if found.area.name == "render"), None)
    if cell is None:
        raise UsageError(f"no render case {case!r} applies to {row!r}. See: tokenspec list cases")
    loaded = load(row)
    silent: list[str] = []
    columns = {"oracle": (cell.golden.expect or {}).get("token_ids", []) if cell.golden else []}
    for impl in impls:
        column = resolve(impl)
        outcome = load_row(column, loaded) or Run([column], [cell]).call(column, cell, cell.request())
        if isinstance(outcome, Ok):
            columns[impl] = outcome.output.token_ids
        else:
            say(f"{impl}: {outcome}")
            silent.append(impl)
    table = table_of("", "token", *columns)
    for position in range(max((len(ids) for ids in columns.values()), default=0)):
        ids = [column[position] if position < len(column) else None for column in columns.values()]
        texts = [f"{id_} {loaded.vocabulary.decode([id_])!r}" if id_ is not None else "" for id_ in ids]
        same = len(set(ids)) == 1
        table.add_row(
            "" if same else "≠",
            str(position),
            *(Text(text, style="" if same else "bold red") for text in texts),
        )
    screen().print(table)
    if silent:
        raise AdapterError(f"no answer of {', '.join(silent)}; above is why. See: tokenspec smoke --impl {silent[0]}")


@click.command()
def doctor() -> None:
    """Versions, rows at hand, and what to do next."""
    console = screen()
    console.print(f"Python {platform.python_version()} on {platform.system()}", highlight=False)
    for package in (
        "tokenspec",
        "transformers",
        "tokenizers",
        "jinja2",
        "torch",
        "renderers",
        "llguidance",
        "xgrammar",
        "trl",
        "fastokens",
    ):
        try:
            console.print(f"  {package:14} {importlib.metadata.version(package)}", highlight=False)
        except importlib.metadata.PackageNotFoundError:
            console.print(f"  {package:14} [dim]not installed[/dim]")
    missing = [id_ for id_ in specs() if available(id_) is not None]
    console.print(f"rows: {len(specs()) - len(missing)} at hand, {len(missing)} missing", highlight=False)
    command, others = how_to_get(missing)
    for line in others:
        console.print(f"  left out: {line}", soft_wrap=True)
    judges = importlib.util.find_spec("transformers") is not None and importlib.util.find_spec("torch") is not None
    then = "tokenspec run --impl reference" if judges else "tokenspec adapter new --lang python my-adapter"
    console.print(f"next: {command or then}", soft_wrap=True)
