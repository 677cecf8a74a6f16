"""One cell on one screen: what is asked, who says what is expected, and who says otherwise."""

from __future__ import annotations

import json

from rich.console import Console
from rich.text import Text

from tokenspec.areas import areas
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import UsageError
from tokenspec.report.disagreements import disputed_cells, laid_over

TONES = {"-": "red", "+": "green"}


def cell_named(name: str) -> Cell | None:
    """The cell ``render/qwen3/tool-parallel``; None where the name is of another form, or nothing is called so."""
    area, _, rest = name.partition("/")
    row, _, slug = rest.partition("/")
    if area not in areas() or not slug:
        return None
    try:
        found = select_cells(Selection(areas=(area,), rows=(row,), cases=(f"{area}/{slug}",)))
    except UsageError:
        return None
    return next((cell for cell in found if cell.name == name), None)


def explain_cell(console: Console, cell: Cell) -> None:
    """The case, its oracle and witnesses; where sources disagree both answers, laid over each other."""
    console.print(Text(f"{cell.name}  {cell.case.why}", style="bold"))
    console.print(Text(json.dumps(cell.case.input, ensure_ascii=False, indent=2)))
    if (golden := cell.golden) is None:
        return
    made = " ".join(f"{name} {version}" for name, version in golden.oracle.items())
    console.print(Text(f"golden   {golden.outcome}, by {made}"))
    for name, levels in golden.witnesses.items():
        console.print(Text(f"agrees   {name} in {', '.join(levels)}"))
    chosen = Selection(areas=(cell.area.name,), rows=(cell.row,), cases=(cell.case.id,))
    for of, answer in disputed_cells(chosen):
        console.print(Text(f"differs  {answer.by} in {', '.join(answer.levels)}: sources disagree (CNV-008)"))
        console.print(Text(f"  - the golden\n  + {answer.by}", style="dim"))
        for line in laid_over(of, answer):
            console.print(Text(f"  {line}", style=TONES.get(line[:1], "")), soft_wrap=True)
