"""``tokenspec mutants``: the proof that the checks can fail."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from tokenspec.adapters.resolve import resolve
from tokenspec.cli.screen import screen
from tokenspec.errors import UsageError
from tokenspec.mutation import Autopsy, autopsies, cells_for, load_mutants
from tokenspec.parallel import default_jobs
from tokenspec.runner import Run
from tokenspec.verdict import Verdict


@click.command()
@click.option("--area", "areas", multiple=True, help="Only mutants of this area; repeatable.")
@click.option("--only", multiple=True, metavar="ID", help="Only this mutant; repeatable.")
@click.option("--record", is_flag=True, help="Write the kills into spec/requirements.lock.json (a full run only).")
def mutants(areas: tuple[str, ...], only: tuple[str, ...], record: bool) -> None:
    """Run every deliberately broken implementation; each must be caught by a check that cites what it breaks.

    The unmutated reference runs on the same cells first and must pass: otherwise a kill means nothing.
    """
    if record and (areas or only):
        raise UsageError("--record takes a full run: the lock holds the kills of all mutants. Drop --area and --only.")
    chosen = [mutant for mutant in load_mutants(areas) if not only or mutant.id in only]
    console = screen()
    cache: dict[Any, Any] = {}
    cells = {id(cell): cell for mutant in chosen for cell in cells_for(mutant, cache)}
    twin = resolve("reference")
    broken = [
        f"{result.name} {finding.check}: {finding.verdict}"
        for result in Run([twin], list(cells.values()))
        for finding in result.findings
        if finding.verdict is not Verdict.PASS and (finding.non_conformant or finding.verdict is Verdict.ERROR)
    ]
    twin.close()
    for line in broken[:10]:
        console.print(f"the unmutated reference fails {line}", soft_wrap=True)
    if broken:
        sys.exit(1)
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

        found = autopsies(chosen, step, default_jobs())
    print_autopsies(console, found)
    survivors = [result for result in found if not result.killed]
    if record and not survivors:
        from tokenspec.traceability.lock import write_lock

        kills: dict[str, set[str]] = {}
        for result in found:
            for id_ in result.kills:
                kills.setdefault(id_, set()).add(result.mutant.id)
        write_lock(set(), kills)
        console.print("recorded in spec/requirements.lock.json")
    elif not areas and not only:
        survivors += unkilled_claims(console, found)
    sys.exit(1 if survivors else 0)


def unkilled_claims(console: Console, found: list[Autopsy]) -> list[Autopsy]:
    """Kills the lock claims and this run did not see."""
    from tokenspec.traceability.lock import read_lock

    seen = {(id_, result.mutant.id) for result in found for id_ in result.kills}
    by_id = {result.mutant.id: result for result in found}
    stale: list[Autopsy] = []
    for entry in read_lock().values():
        for mutant in entry.mutants:
            if (entry.id, mutant) not in seen:
                console.print(
                    f"the lock says {mutant} is killed for {entry.id}, this run did not; tokenspec mutants --record"
                )
                stale.append(by_id.get(mutant, found[0]))
    return stale


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
