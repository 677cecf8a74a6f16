"""``tokenspec models``: which rows there are, bringing their files here, certifying, adding and checking rows."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Self, get_args

import click

from tokenspec.cli.add_model import add, check
from tokenspec.models.spec import Status

if TYPE_CHECKING:
    from rich.console import Console

    from tokenspec.models import Pulled, RowSpec

MEGABYTE = 1_000_000


@click.group()
def models() -> None:
    """Model rows: list them, bring their files here, certify, add and check them."""


models.add_command(add)
models.add_command(check)


@models.command("list")
@click.option("--status", type=click.Choice(get_args(Status)), help="Only rows of this status.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for scripts.")
def list_rows(*, status: str | None, as_json: bool) -> None:
    """Print every row: status, where its files come from, whether they are here, licence."""
    import json

    from tokenspec.models import specs

    rows = [row for row in specs().values() if status in (None, row.status)]
    if as_json:
        for row in rows:
            fields = {"row": row.id, "family": row.family, "status": row.status, "licence": row.licence}
            click.echo(json.dumps(fields | {"source": source(row), "cached": is_here(row)}, ensure_ascii=False))
        return
    from tokenspec.cli.listing import print_listing
    from tokenspec.cli.screen import screen

    console = screen()
    print_listing(console, ("row", "status", "source", "here", "licence"), map(_line, rows))
    missing = [row.id for row in rows if not is_here(row)]
    console.print(f"{len(rows)} rows, {len(rows) - len(missing)} here" + (_hint(missing) if missing else ""))


@models.command("pull")
@click.argument("rows", nargs=-1)
@click.option("--offline", is_flag=True, help="Use the cache and folders of this machine only.")
def pull_rows(*, rows: tuple[str, ...], offline: bool) -> None:
    """Bring ROWS (default: every row that can be had here) into the cache, verified and built."""
    from tokenspec.cli.screen import screen
    from tokenspec.models import default_rows, pull

    console = screen(stderr=True)
    plan = dict.fromkeys(rows) if rows else default_rows()
    wanted = [row for row, reason in plan.items() if reason is None]
    began = time.monotonic()
    with Bars(console) as bars:
        results = pull(wanted, progress=bars, network=not offline)
    for result in results:
        console.print(_outcome(result), soft_wrap=True)
    for row, reason in plan.items():
        if reason is not None:
            console.print(f"left out {row}: {reason}", soft_wrap=True, highlight=False, markup=False)
    failed = [result.row for result in results if result.reason]
    megabytes = sum(result.downloaded for result in results) / MEGABYTE
    summary = f"{len(results) - len(failed)} of {len(results)} rows ready, "
    console.print(f"{summary}{megabytes:.1f} MB downloaded, {time.monotonic() - began:.1f} s", highlight=False)
    if failed:
        sys.exit(1)


@models.command("certify")
@click.argument("rows", nargs=-1)
@click.option("--accept", metavar="REASON", help="Write what is measured, with this review; without it, compare.")
def certify_command(*, rows: tuple[str, ...], accept: str | None) -> None:
    """Measure the certificates of ROWS (default: all with a chat template) with the installed oracle.

    Exit code 4 when one is missing or not as committed.
    """
    from tokenspec.cli.certificates import certify_rows, rows_with_template
    from tokenspec.errors import FixtureError

    differing = certify_rows(rows_with_template(rows), accept)
    if differing:
        again = f"tokenspec models certify {' '.join(rows)}".rstrip()
        click.echo(f'{differing} certificates differ. Look at each, then: {again} --accept "why it is right"')
        sys.exit(FixtureError.exit_code)
    if accept is not None:
        click.echo("next: git diff fixtures/certificates, then tokenspec fixtures lint --write-manifest")


class Bars:
    """Draws one bar per archive on a terminal; elsewhere one line per archive."""

    def __init__(self, console: Console) -> None:
        """Nothing is drawn before the first archive."""
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._console = console
        self._progress = Progress(*columns, console=console, disable=not console.file.isatty())
        self._tasks: dict[str, tuple[Any, int]] = {}

    def __enter__(self) -> Self:
        """Begin drawing."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing, also when interrupted."""
        self._progress.stop()

    def start(self, name: str, total: int) -> None:
        """An archive begins."""
        if not self._console.file.isatty():
            self._console.print(f"downloading {name} ({total / MEGABYTE:.1f} MB)", soft_wrap=True, highlight=False)
        self._tasks[name] = self._progress.add_task(name, total=total), total

    def grown(self, name: str, done: int) -> None:
        """Clients unpack beside the archive, so the measured size can pass the total for a moment."""
        task, total = self._tasks[name]
        self._progress.update(task, completed=min(done, total))

    def finish(self, name: str) -> None:
        """Take the bar away; the outcome line tells the rest."""
        self._progress.update(self._tasks[name][0], visible=False)

    def note(self, text: str) -> None:
        """A line above the bars."""
        self._console.print(f"note: {text}", soft_wrap=True, highlight=False, markup=False)


def is_here(row: RowSpec) -> bool:
    """Whether a row can be loaded without downloading, judged without reading large files."""
    from tokenspec.models import available
    from tokenspec.models.assemble import finished

    return available(row.id) is None if row.status == "toy" else finished(row, thorough=False) is not None


def source(row: RowSpec) -> str:
    """The carriers of a row's tokenizer and template, in the order they are asked."""
    names = [_source_name(one) for one in (*row.tokenizer.source, *row.template.source)]
    return ", ".join(dict.fromkeys(names or ["hub"]))


def _source_name(one: object) -> str:
    from tokenspec.models.spec import DirectorySource, FolderFileSource, RegistrySource

    if isinstance(one, RegistrySource):
        return one.carrier
    return "fixtures" if isinstance(one, DirectorySource) else "models dir" * isinstance(one, FolderFileSource)


def _line(row: RowSpec) -> tuple[str, ...]:
    first, *others = source(row).split(", ")
    more = f" +{len(others)}" if others else ""
    here = "yes" if is_here(row) else "no"
    return row.id, row.status, first + more, here, row.licence.partition(" (")[0]


def _outcome(result: Pulled) -> str:
    if result.reason:
        return f"[red]failed[/] {result.reason}"
    how = "cached" if not result.origins else f"built in {result.seconds:.1f} s from {', '.join(result.origins)}"
    return f"[green]ready[/]  {result.row}: {how}"


def _hint(missing: list[str]) -> str:
    from tokenspec.models import how_to_get

    command, others = how_to_get(missing)
    return "".join([f"; missing ones come with: {command}" if command else "", *(f"; {line}" for line in others)])
