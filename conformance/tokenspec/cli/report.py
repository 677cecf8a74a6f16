"""``tokenspec report``: a saved run as Markdown, badge or comparison."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from tokenspec.errors import UsageError
from tokenspec.model import write_atomically
from tokenspec.report.jsonl import read_report
from tokenspec.report.markdown import badge as make_badge
from tokenspec.report.markdown import changes, markdown

SAVED = click.Path(path_type=Path, dir_okay=False)


def deliver(text: str, out: Path | None) -> None:
    """To a file when one is named, else to stdout."""
    if out is None:
        click.echo(text, nl=False)
    else:
        write_atomically(out, text)
        click.echo(f"wrote {out}", err=True)


@click.group()
def report() -> None:
    """Turn a saved run (tokenspec run --report FILE) into something to show."""


@report.command()
@click.argument("saved", type=SAVED)
@click.option("--out", type=SAVED, help="Write here instead of stdout.")
def md(saved: Path, out: Path | None) -> None:
    """Markdown tables, for a CI job summary."""
    deliver(markdown(read_report(saved)), out)


@report.command()
@click.argument("saved", type=SAVED)
@click.option("--impl", required=True, help="Which column.")
@click.option("--out", type=SAVED, help="Write here instead of stdout.")
def badge(saved: Path, impl: str, out: Path | None) -> None:
    """A static badge endpoint file."""
    loaded = read_report(saved)
    if impl not in loaded.header["implementations"]:
        raise UsageError(f"{saved} has no column {impl!r}; it has {', '.join(loaded.header['implementations'])}")
    deliver(json.dumps(make_badge(loaded, impl)) + "\n", out)


@report.command()
@click.argument("old", type=SAVED)
@click.argument("new", type=SAVED)
def compare(old: Path, new: Path) -> None:
    """What changed from OLD to NEW; exit code 1 when something that passed no longer does."""
    found = changes(read_report(old), read_report(new))
    for impl, name, before, after in found:
        click.echo(f"{before:>11} -> {after:<11} {impl}  {name}")
    worse = sum(before == "pass" for _, _, before, _ in found)
    click.echo(f"{len(found)} changes, {worse} of them were passes")
    sys.exit(1 if worse else 0)
