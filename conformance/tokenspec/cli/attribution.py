"""``tokenspec list attribution``: where hand-written renderers and provenance attribute otherwise, and why."""

from __future__ import annotations

import tomllib

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.data import fixtures_dir
from tokenspec.models import spec_of


def print_attribution(console: Console, row: str | None) -> None:
    """One line a cause: rows, number of cases, what differs and why; of one row, or of all."""
    if row is not None:
        spec_of(row)
    text = (fixtures_dir() / "attribution_differences.toml").read_text(encoding="utf-8")
    entries = [entry for entry in tomllib.loads(text)["difference"] if row is None or row in entry["rows"]]
    if not entries:
        console.print(f"{row}: the hand-written renderer and provenance agree on every case")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rows", max_width=18)
    table.add_column("cases", justify="right")
    table.add_column("what and why")
    for entry in entries:
        said = Text(entry["what"]).append(f" {entry['why']}", style="dim")
        table.add_row(" ".join(entry["rows"]), str(len(entry["cases"])), said)
    console.print(table)
