"""What an audit prints: counts by finding, then examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.datasets.looking import Shown, token_lines
from tokenspec.datasets.outcome import Outcome
from tokenspec.report.conversation import visible

COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim"}


def print_outcome(console: Console, found: Outcome, shown: Sequence[Shown]) -> None:
    """The whole summary; narrow screens fold, nothing is cut."""
    from tokenspec_reference.preparation import CODES

    share = found.trained / found.tokens if found.tokens else 0.0
    console.print(f"{found.rows:,} rows, {found.kept:,} with ids; {found.tokens:,} tokens, {share:.1%} of them trained")
    if found.lengths:
        print_lengths(console, found)
    if not found.rows_with:
        console.print("nothing was found")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("finding", "level"):
        table.add_column(name, no_wrap=True)
    for name in ("rows", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what it means")
    for code, facts in CODES.items():
        if count := found.rows_with.get(code):
            level = Text(facts.level, style=COLOURS[facts.level])
            table.add_row(code, level, f"{count:,}", f"{count / found.rows:.2%}", facts.meaning)
    console.print(table)
    for code, facts in CODES.items():
        examples = [one for one in shown if one.example.code == code]
        if examples:
            print_examples(
                console, code, facts.cure, [replace(one, tokens=None) for one in examples] if facts.once else examples
            )


def print_lengths(console: Console, found: Outcome) -> None:
    """The quantiles of the lengths."""
    ordered = sorted(found.lengths)
    marks = ((0.5, "median"), (0.9, "90 %"), (0.99, "99 %"), (1.0, "longest"))
    said = ", ".join(f"{name} {ordered[min(len(ordered) - 1, int(part * len(ordered)))]:,}" for part, name in marks)
    console.print(f"tokens a row: {said}")


def print_examples(console: Console, code: str, cure: str, examples: Sequence[Shown]) -> None:
    """A finding's examples, and how to mend it."""
    console.print(Text(f"\n{code}", style="bold"))
    console.print(Padding(Text(f"Mend: {cure}"), (0, 0, 0, 2)))
    for one in examples:
        detail = foreign_text(visible(one.example.detail).replace("\n", " "))
        place = foreign_text(one.example.place)
        line = Text(f"row {one.example.row}", style="cyan").append(f" ({place}): {detail}", style="default")
        console.print(Padding(line, (0, 0, 0, 2)))
        for tokens in token_lines(one, console.width):
            console.print(tokens, soft_wrap=True)
