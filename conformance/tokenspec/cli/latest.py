"""``tokenspec columns latest``: the versions of others that came out since, beside those that are pinned."""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from tokenspec.cli.options import selection, selection_options
from tokenspec.cli.report import SHOWN_IN_A_TABLE
from tokenspec.cli.screen import screen
from tokenspec.errors import AdapterError, UnknownName

if TYPE_CHECKING:
    from tokenspec.adapters.foreign import Foreign
    from tokenspec.areas.selection import Selection
    from tokenspec.report.jsonl import Report


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@selection_options
@click.option("--timeout", default=60.0, show_default=True, help="Seconds one call may take.")
@click.option("--show-all", is_flag=True, help="Print every change, not the first of them.")
def latest(names: tuple[str, ...], timeout: float, show_all: bool, **chosen: Any) -> None:
    """Judge the latest version of columns beside the pinned one, and print which verdicts changed, as Markdown.

    The latest gets an environment for this one run; of everything else it has what is pinned. Exit code 1 where
    something that passed no longer does, or where the latest cannot be installed.

    Example: tokenspec columns latest kitoken --row qwen3
    """
    from tokenspec.adapters.foreign import foreign_columns
    from tokenspec.report.compare import Kind, compare, what_changed

    known = foreign_columns()
    for name in names:
        if name not in known:
            raise UnknownName("column with an environment of its own", name, known)
    worse = False
    for name in names or known:
        try:
            old, new = beside_latest(known[name], selection(chosen), timeout)
        except AdapterError as error:
            click.echo(f"## {name} cannot be judged\n\n{error}\n")
            worse = True
            continue
        changes = compare(old, new)
        click.echo(what_changed(old, new, len(changes) if show_all else SHOWN_IN_A_TABLE))
        worse = worse or any(change.kind is Kind.REGRESSION for change in changes)
    sys.exit(1 if worse else 0)


def beside_latest(column: Foreign, chosen: Selection, timeout: float) -> tuple[Report, Report]:
    """The pinned version of a column and the latest one, judged on the same cells.

    Raises:
        AdapterError: one of the two environments cannot be made, or its adapter does not start.
    """
    from tokenspec.adapters.environment import make, place
    from tokenspec.adapters.latest import with_latest

    with tempfile.TemporaryDirectory() as folder, screen(stderr=True).status(column.name) as status:
        newer = with_latest(column, Path(folder), datetime.now(UTC).date())
        try:
            for one in (column, newer):
                make(one, status.update)
            status.stop()
            return judged(column, column.name, chosen, timeout), judged(newer, column.name, chosen, timeout)
        finally:
            shutil.rmtree(place(newer), ignore_errors=True)


def judged(column: Foreign, name: str, chosen: Selection, timeout: float) -> Report:
    """A run of a column, under a name."""
    from tokenspec.adapters.resolve import resolve
    from tokenspec.areas.protocol.area import within_reach
    from tokenspec.areas.selection import select_cells
    from tokenspec.cli.run import judge
    from tokenspec.parallel import default_jobs
    from tokenspec.report.jsonl import Report

    reached = resolve(str(column.folder))
    cells = [cell for cell in select_cells(chosen) if reached.has(cell.area.operation)]
    cells = within_reach(cells, (reached.name,))
    results = judge([reached], cells, timeout, screen(stderr=True), default_jobs())
    return Report({"implementations": {name: reached.info}}, [replace(result, impl=name) for result in results])
