"""``tokenspec mutants``: the proof that the checks can fail."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from tokenspec.cli.options import JOBS, PERCENT, SECONDS_OR_NONE
from tokenspec.cli.screen import screen
from tokenspec.errors import UnknownName, UsageError
from tokenspec.models.spec import Status
from tokenspec.mutation import Autopsy, autopsies, cells_for, load_mutants
from tokenspec.parallel import default_jobs, run_in_processes
from tokenspec.runner import DEFAULT_TIMEOUT
from tokenspec.verdict import Verdict

if TYPE_CHECKING:
    from tokenspec.areas.mutant import Mutant


@click.command()
@click.option("--area", "areas", multiple=True, help="Only mutants of this area; repeatable.")
@click.option("--only", multiple=True, metavar="ID", help="Only this mutant; repeatable.")
@click.option("--record", is_flag=True, help="Write the kills of what ran into spec/requirements.lock.json.")
@click.option("--jobs", type=JOBS, default=0, help="Worker processes; 0, the default: one a core, four at most.")
@click.option("--automatic", is_flag=True, help="Edit the reference at random instead, and see what is noticed.")
@click.option(
    "--sample", type=click.IntRange(1), default=200, show_default=True, help="Automatic edits, as many of each part."
)
@click.option("--seed", default=0, show_default=True, help="Which automatic edits.")
@click.option("--row", "rows", multiple=True, help="Judge automatic edits on this row only; repeatable.")
@click.option(
    "--first",
    multiple=True,
    metavar="ROW",
    help="Judge automatic edits on this row first, and only survivors on the others; repeatable.",
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(get_args(Status)),
    help="Judge automatic edits on rows of this status only.",
)
@click.option("--case", "cases", multiple=True, metavar="PATTERN", help="Judge automatic edits by these cases only.")
@click.option("--file", "files", multiple=True, metavar="PATTERN", help="Edit these files only: renderers/template/*.")
@click.option(
    "--at-least",
    type=PERCENT,
    default=0.0,
    metavar="PERCENT",
    help="Fail if fewer automatic edits of a part are noticed.",
)
@click.option(
    "--search",
    type=SECONDS_OR_NONE,
    default=0.0,
    metavar="SECONDS",
    help="Look so long on each row for an input that tells a survivor from the reference.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where --search writes such inputs, for tokenspec fixtures promote.",
)
@click.option("--json", "as_json", is_flag=True, help="A JSON line for each automatic edit.")
def mutants(
    areas: tuple[str, ...],
    only: tuple[str, ...],
    record: bool,
    jobs: int,
    automatic: bool,
    sample: int,
    seed: int,
    rows: tuple[str, ...],
    first: tuple[str, ...],
    statuses: tuple[str, ...],
    cases: tuple[str, ...],
    files: tuple[str, ...],
    at_least: float,
    search: float,
    into: Path | None,
    as_json: bool,
) -> None:
    """Run every deliberately broken implementation; each must be caught by a check that cites what it breaks.

    The unmutated reference runs on the cells they were caught in and must pass: otherwise a kill means nothing.

    With --automatic the reference's source is edited at random, and each edit is judged on the cells that execute it:
    killed by a check, crashed, survived, or equivalent (listed by hand). What cells execute is measured once and kept;
    with --first it is measured on the other rows only for what survives these.

    With --search the inputs of the cases that execute a survivor's line are varied until the reference and the edit
    answer differently and a check says which is right: that input is the case the suite lacks.
    """
    if automatic:
        from tokenspec.cli.power import Asked, measure_power

        asked = Asked(
            areas,
            rows,
            first,
            statuses,
            cases,
            files,
            only,
            sample,
            seed,
            jobs or default_jobs(),
            at_least,
            search,
            into,
            as_json,
        )
        sys.exit(measure_power(asked))
    whole = not (areas or only)
    chosen = choose(areas, only)
    if record:
        refuse_unlocked(chosen)
    console = screen()
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=screen(stderr=True),
        transient=True,
    )
    with progress:
        task = progress.add_task("killing", total=len(chosen))

        def step(done: Autopsy) -> None:
            progress.update(task, advance=1, description=done.mutant.id)

        found = autopsies(chosen, step, jobs or default_jobs())
        broken = failures_of_the_unmutated(found, progress, jobs or default_jobs())
    print_autopsies(console, found)
    for line in broken[:10]:
        console.print(f"the unmutated reference fails {line}", soft_wrap=True)
    if broken or any(not result.killed for result in found):
        sys.exit(1)
    if record:
        write_kills(found, whole=whole)
        console.print("recorded in spec/requirements.lock.json")
        return
    stale = unkilled_claims(found, whole=whole)
    for line in stale:
        console.print(line, soft_wrap=True)
    sys.exit(1 if stale else 0)


def failures_of_the_unmutated(found: Sequence[Autopsy], progress: Progress, jobs: int) -> list[str]:
    """What the reference itself fails, a line each, of the cells that mutants were caught in."""
    cells_of: dict[Any, Any] = {}
    for one in found:
        cells_for(one.mutant, cells_of)
    noticed = {cell for one in found for cell in one.kills.values()}
    asked = {cell.name: cell for cells in cells_of.values() for cell in cells if cell.name in noticed}
    cells = sorted(asked.values(), key=lambda cell: cell.row)
    task = progress.add_task("unmutated", total=len(cells))
    broken = []
    for result in run_in_processes(["reference"], cells, DEFAULT_TIMEOUT, jobs):
        progress.update(task, advance=1)
        broken += [
            f"{result.name} {finding.check}: {finding.detail if finding.slow else finding.verdict}"
            for finding in result.findings
            if finding.verdict is not Verdict.PASS and (finding.non_conformant or finding.verdict is Verdict.ERROR)
        ]
    progress.remove_task(task)
    return broken


def choose(areas: tuple[str, ...], only: tuple[str, ...]) -> list[Mutant]:
    """The mutants of these areas and names, or all.

    Raises:
        UnknownName: there is no such area, or no such mutant in it.
    """
    from tokenspec.areas import area_of

    known = load_mutants([area_of(area).name for area in areas])
    names = [mutant.id for mutant in known]
    for id_ in only:
        if id_ not in names:
            raise UnknownName("mutant", id_, names)
    return [mutant for mutant in known if not only or mutant.id in only]


def refuse_unlocked(chosen: Sequence[Mutant]) -> None:
    """The lock holds kills of requirements it knows: a new one is acknowledged first.

    Raises:
        UsageError: a mutant breaks a requirement that is not in the lock.
    """
    from tokenspec.traceability.lock import read_lock

    locked = read_lock()
    for mutant in chosen:
        for id_ in mutant.breaks:
            if id_ not in locked:
                raise UsageError(f"{mutant.id} breaks {id_}, which is not in the lock; first: tokenspec spec ack {id_}")


def write_kills(found: Sequence[Autopsy], *, whole: bool) -> None:
    """Into the lock; of a part of the mutants only what they did, the kills of the others stay."""
    from tokenspec.traceability.lock import write_lock

    kills: dict[str, dict[str, str]] = {}
    for result in found:
        for id_, cell in result.kills.items():
            kills.setdefault(id_, {})[result.mutant.id] = cell
    write_lock(set(), kills, None if whole else {result.mutant.id for result in found})


def unkilled_claims(found: Sequence[Autopsy], *, whole: bool) -> list[str]:
    """Kills the lock claims of these mutants and this run did not see; of a whole run also those of mutants gone."""
    from tokenspec.traceability.lock import read_lock

    seen = {(id_, result.mutant.id) for result in found for id_ in result.kills}
    ran = {result.mutant.id for result in found}
    return [
        f"the lock says {mutant} is killed for {entry.id}, this run did not; tokenspec mutants --record"
        for entry in read_lock().values()
        for mutant in entry.mutants
        if (whole or mutant in ran) and (entry.id, mutant) not in seen
    ]


def print_autopsies(console: Console, found: list[Autopsy]) -> None:
    """One line a mutant, survivors in full, then the score."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("mutant", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("breaks")
    table.add_column("caught by")
    for result in found:
        verdict = "[green]killed[/green]" if result.killed else "[bold red]SURVIVES[/bold red]"
        caught = ", ".join(result.killed_by) or (f"error: {result.error}" if result.error else "nothing")
        if result.killed_by and not result.passed:
            caught = "everything fails: too coarse to prove anything"
        table.add_row(result.mutant.id, verdict, " ".join(result.mutant.breaks), caught)
    console.print(table)
    for result in found:
        if not result.killed:
            instead = ", ".join(sorted(result.failed)) or "nothing"
            console.print(f"SURVIVES {result.mutant.id}: {result.mutant.note}; failing instead: {instead}")
    killed = sum(result.killed for result in found)
    score = f"{100 * killed / len(found):.0f} %" if found else "no mutants"
    console.print(f"[bold]{killed}/{len(found)} killed ({score})[/bold]")
