"""The matrix, for people at 100 columns: whole, in as many tables an area as its columns take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.areas import areas
from tokenspec.report.tally import Key, Tally, tallies
from tokenspec.verdict import CellResult, Verdict

LEGEND = "cases passed, or passed/judged; – nothing judged (unsupported, not comparable)"
SECTIONS = ("", "real", "stand-in", "toy", "unproven")
WIDEST_LABEL = 30
"""Characters of a label in a line; a command line, which is a label where two programs have one name, takes more."""
BETWEEN, AROUND = 3, 2
"""Characters of the frame between two columns of a table, and at its sides."""


@dataclass(frozen=True)
class Head:
    """What stands above an implementation's figures.

    Attributes:
        text: its label, and the levels each above its figures.
        widths: of the figures of each level.
    """

    text: Text
    widths: list[int]

    @property
    def width(self) -> int:
        """What the column takes of a line."""
        return max(sum(self.widths) + len(self.widths) - 1, *(line.cell_len for line in self.text.split("\n")))


def print_matrix(
    console: Console, results: Sequence[CellResult], named: Mapping[str, str], statuses: dict[str, str]
) -> None:
    """Tables per area: rows are model rows in sections by status, columns are implementations by level.

    ``named`` are the columns with their labels. What does not fit beside each other stands in tables below each other:
    a figure that is cut would be another figure. A column of which an area judged nothing is named under the tables
    instead of filling them with dashes.
    """
    counted = tallies(results)
    for area in areas().values():
        rows = list(dict.fromkeys(result.row for result in results if result.area == area.name))
        if not rows:
            continue
        rows.sort(key=lambda row: SECTIONS.index(_status(row, statuses)))
        answered = {key[2] for key, tally in counted.items() if key[0] == area.name and tally.judged}
        shown = [impl for impl in named if impl in answered] or list(named)
        heads = {impl: _head(console, counted, area.name, rows, impl, named[impl], area.levels) for impl in shown}
        names = {row: "(no model)" if row == "-" else row for row in rows}
        sections = {row: f"{status} rows" if (status := _status(row, statuses)) else "" for row in rows}
        room = console.width - AROUND - max(map(len, (*names.values(), *sections.values())))
        console.print(Text(area.title, style="bold"))
        for side in beside_each_other({impl: BETWEEN + head.width for impl, head in heads.items()}, room):
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
            table.add_column("row", no_wrap=True)
            for impl in side:
                table.add_column(heads[impl].text, justify="right", no_wrap=True)
            section = ""
            for row in rows:
                if sections[row] != section:
                    section = sections[row]
                    table.add_section()
                    table.add_row(Text(section, style="dim"))
                cells = [
                    _cells([counted.get((area.name, row, impl, level)) for level in area.levels], heads[impl].widths)
                    for impl in side
                ]
                table.add_row(Text(names[row]), *cells)
            console.print(table)
        if absent := [label for impl, label in named.items() if impl not in shown]:
            console.print(Text(f"nothing judged here: {', '.join(absent)}\n", style="dim"))
    legend = f"{LEGEND}; x known failures{'; ≠ sources disagree' if is_disputed(results) else ''}"
    console.print(legend, style="dim")


def beside_each_other(widths: Mapping[str, int], room: int) -> list[list[str]]:
    """The columns of each table: as many as there is room for, and at least one."""
    sides: list[list[str]] = []
    left = 0
    for impl, width in widths.items():
        if not sides or width > left:
            sides.append([])
            left = room
        sides[-1].append(impl)
        left -= width
    return sides


def _status(row: str, statuses: dict[str, str]) -> str:
    """The weakest status of a row's parts: a pair with a stand-in is a stand-in."""
    return max((statuses.get(part, "") for part in row.split("+")), key=SECTIONS.index)


def _head(
    console: Console,
    counted: dict[Key, Tally],
    area: str,
    rows: Sequence[str],
    impl: str,
    label: str,
    levels: Sequence[str],
) -> Head:
    """The head of one column of an area; a label that is long takes several lines."""
    figures = {
        level: [tally.cell() for row in rows if (tally := counted.get((area, row, impl, level)))] for level in levels
    }
    widths = [max(len(level), *(len(figure) for figure in figures[level]), 1) for level in levels]
    lines = [line.plain.rstrip() for line in Text(label).wrap(console, WIDEST_LABEL)]
    if len(levels) > 1:
        lines.append(" ".join(level.rjust(width) for level, width in zip(levels, widths, strict=True)))
    return Head(Text("\n".join(lines)), widths)


def _cells(tallied: Sequence[Tally | None], widths: Sequence[int]) -> Text:
    text = Text()
    for number, (tally, width) in enumerate(zip(tallied, widths, strict=True)):
        shown = "·" if tally is None else tally.cell()
        style = "dim" if tally is None or not tally.judged else "bold red" if tally.broken else "green"
        text.append(" " if number else "").append(shown.rjust(width), style=style)
    return text


def is_disputed(results: Iterable[CellResult]) -> bool:
    """Whether sources disagree on any of these cells."""
    return any(finding.verdict is Verdict.DISAGREE for result in results for finding in result.findings)
