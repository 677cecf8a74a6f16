"""``tokenspec bless`` and ``tokenspec fixtures``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress, track

from tokenspec.cli.screen import screen
from tokenspec.errors import FixtureError, UsageError

from .fixture_files import erratum, export, list_files, promote
from .flips import flips
from .options import selection, selection_options
from .witnesses import asked, is_whole, renew, verify, witness_option


@click.command()
@selection_options
@click.option("--overwrite", is_flag=True, help="Also replace goldens that differ; needs --erratum.")
@click.option("--erratum", metavar="REASON", help="Why existing goldens change; recorded in fixtures/ERRATA.toml.")
@click.option("--witnesses-only", is_flag=True, help="Make nothing: ask the witnesses about the goldens that stand.")
@witness_option
def bless(
    overwrite: bool, erratum: str | None, witnesses_only: bool, witnesses: tuple[str, ...], **chosen: Any
) -> None:
    """Make the missing goldens from the oracle. Never deletes, never overwrites unless told why.

    The witnesses that are installed (fixtures/witnesses.toml) are asked about each golden that is made; those who agree
    are named in it, and one who differs keeps it from being written unless the list of witnesses explains why.

    Each golden is asked for twice and at two dates; an oracle that does not repeat itself makes none. What changed is
    shown token by token, old beside new. Stopped in the middle, every file is the old one or the new one.
    """
    if overwrite and not erratum:
        raise UsageError("--overwrite needs --erratum REASON: a golden that changes is an erratum")
    from tokenspec.areas.selection import keys_of, refuse_unmatched, select_cells
    from tokenspec.curation.blessing import bless as ask_all
    from tokenspec.curation.blessing import entry_names
    from tokenspec.curation.sheet import sheet
    from tokenspec.store.entries import refuse_installed
    from tokenspec.store.errata import record_erratum

    refuse_installed("bless")
    wanted = selection(chosen)
    selected = select_cells(wanted, outdated=True)
    cells = [cell for cell in selected if cell.area.oracle and not cell.borrowed]
    refuse_unmatched(wanted, keys_of(cells))
    if witnesses_only:
        sys.exit(0 if renew(cells, witnesses, whole=is_whole(chosen)) else 1)
    console = screen(stderr=True)
    with (
        asked(cells, witnesses) as (found, listed),
        Progress(console=console, transient=True, disable=not console.file.isatty()) as progress,
    ):
        task = progress.add_task("asking the oracle", total=len(cells))
        done = ask_all(
            cells, overwrite=overwrite, witnesses=found, listed=listed, on_cell=lambda _: progress.advance(task)
        )
    for change in (*done.replaced, *done.differing):
        click.echo("\n".join(sheet(change)))
    if done.replaced and erratum:
        record_erratum(entry_names(done.replaced), erratum)
    for cell, name in done.unheard:
        click.echo(f"{cell.name}: {name} was asked about the golden before and not about this one")
    for contradiction in done.contradicted:
        click.echo(f"not written: {contradiction}")
    for cell, said in done.refused:
        click.echo(f"{cell.name}: the oracle refuses unexpectedly: {said}")
    if done.missing:
        click.echo(f"not asked, files missing: {', '.join(sorted(done.missing))}; run: tokenspec models pull")
    click.echo(
        f"{done.equal} goldens as they were, {len(done.made)} made, {len(done.replaced)} replaced, "
        f"{len(done.differing)} differ and were left alone"
    )
    if done.differing:
        click.echo('next: where the oracle is right, tokenspec bless --overwrite --erratum "why they change"')
    elif done.made or done.replaced:
        click.echo("next: git diff fixtures/golden, then tokenspec fixtures lint --write-manifest")
    sys.exit(1 if done.differing or done.refused or done.contradicted else 0)


@click.group()
def fixtures() -> None:
    """Lint fixtures, verify goldens against the oracle or a release, list and export files, promote failures."""


@fixtures.command()
@click.option("--write-manifest", is_flag=True, help="Renew MANIFEST.json and the JSON Schemas first.")
def lint(write_manifest: bool) -> None:
    """Everything a fixture can get wrong, one line each; exit code 4 when anything is."""
    from tokenspec.curation.lint import problems
    from tokenspec.curation.manifest import write_manifest as renew

    if write_manifest:
        renew()
    found = list(problems())
    for line in found:
        click.echo(line)
    if found:
        click.echo(f"{len(found)} problems. Goldens: tokenspec bless; hashes: tokenspec fixtures lint --write-manifest")
        sys.exit(FixtureError.exit_code)
    click.echo("fixtures are clean")


@fixtures.command("verify")
@selection_options
@click.option("--witnesses", "by_witnesses", is_flag=True, help="Ask the witnesses that are here instead.")
@witness_option
@click.option("--since", metavar="RELEASE", help="Compare with a release instead: a git tag, or a spec version.")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Judge an exported folder instead, wherever it is from."
)
def verify_goldens(
    since: str | None, folder: Path | None, by_witnesses: bool, witnesses: tuple[str, ...], **chosen: Any
) -> None:
    """Ask the installed oracle again and list the goldens it no longer agrees with.

    With --witnesses: ask the outside programs that are here, and list the goldens that name others than agree. With
    --since: the released files that are gone or changed without an erratum. With --folder: whether an exported folder
    is whole and well formed. Exit code 4 when something is wrong with the files, 1 when oracle or witness differ.
    """
    if since is not None or folder is not None:
        verify_files(since, folder)
        return
    from tokenspec.areas.oracle_version import same_answer
    from tokenspec.areas.selection import keys_of, refuse_unmatched, select_cells
    from tokenspec.curation.blessing import ask_oracle
    from tokenspec.models import AssetsMissing

    wanted = selection(chosen)
    cells = [cell for cell in select_cells(wanted) if cell.area.oracle and cell.golden and not cell.borrowed]
    refuse_unmatched(wanted, keys_of(cells))
    if by_witnesses or witnesses:
        sys.exit(0 if verify(cells, witnesses, whole=is_whole(chosen)) else 1)
    differing, missing = 0, set()
    console = screen(stderr=True)
    for cell in track(cells, description="asking the oracle", console=console, disable=not console.file.isatty()):
        try:
            now = ask_oracle(cell)
        except AssetsMissing:
            missing.add(cell.row)
            continue
        golden = cell.golden
        if golden is not None and not same_answer(now, golden):
            differing += 1
            click.echo(
                f"differs {cell.name}: golden {golden.outcome} by {golden.oracle}, now {now.outcome} by {now.oracle}"
            )
    if missing:
        click.echo(f"not verified, assets missing: {', '.join(sorted(missing))}; run: tokenspec models pull")
    click.echo(f"{len(cells)} goldens asked, {differing} differ")
    sys.exit(1 if differing else 0)


def verify_files(since: str | None, folder: Path | None) -> None:
    """The two comparisons that need no oracle."""
    from tokenspec.curation.outside import problems_in
    from tokenspec.curation.releases import changed_since, release

    if since is not None and folder is not None:
        raise UsageError("--since looks at the fixtures here, --folder at others; give one of the two")
    found = list(problems_in(folder)) if folder is not None else list(changed_since(release(since or "")))
    for line in found:
        click.echo(line)
    name = folder if folder is not None else f"since {since}"
    click.echo(f"{name}: {len(found)} problems" if found else f"{name}: as it was written")
    sys.exit(FixtureError.exit_code if found else 0)


@fixtures.command()
@click.option("--area", "names", multiple=True, metavar="AREA", help="Only this area; repeatable.")
def cases(names: tuple[str, ...]) -> None:
    """Write the case files from the generators of each area; needs a checkout."""
    from tokenspec.curation.case_writing import write_area
    from tokenspec.store.entries import refuse_installed

    refuse_installed("fixtures cases")
    for line in write_area(names):
        click.echo(line)
    click.echo("next: tokenspec bless, then tokenspec fixtures lint --write-manifest")


@fixtures.command()
@click.argument("rows", nargs=-1)
def profiles(rows: tuple[str, ...]) -> None:
    """Write where the id profiles of rows differ: of the named rows, or of every row that is at hand."""
    from tokenspec.areas.render.profiles import answered, path_of, rows_with_profiles, write
    from tokenspec.models import available
    from tokenspec.store.entries import refuse_installed

    refuse_installed("fixtures profiles")
    for row in rows or rows_with_profiles():
        if (missing := available(row)) is not None:
            click.echo(f"{row}: not written, {missing}")
        elif answered(row):
            write(row)
            click.echo(f"{row}: {path_of(row).name}")


for verb in (list_files, export, promote, erratum, flips):
    fixtures.add_command(verb)
