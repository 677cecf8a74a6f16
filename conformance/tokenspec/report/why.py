"""Why an implementation deviates, under the matrix: one line a cause, what is left unexplained, what is stale."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.report.deviations import Deviation, Explained, Reasons, explain, reasons_of
from tokenspec.report.markup import code, plain
from tokenspec.verdict import CellResult

SHOWN = 5
MAX_ROWS = 4


def print_why(console: Console, results: Sequence[CellResult], impls: Sequence[str]) -> None:
    """The causes of every implementation that has a reviewed file of them and a failure in this run."""
    for impl, reasons, found in explained(results, impls):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("cases", justify="right", no_wrap=True)
        table.add_column("rows", max_width=20)
        table.add_column("why")
        for deviation, rows in in_order(reasons, found):
            why = Text(deviation.said).append(f" {deviation.link}" if deviation.link else "", style="dim")
            table.add_row(str(sum(rows.values())), shown_rows(rows), why)
        console.print(Text(f"Why {impl} deviates", style="bold"), Text(f"(reviewed at {reasons.version})", style="dim"))
        console.print(table)
        for line in complaints(found):
            console.print(Text(line, style="yellow"), soft_wrap=True)


def markdown_why(results: Sequence[CellResult], impls: Sequence[str]) -> list[str]:
    """The same as Markdown blocks."""
    blocks = []
    for impl, reasons, found in explained(results, impls):
        lines = [f"## Why {plain(impl)} deviates", "", f"Reasons reviewed at {plain(reasons.version)}.", ""]
        lines += ["| cases | rows | why |", "|---:|---|---|"]
        for deviation, rows in in_order(reasons, found):
            link = f" ({plain(deviation.link)})" if deviation.link else ""
            names = ", ".join(map(code, rows))
            lines.append(f"| {sum(rows.values())} | {names} | {plain(deviation.said)}{link} |")
        lines += ["", *(f"* {plain(line)}" for line in complaints(found))]
        blocks.append("\n".join(lines).rstrip())
    return blocks


def explained(results: Sequence[CellResult], impls: Sequence[str]) -> list[tuple[str, Reasons, Explained]]:
    """Per implementation with a file of reasons: the reasons, and what they say of this run."""
    found = []
    for impl in impls:
        reasons = reasons_of(impl)
        if reasons is not None:
            answer = explain([result for result in results if result.impl == impl], reasons.deviation)
            if answer.cells or answer.unexplained or answer.stale:
                found.append((impl, reasons, answer))
    return found


def in_order(reasons: Reasons, found: Explained) -> list[tuple[Deviation, dict[str, int]]]:
    """The causes that were met, most cases first."""
    met = [(deviation, found.cells[deviation.id]) for deviation in reasons.deviation if deviation.id in found.cells]
    return sorted(met, key=lambda item: -sum(item[1].values()))


def shown_rows(rows: dict[str, int]) -> str:
    """A few row names."""
    names = list(rows)
    return " ".join(names[:MAX_ROWS]) + (f" +{len(names) - MAX_ROWS}" if names[MAX_ROWS:] else "")


def complaints(found: Explained) -> list[str]:
    """What the file of reasons leaves open, and what it says too much."""
    lines = []
    if found.unexplained:
        cells = list(dict.fromkeys(result.name for result, _ in found.unexplained))
        more = f" and {len(cells) - SHOWN} more" if cells[SHOWN:] else ""
        lines.append(f"unexplained: {len(found.unexplained)} failures in {', '.join(cells[:SHOWN])}{more}")
    if found.stale:
        lines.append(f"stale reasons, nothing fails for them any more: {', '.join(found.stale)}")
    return lines or ["every failure has its reason"]
