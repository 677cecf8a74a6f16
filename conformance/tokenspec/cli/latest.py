"""``tokenspec columns latest``: the versions of others that came out since, beside those that are pinned."""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from tokenspec.cli.options import SECONDS, sample_option, selection, selection_options
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
@sample_option
@click.option("--timeout", type=SECONDS, default=60.0, show_default=True, help="Seconds one call may take.")
@click.option("--show-all", is_flag=True, help="Print every change, not the first of them.")
def latest(names: tuple[str, ...], sample: int | None, timeout: float, show_all: bool, **chosen: Any) -> None:
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
            old, new = beside_latest(known[name], selection(chosen), sample, timeout)
        except AdapterError as error:
            click.echo(f"## {name} cannot be judged\n\n{error}\n")
            worse = True
            continue
        changes = compare(old, new)
        click.echo(what_changed(old, new, len(changes) if show_all else SHOWN_IN_A_TABLE))
        worse = worse or any(change.kind is Kind.REGRESSION for change in changes)
    sys.exit(1 if worse else 0)


def beside_latest(column: Foreign, chosen: Selection, sample: int | None, timeout: float) -> tuple[Report, Report]:
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
            asked = chosen, sample, timeout
            return judged(column, column.name, *asked), judged(newer, column.name, *asked)
        finally:
            shutil.rmtree(place(newer), ignore_errors=True)


def judged(column: Foreign, name: str, chosen: Selection, sample: int | None, timeout: float) -> Report:
    """A run of a column, under a name."""
    from tokenspec.adapters.resolve import resolve
    from tokenspec.areas.protocol.area import within_reach
    from tokenspec.areas.selection import keys_of, refuse_unmatched, sample_of, select_cells
    from tokenspec.cli.run import judge
    from tokenspec.parallel import default_jobs
    from tokenspec.report.jsonl import Report
    from tokenspec.report.sample import Sample

    reached = resolve(str(column.folder))
    selected = select_cells(chosen)
    refuse_unmatched(chosen, keys_of(selected))
    answered = [cell for cell in selected if reached.has(cell.area.operation)]
    answered = within_reach(answered, (reached.name,))
    cells = answered if sample is None else sample_of(answered, sample)
    asked = None if sample is None else to_builtins(Sample(each=sample, cells=len(cells), of=len(answered)))
    results = judge([reached], cells, timeout, screen(stderr=True), default_jobs())
    header = {"implementations": {name: reached.info}, "sample": asked}
    return Report(header, [replace(result, impl=name) for result in results])
