"""The least any adapter passes, and what the command says where nothing could be judged."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Sequence

import click

from tokenspec.adapters import CONVERSE, Column
from tokenspec.areas import operations
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.cli.screen import screen
from tokenspec.errors import UsageError
from tokenspec.models import specs
from tokenspec.report.terminal import print_failures, print_matrix, print_slow
from tokenspec.runner import DEFAULT_TIMEOUT, Run, run_all
from tokenspec.store.flags import basic_flags
from tokenspec.store.guard import untouched
from tokenspec.verdict import SILENT, CellResult, exit_code

from .options import impl_option
from .run import CALL_SECONDS, columns_of, judge, refuse_missing_modules


@click.command()
@impl_option
@click.option("--row", "rows", multiple=True, metavar="ROW", help="On this row, not the toy rows; repeatable.")
@click.option("--timeout", default=DEFAULT_TIMEOUT, show_default=True, help=CALL_SECONDS)
def smoke(impls: tuple[str, ...], rows: tuple[str, ...], timeout: float) -> None:
    """The least any adapter passes: the cases with basic flags only, on the toy rows, offline.

    A failing smoke means the adapter is wrong, not the implementation: mend it before reading other verdicts.
    """
    with untouched(impls):
        columns = columns_of(impls)
        cells = basic_cells(columns, rows)
        spoken = run_all(Run(columns, [cell for cell in cells if cell.area.operation == CONVERSE], timeout))
        if any(finding.non_conformant for result in spoken for finding in result.findings):
            for column in columns:
                column.close()
            print_failures(screen(), spoken, {})
            screen().print("smoke fails: mend how the program speaks first. The chapter: spec/90-adapter-protocol.md")
            sys.exit(1)
        results = judge(
            columns, [cell for cell in cells if cell.area.operation != CONVERSE], timeout, screen(stderr=True)
        )
    answered = any(finding.verdict not in SILENT for result in results for finding in result.findings)
    results = [*spoken, *results]
    console = screen()
    print_failures(console, results, {})
    print_matrix(console, results, {impl: impl for impl in impls}, {id_: spec.status for id_, spec in specs().items()})
    code = exit_code(results, frozenset(impls))
    print_slow(console, results)
    if not answered:
        console.print(f"smoke judged nothing: {silence(results)}", soft_wrap=True, highlight=False, markup=False)
        code = code or 1
    elif code == 0:
        again = shlex.join(["tokenspec", "run", "--impl", impls[0], *(word for row in rows for word in ("--row", row))])
        console.print(f"smoke passes. Next: {again}", soft_wrap=True)
    else:
        console.print(
            "smoke fails: the adapter needs mending first; the failure above ends with the command that repeats it"
        )
    sys.exit(code)


def basic_cells(columns: list[Column], rows: tuple[str, ...]) -> list[Cell]:
    """The cells with basic flags of the operations that some column has.

    Raises:
        UsageError: none has one, or judging them takes what is not installed.
    """
    asked = Selection(rows=rows) if rows else Selection(statuses=("toy",))
    basic = basic_flags()
    chosen = [cell for cell in select_cells(asked) if not cell.borrowed and basic.issuperset(cell.case.flags)]
    able = {operation for operation in (*operations(), CONVERSE) if any(column.has(operation) for column in columns)}
    if not able - {CONVERSE}:
        raise UsageError(no_operation(columns))
    cells = [cell for cell in chosen if cell.area.operation in able]
    refuse_missing_modules(cells, columns)
    return cells


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
