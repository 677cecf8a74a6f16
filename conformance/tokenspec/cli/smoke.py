"""The least any adapter passes, and what the command says where nothing could be judged."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from tokenspec.adapters import CONVERSE, Column
from tokenspec.adapters.addresses import Askable
from tokenspec.areas import area_of, operations
from tokenspec.areas.area import NO_ROW, Cell, models_of
from tokenspec.areas.selection import Selection, load_cases, select_cells
from tokenspec.cli.screen import screen
from tokenspec.errors import UsageError
from tokenspec.models import available, load, specs
from tokenspec.models.assets import assets_of
from tokenspec.report.labels import labels
from tokenspec.report.matrix import print_matrix
from tokenspec.report.terminal import print_failures, print_slow
from tokenspec.runner import DEFAULT_TIMEOUT, Run, run_all
from tokenspec.store.guard import untouched
from tokenspec.store.smoke import smoke_cases
from tokenspec.verdict import SILENT, CellResult, exit_code

from .options import SECONDS, impl_option, server_options
from .own_row import own_rows
from .run import CALL_SECONDS, columns_of, judge
from .under_test import refuse_missing_modules


@click.command()
@impl_option
@server_options
@click.option("--row", "rows", multiple=True, metavar="ROW", help="On this row, not on the first it loads; repeatable.")
@click.option("--timeout", type=SECONDS, default=DEFAULT_TIMEOUT, show_default=True, help=CALL_SECONDS)
def smoke(impls: tuple[str, ...], dialect: str, hosts: tuple[str, ...], rows: tuple[str, ...], timeout: float) -> None:
    """The least any adapter passes: about thirty cases, on the first row it loads, offline.

    A failing smoke means the adapter is wrong, not the implementation: mend it before reading other verdicts.
    """
    asked, rows = rows, click.get_current_context().with_resource(own_rows(rows))
    with untouched(impls):
        columns = columns_of(impls, Askable(dialect, hosts))
        named = labels({column.name: column.info for column in columns})
        cells = smoke_cells(columns, rows)
        spoken = run_all(Run(columns, [cell for cell in cells if cell.area.operation == CONVERSE], timeout))
        if any(finding.non_conformant for result in spoken for finding in result.findings):
            for column in columns:
                column.close()
            print_failures(screen(), spoken, named, {})
            screen().print("smoke fails: mend how the program speaks first. The chapter: spec/90-adapter-protocol.md")
            sys.exit(1)
        results = judge(
            columns, [cell for cell in cells if cell.area.operation != CONVERSE], timeout, screen(stderr=True)
        )
    answered = any(finding.verdict not in SILENT for result in results for finding in result.findings)
    unanswered, results = results, [*spoken, *results]
    console = screen()
    print_failures(console, results, named, {})
    print_matrix(console, results, named, {id_: spec.status for id_, spec in specs().items()})
    code = exit_code(results, frozenset(impls))
    print_slow(console, results, named)
    if not answered:
        console.print(f"smoke judged nothing: {silence(unanswered)}", soft_wrap=True, highlight=False, markup=False)
        code = code or 1
    elif code == 0:
        again = shlex.join(
            ["tokenspec", "run", "--impl", impls[0], *(word for row in asked for word in ("--row", row))]
        )
        console.print(f"smoke passes. Next: {again}", soft_wrap=True)
    else:
        console.print(
            "smoke fails: the adapter needs mending first; the failure above ends with the command that repeats it"
        )
    sys.exit(code)


def smoke_cells(columns: list[Column], rows: tuple[str, ...]) -> list[Cell]:
    """The listed cases of the operations that some column has, each on the rows that are asked for.

    Raises:
        UsageError: no column has an operation, or judging takes what is not installed.
    """
    able = {operation for operation in (*operations(), CONVERSE) if any(column.has(operation) for column in columns)}
    if not able - {CONVERSE}:
        raise UsageError(no_operation(columns))
    listed = [case for cases in smoke_cases().values() for case in cases]
    spoken = [case.id for case in load_cases(area_of("protocol"))]
    chosen = select_cells(Selection(rows=(*rows, NO_ROW) if rows else (), cases=(*listed, *spoken)))
    cells = [cell for cell in chosen if cell.area.operation in able]
    if not rows:
        cells = [*on_first_row(cells, first_row(columns, chosen))]
    refuse_missing_modules(cells, columns)
    return cells


def first_row(columns: Sequence[Column], cells: Sequence[Cell]) -> str:
    """The first row that a column loads: toy rows, then those whose files are here, each with most cases first."""
    asked = [row for row, _ in Counter(row for cell in cells for row in models_of(cell.row)).most_common()]
    toys = [row for row in asked if specs()[row].status == "toy"]
    candidates = [*toys, *(row for row in asked if row not in toys and available(row) is None)]
    return next(
        (row for row in candidates if any(column.load(row, assets_of(load(row))) is None for column in columns)),
        candidates[0] if candidates else NO_ROW,
    )


def on_first_row(cells: Sequence[Cell], first: str) -> Iterator[Cell]:
    """Every case once: without a row, on the first one, or on the first pair it is in."""
    paired: set[str] = set()
    for cell in cells:
        models = models_of(cell.row)
        if len(models) > 1 and first in models and cell.case.id not in paired:
            paired.add(cell.case.id)
            yield cell
        elif cell.row in {NO_ROW, first}:
            yield cell


def silence(results: Sequence[CellResult]) -> str:
    """Why no check gave a verdict: the most frequent reason, and what to try."""
    reasons = Counter(finding.detail.partition("\n")[0] for result in results for finding in result.findings)
    said = reasons.most_common(1)[0][0] if reasons else "no case of these rows asks for what it has"
    return f"{said}. On a row that it supports: tokenspec smoke --impl ... --row ROW (see: tokenspec list rows)"


def no_operation(columns: list[Column]) -> str:
    """What a column without one operation of ours should have, and what it may have meant."""
    import difflib

    names = ", ".join(column.name for column in columns)
    claimed = sorted({operation for column in columns for operation in column.announced})
    close = {near for name in claimed for near in difflib.get_close_matches(name, operations(), n=1)}
    meant = f" It claims {', '.join(claimed)}; did you mean {', '.join(sorted(close))}?" if close else ""
    return (
        f"{names}: has none of the operations.{meant} An object has them as methods, a program names them in its "
        f"answer to start: {', '.join(operations())}"
    )
