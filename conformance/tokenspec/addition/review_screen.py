"""The review sheet on the terminal: 100 columns, scaffold and content apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tokenspec.addition.review import head
from tokenspec.certificate.screen import view

if TYPE_CHECKING:
    from tokenspec.addition.review import Sheet

CASES = 12
STYLES = {"content": "black on green", "sampled": "black on cyan", "prompt": "magenta", "unattributed": "yellow"}
MARKS = {"content": "«{}»", "sampled": "‹{}›", "prompt": "⟨{}⟩", "unattributed": "?{}?"}
PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {127: 0x2421}
"""A model's text may hold terminal commands: they are shown, never sent."""


def print_sheet(console: Console, found: Sheet) -> None:
    """Pins, notes, certificate, counts, the first cases, the first texts."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for key, value in head(found):
        table.add_row(Text(key, style="bold"), Text(value))
    console.print(Panel(table, title=f"review of {found.spec.id}", box=box.ROUNDED))
    for note in found.notes:
        console.print(Text(f"! {note}", style="yellow"))
    console.print(view(found.certificate))
    counts = Table("area", "goldens", "ok", "refused", box=box.SIMPLE_HEAD, pad_edge=False)
    for area, counted in found.counts.items():
        counts.add_row(area, *(str(number) for number in (counted.total(), counted["ok"], counted["raises"])))
    console.print(counts)
    cases = Table("render case", "outcome", "tokens", "not attributed because", box=box.SIMPLE_HEAD, pad_edge=False)
    for line in found.lines[:CASES]:
        cases.add_row(
            line.case, line.outcome, str(line.tokens or ""), Text(line.note, overflow="ellipsis", no_wrap=True)
        )
    console.print(cases)
    if len(found.lines) > CASES:
        console.print(f"{len(found.lines) - CASES} more render cases stand in the Markdown sheet", style="dim")
    for case, spans in found.texts:
        console.print(
            Panel(_coloured(spans, plain=console.no_color or not console.is_terminal), title=case, box=box.ROUNDED)
        )
    console.print(_legend())


def _coloured(spans: list[tuple[str, int | None, int, str]], *, plain: bool) -> Text:
    """Kinds by colour; where there is none, by quotes."""
    text = Text()
    for kind, _, _, part in spans:
        shown = part.translate(PICTURES)
        text.append(MARKS.get(kind, "{}").format(shown) if plain else shown, STYLES.get(kind, "dim"))
    return text


def _legend() -> Group:
    legend = Text("scaffold", "dim")
    for kind, mark in MARKS.items():
        legend.append("  ")
        legend.append(mark.format(kind), STYLES[kind])
    return Group(legend)
