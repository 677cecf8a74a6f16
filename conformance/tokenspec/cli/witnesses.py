"""What ``bless`` and ``fixtures verify`` do with witnesses: who is asked, what is written, what is printed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tokenspec.errors import UsageError

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell
    from tokenspec.curation.blessing import Change
    from tokenspec.curation.witness_list import Witness, WitnessList
    from tokenspec.curation.witnesses import Hearing, Present
    from tokenspec.store.records import Golden

witness_option = click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="NAME=IMPL",
    help="Reach this witness as --impl would, cmd:PROGRAM for another environment; repeatable.",
)


def reached_as(given: Sequence[str]) -> dict[str, str]:
    """``NAME=IMPL`` by name.

    Raises:
        UsageError: there is no ``=``.
    """
    for text in given:
        if "=" not in text:
            raise UsageError(f"--witness {text}: say how it is reached: --witness {text}=cmd:PROGRAM")
    return dict(text.split("=", 1) for text in given)


@contextlib.contextmanager
def asked(cells: Sequence[Cell], given: Sequence[str]) -> Iterator[tuple[list[Present], WitnessList]]:
    """The witnesses of these cells that are here, until the block ends; the others are named with the reason."""
    from tokenspec.curation.witness_list import read_witnesses
    from tokenspec.curation.witnesses import present

    def on_absent(witness: Witness, why: str) -> None:
        click.echo(f"not asked about {witness.area}: {witness.title}, {why}", err=True)

    listed = read_witnesses()
    found = list(present(listed.of(cell.area.name for cell in cells), reached_as(given), on_absent))
    try:
        yield found, listed
    finally:
        for each in found:
            each.column.close()


def heard(hearing: Hearing, asked_here: Sequence[Present], listed: WitnessList, *, whole: bool) -> bool:
    """Print what was said; whether nobody contradicts. ``whole``: the areas were asked about all they have."""
    from tokenspec.curation.witnesses import met_nowhere

    for name, counted in sorted(hearing.heard.items()):
        click.echo(f"{name}: {', '.join(f'{what} {count}' for what, count in sorted(counted.items()))}")
    for contradiction in hearing.contradicted:
        click.echo(str(contradiction))
    stale = met_nowhere(hearing, asked_here, listed) if whole else []
    for difference in stale:
        click.echo(f"witnesses.toml: {difference.witness} does not differ on {difference.case}, {difference.check}")
    if hearing.contradicted:
        click.echo("next: find out who is right; where the golden is, list the difference in fixtures/witnesses.toml")
    return not hearing.contradicted and not stale


def told(change: Change) -> str:
    """Which witnesses a golden gains and loses."""
    old, new = (words_of(golden) for golden in (change.old, change.new))
    lines = [*(f"  - {line}" for line in old if line not in new), *(f"  + {line}" for line in new if line not in old)]
    return "\n".join([change.cell.name, *(lines or ["  answers otherwise than before"])])


def words_of(golden: Golden | None) -> list[str]:
    """What a golden says of the programs it names."""
    if golden is None:
        return []
    agreeing = [f"{name}: {', '.join(levels)}" for name, levels in golden.witnesses.items()]
    return [*agreeing, *(f"{one.by}: otherwise in {', '.join(one.levels)}" for one in golden.answers.values())]


def has_lost(change: Change) -> bool:
    """Whether a witness of the old golden no longer says what it said."""
    old, new = ({} if golden is None else golden.witnesses for golden in (change.old, change.new))
    return any(not set(levels) <= set(new.get(name, ())) for name, levels in old.items())


def renew(cells: Sequence[Cell], given: Sequence[str], *, whole: bool) -> bool:
    """Ask about goldens that stand, write who agrees; whether nobody contradicts."""
    from tokenspec.areas.selection import goldens_path
    from tokenspec.curation.blessing import testify, write_each

    with asked(cells, given) as (found, listed):
        hearing, changes = testify(cells, found, listed)
    write_each(changes, lambda cell: goldens_path(cell.row, cell.area.name))
    for change in filter(has_lost, changes):
        click.echo(told(change))
    agreed = heard(hearing, found, listed, whole=whole)
    click.echo(f"{len(changes)} goldens with other witnesses than before")
    return agreed


def verify(cells: Sequence[Cell], given: Sequence[str], *, whole: bool) -> bool:
    """Ask about goldens that stand, write nothing; whether everybody who is here says what is committed."""
    from tokenspec.curation.blessing import testify

    with asked(cells, given) as (found, listed):
        hearing, changes = testify(cells, found, listed)
    for change in changes:
        click.echo(told(change))
    agreed = heard(hearing, found, listed, whole=whole)
    click.echo(
        f"{sum(map(sum, (counts.values() for counts in hearing.heard.values())))} answers, "
        f"{len(changes)} goldens with other witnesses than committed"
    )
    return agreed and not changes


def is_whole(chosen: dict[str, Any]) -> bool:
    """Whether areas were chosen, if anything, and nothing inside them."""
    return not any(chosen[key] for key in ("rows", "cases", "statuses"))
