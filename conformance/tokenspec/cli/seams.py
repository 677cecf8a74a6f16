"""``tokenspec list seams``: where what a sampler saw is not one encode of the whole text."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.areas.render.profiles import HOW, RowProfiles, profiles_of, rows_with_profiles
from tokenspec.errors import UsageError
from tokenspec.models import spec_of

MAX_PLACES = 4


def print_seams(console: Console, row: str | None) -> None:
    """One line for every way in which a case's canonical and sampled-boundary ids differ; without a row, a summary."""
    if row is None:
        print_summary(console)
        return
    spec_of(row)
    found = profiles_of(row)
    if found is None:
        raise UsageError(f"{row} has no list of seams: {HOW} {row}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("case", "text", "canonical", "sampled boundary", "message@token"):
        table.add_column(name, no_wrap=name == "case", overflow="fold")
    for seam in found.seams:
        places = [f"{message}@{token}" for message, token in zip(seam.messages, seam.tokens, strict=True)]
        shown = " ".join(places[:MAX_PLACES]) + (f" and {len(places) - MAX_PLACES} more" if places[MAX_PLACES:] else "")
        ids = (" ".join(map(str, seam.canonical)), " ".join(map(str, seam.sampled_boundary)))
        table.add_row(*map(Text, (seam.case, repr(seam.text), *ids, shown)))
    console.print(table)
    console.print(Text(totals(found), style="dim"))


def print_summary(console: Console) -> None:
    """How many cases of each row have two answers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("row")
    for name in ("cases that differ", "seams", "isolated cases", "undecided"):
        table.add_column(name, justify="right")
    for row in rows_with_profiles():
        found = profiles_of(row)
        if found is not None:
            cases, places = len({seam.case for seam in found.seams}), sum(len(seam.tokens) for seam in found.seams)
            table.add_row(row, str(cases), str(places), str(len(found.isolated)), str(len(found.undecided)))
    console.print(table)
    console.print(Text("next: tokenspec list seams --row ROW", style="dim"))


def totals(found: RowProfiles) -> str:
    """``15 cases differ at 16 seams``."""
    cases, places = len({seam.case for seam in found.seams}), sum(len(seam.tokens) for seam in found.seams)
    if not cases:
        return (
            "the two id profiles agree on every case: the generation prompt ends in a control token, or nothing merges"
        )
    return f"{cases} cases differ at {places} seams. See one: tokenspec explain render/{found.seams[0].case}"
