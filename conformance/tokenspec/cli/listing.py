"""Lists: a table where the last column, which is prose, has room beside the others, else each below its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

ROOM = 22
"""Columns of the terminal that prose can be read in."""
BESIDE = 3
INDENT = 4


def print_listing(console: Console, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print ``rows`` below their header ``names`` in the width there is; only the last column is ever broken."""
    listed = [names, *rows]
    widths = [max(cell_len(row[at]) for row in listed) for at in range(len(names))]
    room = console.width - sum(width + BESIDE for width in widths[:-1]) - 1
    if room >= min(ROOM, widths[-1]):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in names:
            table.add_column(name, no_wrap=name != names[-1], overflow="fold")
        for row in listed[1:]:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    for row in listed:
        console.print(Text("  ".join(filter(None, row[:-1])), style="bold underline" if row is names else "bold"))
        console.print(Padding(Text(row[-1]), (0, 0, 0, INDENT)))
