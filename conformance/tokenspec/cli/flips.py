"""``tokenspec fixtures flips``: which goldens an earlier transformers answers otherwise."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterable

import click
from rich.progress import track

from tokenspec.areas.area import Cell
from tokenspec.areas.oracle_version import (
    CURRENT,
    EARLIER,
    FLIPPING_AREA,
    OracleVersion,
    committed_flip,
    flips_path,
    oracle_version,
    same_answer,
    what_flips,
)
from tokenspec.areas.selection import keys_of, refuse_unmatched, select_cells
from tokenspec.cli.options import selection, selection_options
from tokenspec.cli.screen import screen
from tokenspec.curation.blessing import Change, ask_oracle, write_each
from tokenspec.errors import UsageError
from tokenspec.models import available


@click.command()
@selection_options
@click.option("--write", is_flag=True, help="Write the flips found, and remove those that are none.")
def flips(write: bool, **chosen: tuple[str, ...]) -> None:
    """Ask the installed transformers, an earlier one, about every golden; the committed flips are exact both ways.

    Goldens of rows whose files are not here are left out by name: some come only from TOKENSPEC_MODELS_DIR.
    Runs where transformers 4.57.6 is installed: tox -e conformance-tf457. See them anywhere: tokenspec list flips.
    """
    installed = importlib.metadata.version("transformers")
    if installed == CURRENT.transformers:
        raise UsageError(
            f"transformers {installed} makes the goldens themselves; flips need {EARLIER.transformers}: "
            "tox -e conformance-tf457"
        )
    version = oracle_version(installed)
    wanted = selection({**chosen, "areas": chosen["areas"] or (FLIPPING_AREA,)})
    selected = [cell for cell in select_cells(wanted) if cell.area.name == FLIPPING_AREA]
    refuse_unmatched(wanted, keys_of(selected))
    blessed = [cell for cell in selected if cell.golden is not None]
    missing = {row: why for row in {cell.row for cell in blessed} if (why := available(row)) is not None}
    cells = [cell for cell in blessed if cell.row not in missing]
    if not cells:
        raise UsageError(f"no golden can be asked. {'; '.join(missing.values()) or 'None was selected.'}")
    console = screen(stderr=True)
    found = compare(
        version,
        track(cells, description="asking the oracle", console=console, disable=not console.is_terminal),
        write=write,
    )
    for row, why in sorted(missing.items()):
        click.echo(f"left out {row}, {sum(cell.row == row for cell in blessed)} goldens: {why}")
    click.echo(f"{len(cells)} goldens asked of transformers {installed}")
    if found and not write:
        click.echo(f"{len(found)} differ from the committed flips; review them: tokenspec fixtures flips --write")
        sys.exit(1)
    click.echo("next: tokenspec list flips")


def compare(version: OracleVersion, cells: Iterable[Cell], *, write: bool) -> list[Change]:
    """The flips that are missing, stale or other than this version's answer; ``write`` mends them."""
    wrong: list[Change] = []
    for cell in cells:
        committed = committed_flip(version, cell.row, cell.case)
        now = ask_oracle(cell)
        if cell.golden is None or same_answer(now, cell.golden):
            if committed is not None:
                wrong.append(Change(cell, committed, None))
                click.echo(f"no flip any more: {cell.name}")
        elif committed is None or committed.input_sha256 != now.input_sha256 or not same_answer(now, committed):
            wrong.append(Change(cell, committed, now))
            click.echo(f"flips: {cell.name}: {what_flips(cell.golden, now)}")
    if write:
        write_each(wrong, lambda cell: flips_path(version, cell.row))
    return wrong
