"""``tokenspec run`` and ``tokenspec smoke``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from tokenspec.adapters import Column
from tokenspec.adapters.addresses import THIS_MACHINE, Askable
from tokenspec.adapters.environment import made_columns
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.area import Cell
from tokenspec.areas.oracle_version import CURRENT, ORACLE_VERSIONS, as_judged_by, oracle_version
from tokenspec.areas.protocol.area import within_reach
from tokenspec.areas.selection import keys_of, refuse_unmatched, sample_of, select_cells
from tokenspec.cli.screen import say, screen
from tokenspec.errors import FixtureError, TokenspecError, UnknownName, UsageError
from tokenspec.models import how_to_get, specs
from tokenspec.parallel import default_jobs, run_in_processes
from tokenspec.report.catalog import header
from tokenspec.report.jsonl import Report, growing_report, save_report
from tokenspec.report.labels import impl_called, labels
from tokenspec.report.matrix import print_matrix
from tokenspec.report.page import write_page
from tokenspec.report.sample import Sample, sample_in
from tokenspec.report.standing import Standing, standing
from tokenspec.report.terminal import (
    print_coverage,
    print_declared,
    print_disagreements,
    print_each_failure,
    print_failures,
    print_slow,
    print_times,
    print_unsupported,
    print_warnings,
)
from tokenspec.report.why import print_why
from tokenspec.runner import DEFAULT_TIMEOUT, Run, run_all
from tokenspec.store.guard import untouched
from tokenspec.store.writing import refuse_outputs
from tokenspec.verdict import WHOLE, CellResult, Verdict

from .certificates import changed_certificates
from .known import known_failures_options, plan_known_failures
from .options import JOBS, PERCENT, SECONDS, impl_option, sample_option, selection, selection_options, server_options
from .own_row import own_rows
from .under_test import answered_by, no_implementation, refuse_missing_modules, under_test

CALL_SECONDS = "Seconds one call may take; seconds of processor time for one that computes."


def columns_of(impls: tuple[str, ...], askable: Askable = THIS_MACHINE) -> list[Column]:
    """Resolve the columns; naming none or one twice is a usage error."""
    if not impls:
        raise UsageError(f"no implementation given. {no_implementation(click.get_current_context().info_name)}")
    if len(set(impls)) < len(impls):
        raise UsageError("an implementation is given twice; each --impl is one column")
    columns = []
    with screen(stderr=True).status("starting") as status:
        for text in impls:
            status.update(f"starting {text}")
            columns.append(resolve(text, askable))
    return columns


def judge(
    columns: list[Column],
    cells: list[Cell],
    timeout: float,
    console: Console,
    jobs: int = 1,
    keep: Callable[[CellResult], None] | None = None,
    *,
    exhibit: bool = False,
    askable: Askable = THIS_MACHINE,
) -> list[CellResult]:
    """Run with a progress bar on stderr, in this process or row by row in several; results are in the cells' order.

    ``keep`` is given each as it comes.
    """
    progress = Progress(
        TextColumn("judging {task.fields[at]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.file.isatty(),
    )
    with progress:
        task = progress.add_task("", total=len(cells) * len(columns), at="")

        def step(result: CellResult) -> None:
            if keep is not None:
                keep(result)
            progress.update(task, advance=1, at=f"{result.area} {result.row} {result.impl}")

        try:
            if jobs == 1 or len({cell.row for cell in cells}) == 1:
                return run_all(Run(columns, cells, timeout, exhibit=exhibit), step)
            found: dict[tuple[str, str, str], CellResult] = {}
            names = [column.name for column in columns]
            for column in columns:
                column.close()  # each worker starts its own: those of here would only hold memory
            for result in run_in_processes(names, cells, timeout, jobs, exhibit=exhibit, askable=askable):
                found[(result.impl, result.row, result.case)] = result
                step(result)
            return [found[(column.name, cell.row, cell.case.id)] for cell in cells for column in columns]
        finally:
            for column in columns:
                column.close()


@click.command()
@impl_option
@click.option("--columns", "every", is_flag=True, help="Also all that tokenspec columns make has made.")
@server_options
@selection_options
@sample_option
@click.option("--gate", multiple=True, metavar="IMPL", help="Only these columns decide the exit code; default: all.")
@click.option("--report", type=click.Path(path_type=Path), help="Save the run as JSON lines, compressed in NAME.gz.")
@click.option("--html", type=click.Path(path_type=Path), help="Save the run as one HTML page.")
@click.option("--timeout", type=SECONDS, default=DEFAULT_TIMEOUT, show_default=True, help=CALL_SECONDS)
@click.option(
    "--require-judged",
    type=PERCENT,
    default=WHOLE,
    show_default=True,
    metavar="PERCENT",
    help="The least share of cells a deciding column answers, in the areas it answers at all and within its claim.",
)
@click.option("--show-all", is_flag=True, help="Print every failure, not the smallest case of each cause.")
@click.option(
    "--require-assets",
    is_flag=True,
    help="Rows whose files are missing fail the run instead of being unsupported.",
)
@click.option(
    "--jobs", type=JOBS, default=0, help="Worker processes, a row at a time; 0, the default: one a core; 1: none."
)
@click.option("--json", "as_json", is_flag=True, help="Print counts as JSON instead of tables.")
@click.option(
    "--oracle",
    default=CURRENT.transformers,
    show_default=True,
    type=click.Choice(list(ORACLE_VERSIONS)),
    help="The transformers version whose answers are expected.",
)
@known_failures_options
def run(
    impls: tuple[str, ...],
    every: bool,
    dialect: str,
    hosts: tuple[str, ...],
    sample: int | None,
    gate: tuple[str, ...],
    report: Path | None,
    html: Path | None,
    timeout: float,
    require_judged: float,
    show_all: bool,
    require_assets: bool,
    jobs: int,
    as_json: bool,
    oracle: str,
    **chosen: Any,
) -> None:
    """Judge implementations and print the matrix.

    Example: tokenspec run --impl reference --impl transformers --area render --gate reference
    """
    impls = (*impls, *(name for name in made_columns() if every and name not in impls))
    folders = [row for row in chosen["rows"] if Path(row).is_dir()]
    refuse_outputs([report, html, chosen["write_known_failures"]], [*chosen["known_failures"], *folders])
    chosen["rows"] = click.get_current_context().with_resource(own_rows(chosen["rows"]))
    kept = report is not None or html is not None
    with untouched(impls):
        columns = columns_of(impls, askable := Askable(dialect, hosts))
        gate = tuple(gated(text, columns) for text in gate)
        known = plan_known_failures(chosen, columns, gate or impls)
        wanted = selection(chosen)
        chosen_cells = within_reach(as_judged_by(oracle_version(oracle), select_cells(wanted)), impls, wanted.areas)
        refuse_unmatched(wanted, keys_of(chosen_cells))
        tested = under_test(columns, gate)
        if len(tested) < len(columns) and not (wanted.areas or wanted.cases):
            chosen_cells = answered_by(chosen_cells, tested)
        cells = chosen_cells if sample is None else sample_of(chosen_cells, sample)
        asked = None if sample is None else Sample(each=sample, cells=len(cells), of=len(chosen_cells))
        refuse_missing_modules(cells, columns, areas_apart=True)
        made = header(columns, cells, known.summary(), oracle, require_judged, asked)
        judged: list[CellResult] = []
        with growing_report(report, made) as grow:

            def keep(result: CellResult) -> None:
                judged.append(result)
                grow(result)

            try:
                console, jobs = screen(stderr=True), jobs or default_jobs()
                results = judge(columns, cells, timeout, console, jobs, keep, exhibit=kept, askable=askable)
            except (KeyboardInterrupt, TokenspecError) as ending:
                if judged or isinstance(ending, KeyboardInterrupt):
                    save_run(report, html, Report(made, judged))
                raise
    try:
        results = known.judge(results)
    except UsageError:
        save_run(report, html, Report(made, results))
        raise
    whole = Report(header(columns, cells, known.summary(), oracle, require_judged, asked), results)
    save_run(report, html, whole)
    stands = {impl: standing([result for result in results if result.impl == impl], require_judged) for impl in impls}
    code = known.exit_code(code_of([stands[impl] for impl in gate or impls]), gate or impls)
    missing = sorted(
        {result.row for result in results for finding in result.findings if "assets missing" in finding.detail}
    )
    if require_assets and missing:
        code = code or 3
    changed = changed_certificates(cell.row for cell in cells if cell.area.name == "render")
    code = FixtureError.exit_code if changed else code
    if as_json:
        print_json(results, code, asked)
    else:
        named = labels(whole.header["implementations"])
        print_run(screen(), whole, stands, named, show_all=show_all, gate=gate)
        known.print(screen(), results, named)
        print_slow(screen(), results, named)
        if oracle != CURRENT.transformers:
            screen().print(f"expected is what transformers {oracle} answers; to repeat a cell, add: --oracle {oracle}")
        if missing:
            command, others = how_to_get(missing)
            cure = "; ".join([*([f"run: {command}"] if command else []), *others])
            screen().print(f"assets missing for {len(missing)} rows; {cure}", soft_wrap=True)
    for line in changed:
        click.echo(line, err=True)
    sys.exit(code)


def gated(text: str, columns: Sequence[Column]) -> str:
    """The column that ``--gate`` names, as it was given or by its label."""
    try:
        return impl_called(text, {column.name: column.info for column in columns})
    except UnknownName as unknown:
        raise UsageError(f"--gate {text} is not among the --impl columns: {unknown}") from unknown


def save_run(report: Path | None, html: Path | None, saved: Report) -> None:
    """The files asked for: JSON lines, a page."""
    if report is not None:
        save_report(report, saved.header, saved.results)
        say(f"wrote {report}. Next: tokenspec report html {report} -o report.html", err=True)
    if html is not None:
        write_page(html, saved)
        say(f"wrote {html}. Open it in a browser.", err=True)


def code_of(stands: Sequence[Standing]) -> int:
    """0 conformant, 1 not, 3 where an adapter broke or was too slow to judge and nothing else failed."""
    codes = {stand.code for stand in stands}
    return 1 if 1 in codes else max(codes, default=1)


def print_run(
    console: Console,
    report: Report,
    stands: Mapping[str, Standing],
    named: Mapping[str, str],
    *,
    show_all: bool,
    gate: tuple[str, ...],
) -> None:
    """What is declared, causes of failures, why cells were not judged; the matrix and what it adds up to come last.

    ``named`` are the columns' labels; commands that repeat a cell name a column as it was given.
    """
    results = report.results
    print_declared(console, report.header["implementations"], named)
    if show_all:
        print_each_failure(console, results, named)
    else:
        beside = set(report.impls) - set(gate or report.impls)
        print_failures(console, results, named, report.header["sizes"], brief=beside)
        print_warnings(console, results, named, report.header["sizes"], brief=beside)
        print_disagreements(console, results, named, report.header["sizes"], brief=beside)
    print_unsupported(console, results, named)
    print_coverage(console, report, named)
    print_why(console, results, report.impls)
    print_times(console, results)
    print_matrix(console, results, named, {id_: spec.status for id_, spec in specs().items()})
    if (sample := sample_in(report.header)) is not None:
        console.print(Text(f"asked was {sample.said}; all: without --sample", style="bold yellow"), soft_wrap=True)
    for impl in report.impls:
        own, stand = [result for result in results if result.impl == impl], stands[impl]
        style = {0: "green", 1: "red", 3: "magenta"}[stand.code]
        seconds = sum(result.seconds for result in own)
        decides = not gate or impl in gate
        line = Text(f"{named[impl]}: ", style="bold").append(stand.said, style=style)
        line.append(f"; {seconds:.1f} s in the implementation", style="")
        console.print(line if decides else line.append(" (shown, not gating)", style="dim"), soft_wrap=True)
        if stand.hint and decides:
            console.print(Text(f"  {stand.hint}", style="yellow"), soft_wrap=True)


def print_json(results: list[CellResult], code: int, sample: Sample | None) -> None:
    """Counts by implementation, area and verdict, and how many cells of each were too slow to judge."""
    import json

    counts: dict[str, dict[str, dict[str, int]]] = {}
    for result in results:
        for finding in result.findings:
            by = counts.setdefault(result.impl, {}).setdefault(result.area, {verdict.value: 0 for verdict in Verdict})
            by[finding.verdict.value] += 1
    slow = {impl: sum(bool(result.slow) for result in results if result.impl == impl) for impl in counts}
    asked = {} if sample is None else {"sample": msgspec.to_builtins(sample)}
    click.echo(json.dumps({"exit_code": code, "findings": counts, "slow": slow, **asked}, indent=2))
