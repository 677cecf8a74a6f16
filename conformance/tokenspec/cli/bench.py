"""``tokenspec bench``: ours against the peer, in one run, as ratios."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime

import click
from rich import box
from rich.console import Console
from rich.table import Table

from tokenspec.bench import benches
from tokenspec.benchmark import Figure
from tokenspec.cli.screen import screen
from tokenspec.errors import UnknownName


@click.command()
@click.argument("names", nargs=-1)
@click.option("--markdown", is_flag=True, help="Print a table for BENCHMARKS.md.")
def bench(names: tuple[str, ...], markdown: bool) -> None:
    """Measure the named benchmarks (default: all) and print ratios ours/peer. Exit code 1 when a bound is missed."""
    known = benches()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnknownName("benchmark", unknown[0], known)
    console = screen()
    missed = 0
    for name, item in known.items():
        if names and name not in names:
            continue
        figures: list[Figure] = []
        with console.status(f"measuring {item.title}"):
            figures.extend(item.run())
        missed += sum(figure.limit is not None and figure.ratio > figure.limit for figure in figures)
        if markdown:
            print_markdown(item.title, figures)
        else:
            print_figures(console, item.title, figures)
    where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    console.print(f"[dim]{where}, {datetime.now(UTC).date()}; ratios, not seconds, are comparable[/dim]")
    sys.exit(1 if missed else 0)


def print_figures(console: Console, title: str, figures: list[Figure]) -> None:
    """A table at 100 columns."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    table.add_column("what")
    table.add_column("ours", justify="right")
    table.add_column("peer", justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("bound", justify="right")
    table.add_column("against")
    for figure in figures:
        bound = "" if figure.limit is None else f"<= {figure.limit:g}"
        colour = "" if figure.limit is None else "green" if figure.ratio <= figure.limit else "bold red"
        ratio = f"[{colour}]{figure.ratio:.3g}[/{colour}]" if colour else f"{figure.ratio:.3g}"
        against = f"{figure.peer_name} {figure.note}".strip()
        table.add_row(
            figure.what, amount(figure.ours, figure.unit), amount(figure.peer, figure.unit), ratio, bound, against
        )
    console.print(table)


def print_markdown(title: str, figures: list[Figure]) -> None:
    """The same as Markdown."""
    click.echo(f"\n### {title}\n\n| what | ours | peer | ratio | bound | against |\n|---|---|---|---|---|---|")
    for figure in figures:
        bound = "" if figure.limit is None else f"<= {figure.limit:g}"
        ours, peer = amount(figure.ours, figure.unit), amount(figure.peer, figure.unit)
        cells = (figure.what, ours, peer, f"{figure.ratio:.3g}", bound)
        click.echo(f"| {' | '.join(cells)} | {figure.peer_name} {figure.note} |")


def amount(value: float, unit: str) -> str:
    """A duration, a share, or memory."""
    if unit == "KiB":
        return f"{value / 1024:.3g} MiB"
    return f"{value:.1%}" if unit == "%" else duration(value)


def duration(seconds: float) -> str:
    """Seconds at a readable scale."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
