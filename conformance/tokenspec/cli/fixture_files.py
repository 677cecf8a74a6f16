"""``tokenspec fixtures list | export | promote | erratum``: the fixtures as files that others use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.progress import track

from tokenspec.cli.screen import say, screen
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.store.entries import SPEC_VERSION, refuse_installed

from .options import selection, selection_options

spec_version = click.option(
    "--spec-version",
    default=SPEC_VERSION,
    show_default=True,
    metavar="V",
    help="The entries of this version; see fixtures/files.",
)


@click.command(name="list")
@selection_options
@spec_version
def list_files(spec_version: str, **chosen: Any) -> None:
    """Print the name of every entry of a selection, one a line: cases, goldens, files; relative to the fixtures."""
    from tokenspec.curation.export import chosen_entries

    names = chosen_entries(selection(chosen), spec_version)
    click.echo("\n".join(names))
    kinds = {kind: sum(name.startswith(f"{kind}/") for name in names) for kind in ("cases", "regressions", "golden")}
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    say(f"{len(names)} entries below {fixtures_dir()}: {counts}", err=True)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--as", "kind", type=click.Choice(["npm", "crate", "dataset"]), help="Write a package with a loader.")
@selection_options
@spec_version
def export(folder: Path, kind: str | None, spec_version: str, **chosen: Any) -> None:
    """Write a folder that anyone can use without this package: cases, goldens, rows, schemas, hashes, README.

    FOLDER appears whole or not at all, and must be new or empty. With --as it is a package of npm or cargo with types
    and a loader, or a data set: every golden beside its request, and the toy rows that they name.

    Example: tokenspec fixtures export ./tokenspec-fixtures --as npm --area render --status toy
    """
    if kind is not None:
        export_package(kind, folder, spec_version, chosen)
        return
    from tokenspec.curation.export import export as write_folder

    console = screen(stderr=True)

    def shown(paths: Iterable[str]) -> Iterable[str]:
        listed = list(paths)
        return track(listed, "copying", console=console, transient=True, disable=not console.is_terminal)

    described = write_folder(folder, selection(chosen), spec_version, shown)
    cases = sum(count["cases"] for count in described["counts"].values())
    goldens = sum(count["goldens"] for count in described["counts"].values())
    say(f"wrote {folder}: {cases} cases, {goldens} goldens, spec version {spec_version}")
    say(f"next: read {folder}/README.md; check a copy: cd {folder} && sha256sum -c SHA256SUMS")


def export_package(kind: str, folder: Path, spec_version: str, chosen: dict[str, Any]) -> None:
    """Write a package, and say how it is used."""
    from tokenspec.curation.packages import write_package

    if spec_version != SPEC_VERSION:
        raise UsageError(f"--as {kind} has requests, and they are made for this version: leave out --spec-version")
    written = write_package(kind, folder, selection(chosen))
    counts = ", ".join(f"{count} {area}" for area, count in written.counts.items())
    say(f"wrote {folder}: {counts}")
    if written.missing:
        rows = sorted({model for row in written.missing for model in row.split("+")})
        click.echo(
            f"left out, files missing: {', '.join(sorted(written.missing))}; tokenspec models pull {' '.join(rows)}"
        )
    used = {
        "npm": f"npm install {folder}",
        "crate": f"cargo add --path {folder}",
        "dataset": f"load_dataset('{folder}')",
    }
    say(f"next: {used[kind]}; {folder}/README.md has the loop")


@click.command()
@click.argument("failure", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--area", "area_name", metavar="AREA", help="The area of FAILURE; a report says it itself.")
@click.option("--from-report", type=click.Path(path_type=Path, dir_okay=False), help="Take the input from a saved run.")
@click.option("--case", metavar="CASE", help="Which case of the report.")
@click.option("--slug", required=True, help="The case's name: a-z, 0-9, '-'. It is never reused.")
@click.option("--why", required=True, help="What the input has that others have not, in plain words.")
@click.option("--flag", "flags", multiple=True, help="What a failure means (fixtures/flags.toml); repeatable.")
@click.option("--requires", multiple=True, metavar="ID", help="A requirement it breaks; repeatable.")
@click.option("--feature", "features", multiple=True, help="What a row needs for it; default: read off the messages.")
@click.option("--row", "rows", multiple=True, help="Only for this row; default: every row with the features.")
@click.option("--issue", metavar="URL", help="Where it was found.")
def promote(
    failure: Path | None,
    area_name: str | None,
    from_report: Path | None,
    case: str | None,
    slug: str,
    why: str,
    **told: Any,
) -> None:
    """Turn a shrunk counterexample into a case with goldens by the oracle.

    FAILURE holds the input as JSON, or as the Python literal Hypothesis prints; or a whole case. Nothing is written
    unless everything about it is well formed.

    Example: tokenspec fixtures promote failure.json --area render --slug newline-before-call
    --why "A newline ends the text before a call." --flag SEAM_MERGE --requires RND-010
    """
    from tokenspec.areas import areas
    from tokenspec.curation.promote import counterexample_in_report, read_counterexample
    from tokenspec.curation.promote import promote as make

    refuse_installed("fixtures promote")
    if (failure is None) == (from_report is None):
        raise UsageError("give a file with the input, or --from-report RUN.jsonl --case CASE")
    if from_report is not None:
        if case is None:
            raise UsageError("--from-report needs --case CASE: which failing case to take")
        area, found = counterexample_in_report(from_report, case)
    else:
        if area_name not in areas():
            raise UsageError(f"--area {area_name}: name one of {', '.join(areas())}")
        area = areas()[area_name]
        found = read_counterexample(failure or Path(), area)
    made = make(area, slug, why, found, **told)
    written = made.write()
    say(f"wrote {written[0]} and {len(written) - 1} goldens")
    if made.missing:
        click.echo(
            f"no goldens for {len(made.missing)} rows without files: {', '.join(made.missing)}; "
            f"run: tokenspec models pull, then tokenspec bless --case {made.case.id}"
        )
    click.echo(
        f"next: tokenspec run --impl reference --case {made.case.id}, then tokenspec fixtures lint --write-manifest"
    )


@click.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why the released expectation changes.")
def erratum(names: tuple[str, ...], reason: str) -> None:
    """Record that released entries changed or went, and why. NAMES are as tokenspec fixtures list prints them.

    Example: tokenspec fixtures erratum 'golden/qwen3/render#role-user' --reason "the oracle left the end out"
    """
    from tokenspec.store.entries import current_entries, read_list, versions
    from tokenspec.store.errata import record_erratum

    refuse_installed("fixtures erratum")
    if len(reason.split()) < 3:
        raise UsageError("--reason: say in plain words what was wrong, and who is affected")
    known = {name for version in versions() for name in read_list(version)} | set(current_entries())
    for name in names:
        if name not in known:
            raise UsageError(f"{name}: no version has an entry of this name. See: tokenspec fixtures list")
    record_erratum(names, reason)
    say(f"recorded {len(names)} in {fixtures_dir() / 'ERRATA.toml'}. Next: tokenspec fixtures lint")
