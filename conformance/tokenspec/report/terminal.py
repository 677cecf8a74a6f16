"""The matrix and the failures, for people at 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.areas import areas
from tokenspec.spec import requirements
from tokenspec.verdict import CellResult, Finding, Verdict

from .tally import Tally, never_exercised, tallies

SHOWN_FAILURES = 3
STYLE = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.REJECTED: "bold red",
    Verdict.XPASS: "bold yellow",
    Verdict.UNSUPPORTED: "dim",
}


def print_matrix(
    console: Console, results: Sequence[CellResult], impls: Sequence[str], statuses: dict[str, str]
) -> None:
    """One table per area: rows are model rows, columns are implementations by level."""
    counted = tallies(results)
    for area in areas().values():
        rows = list(dict.fromkeys(result.row for result in results if result.area == area.name))
        if not rows:
            continue
        table = Table(title=area.title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
        table.add_column("row", no_wrap=True)
        table.add_column("status", style="dim", no_wrap=True)
        several = len(area.levels) > 1
        for impl in impls:
            for number, level in enumerate(area.levels):
                name = impl if number == 0 else ""
                table.add_column(f"{name}\n{level}" if several else impl, justify="right", no_wrap=True)
        for row in rows:
            cells = [_cell(counted.get((area.name, row, impl, level))) for impl in impls for level in area.levels]
            table.add_row("(no model)" if row == "-" else row, _status(row, statuses), *cells)
        console.print(table)
    console.print("[dim]passed/judged cases; – nothing judged (unsupported); x known failures[/dim]")


def _status(row: str, statuses: dict[str, str]) -> str:
    parts = {statuses.get(part, "") for part in row.split("+")}
    return "stand-in" if "stand-in" in parts else "/".join(sorted(parts))


def _cell(tally: Tally | None) -> Text:
    if tally is None:
        return Text("·", style="dim")
    if not tally.judged:
        return Text(tally.cell(), style="dim")
    return Text(tally.cell(), style="bold red" if tally.broken else "green")


def failures_of(results: Iterable[CellResult]) -> list[tuple[CellResult, Finding]]:
    """Everything that is neither pass, expected failure nor unsupported."""
    bad = {Verdict.FAIL, Verdict.ERROR, Verdict.REJECTED, Verdict.XPASS}
    return [(result, finding) for result in results for finding in result.findings if finding.verdict in bad]


def print_failures(console: Console, results: Sequence[CellResult], *, shown: int = SHOWN_FAILURES) -> None:
    """The first failures of each check and implementation in full, the rest as a count."""
    groups: dict[tuple[str, str], list[tuple[CellResult, Finding]]] = {}
    for result, finding in failures_of(results):
        groups.setdefault((result.impl, finding.check), []).append((result, finding))
    for (impl, check), group in groups.items():
        for result, finding in group[:shown]:
            print_failure(console, result, finding)
        if len(group) > shown:
            console.print(
                f"  ... and {len(group) - shown} more of {check} by {impl}; --show-all prints them\n",
                style="dim",
            )


def print_failure(console: Console, result: CellResult, finding: Finding) -> None:
    """One failure: what, where, expected, got, the requirement, and the command that repeats it."""
    known = requirements()
    head = Text()
    head.append(f"{finding.verdict.upper()} ", style=STYLE[finding.verdict])
    head.append(f"{'/'.join(finding.requires)}  {result.name}  ", style="bold")
    head.append(f"impl={result.impl}")
    console.print(head, soft_wrap=True)
    console.print(Text("  " + finding.detail.replace("\n", "\n  ")), soft_wrap=True)
    for id_ in finding.requires:
        if id_ in known:
            console.print(Text(f"  spec     {known[id_].link}  {known[id_].title}", style="dim"), soft_wrap=True)
    row = "" if result.row == "-" else f" --row {result.row}"
    console.print(
        Text(f"  again    tokenspec run --impl {result.impl} --case {result.case}{row}", style="dim"),
        soft_wrap=True,
    )
    console.print()


def print_unsupported(console: Console, results: Sequence[CellResult]) -> None:
    """Why cells were not judged: one line a reason, most frequent first. Unsupported is never counted as a pass."""
    reasons: Counter[tuple[str, str]] = Counter()
    for result in results:
        for reason in {finding.detail for finding in result.findings if finding.verdict is Verdict.UNSUPPORTED}:
            reasons[(result.impl, reason)] += 1
    if not reasons:
        return
    console.print("[bold]Not judged[/bold] [dim](unsupported, never counted as a pass)[/dim]")
    for (impl, reason), count in reasons.most_common(12):
        console.print(Text(f"  {count:5} cells  {impl}: {reason}"), soft_wrap=True)
    if len(reasons) > 12:
        console.print(f"  ... and {len(reasons) - 12} more reasons; see the report (--report FILE)", style="dim")


def print_coverage(console: Console, results: Sequence[CellResult]) -> None:
    """Rule T9: requirements no verdict was given on, so that a green run without coverage cannot look good."""
    for impl, missing in never_exercised(results).items():
        if missing:
            console.print(
                Text(
                    f"  {impl}: {len(missing)} requirements not exercised: {', '.join(missing)}",
                    style="yellow",
                )
            )
