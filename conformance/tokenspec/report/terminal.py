"""The matrix and the failures, for people at 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.areas import areas
from tokenspec.report.catalog import forms_in
from tokenspec.report.causes import BROKEN, MOST_CAUSES, Cause, causes_of
from tokenspec.report.jsonl import Report
from tokenspec.report.slow import slow_lines
from tokenspec.report.tally import Key, Tally, never_exercised, tallies
from tokenspec.requirements import requirements
from tokenspec.verdict import SILENT, CellResult, Finding, Verdict

MOST_MISSING = 40
MOST_SOURCES = 4
"""Causes of a column for which sources disagree."""
STYLE = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.REJECTED: "bold red",
    Verdict.XPASS: "bold yellow",
    Verdict.DISAGREE: "bold yellow",
    Verdict.UNSUPPORTED: "dim",
    Verdict.INCOMPARABLE: "dim",
}


def print_declared(
    console: Console, implementations: Mapping[str, Mapping[str, str]], impls: Mapping[str, str]
) -> None:
    """The form in which a column is judged, where it declares one: ``mine declares: ending=stop (render)``."""
    for impl, said in implementations.items():
        for form, operations in forms_in(said).items():
            line = Text(f"{impls[impl]} declares: ", style="bold").append(f"{form} ({', '.join(operations)})", style="")
            console.print(line, soft_wrap=True)


def print_matrix(
    console: Console, results: Sequence[CellResult], impls: Mapping[str, str], statuses: dict[str, str]
) -> None:
    """One table per area: rows are model rows in sections by status, columns are implementations by level.

    ``impls`` are the columns with their labels.

    A column of which an area judged nothing is named under the table instead of filling it with dashes.
    """
    counted = tallies(results)
    for area in areas().values():
        rows = list(dict.fromkeys(result.row for result in results if result.area == area.name))
        if not rows:
            continue
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("row", no_wrap=True)
        answered = {key[2] for key, tally in counted.items() if key[0] == area.name and tally.judged}
        shown = [impl for impl in impls if impl in answered] or list(impls)
        widths = {impl: _widths(counted, area.name, rows, impl, area.levels) for impl in shown}
        for impl in shown:
            levels = " ".join(level.rjust(width) for level, width in zip(area.levels, widths[impl], strict=True))
            label = impls[impl]
            table.add_column(f"{label}\n{levels}" if len(area.levels) > 1 else label, justify="right", no_wrap=True)
        section = ""
        for row in sorted(rows, key=lambda row: SECTIONS.index(_status(row, statuses))):
            status = _status(row, statuses)
            if status != section:
                section = status
                table.add_section()
                table.add_row(Text(f"{status} rows" if status else "", style="dim"))
            cells = [
                _cells([counted.get((area.name, row, impl, level)) for level in area.levels], widths[impl])
                for impl in shown
            ]
            table.add_row("(no model)" if row == "-" else row, *cells)
        console.print(Text(area.title, style="bold"))
        console.print(table)
        if absent := [label for impl, label in impls.items() if impl not in shown]:
            console.print(f"[dim]nothing judged here: {', '.join(absent)}[/dim]\n")
    legend = f"{LEGEND}; x known failures{'; ≠ sources disagree' if is_disputed(results) else ''}"
    console.print(legend, style="dim")


LEGEND = "cases passed, or passed/judged; – nothing judged (unsupported, not comparable)"
SECTIONS = ("", "real", "stand-in", "toy", "unproven")


def _status(row: str, statuses: dict[str, str]) -> str:
    """The weakest status of a row's parts: a pair with a stand-in is a stand-in."""
    return max((statuses.get(part, "") for part in row.split("+")), key=SECTIONS.index)


def _widths(counted: dict[Key, Tally], area: str, rows: Sequence[str], impl: str, levels: Sequence[str]) -> list[int]:
    """The printed width of each level's sub-column."""
    shown = {
        level: [tally.cell() for row in rows if (tally := counted.get((area, row, impl, level)))] for level in levels
    }
    return [max(len(level), *(len(cell) for cell in shown[level]), 1) for level in levels]


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


def print_disagreements(
    console: Console, results: Sequence[CellResult], sizes: Mapping[str, int], *, brief: Container[str] = ()
) -> None:
    """Where an answer is the publisher's and not the template's: a few of the smallest cases with both."""
    print_failures(
        console, results, sizes, of={Verdict.DISAGREE}, said="on which sources disagree", most=MOST_SOURCES, brief=brief
    )


def print_failures(
    console: Console,
    results: Iterable[CellResult],
    sizes: Mapping[str, int],
    *,
    of: Container[Verdict] = BROKEN,
    said: str = "broken",
    most: int = MOST_CAUSES,
    brief: Container[str] = (),
) -> None:
    """What went wrong, cause by cause: how often, and the smallest case in full, or (``brief``) its command alone.

    ``sizes`` are characters of input by case; ``most`` bounds the causes of a column. Another verdict than that of
    failures is shown likewise: ``of`` chooses, ``said`` is what it is called.
    """
    by_column: dict[str, list[Cause]] = {}
    for cause in causes_of(results, of):
        by_column.setdefault(cause.impl, []).append(cause)
    for impl, causes in by_column.items():
        cells = len({name for cause in causes for name in cause.cells})
        head = Text(impl, style="bold").append(f": {count(cells, 'cell')} {said}, {count(len(causes), 'cause')}")
        console.print(head.append("; the smallest case of each" if len(causes) > 1 else ""), soft_wrap=True)
        for cause in causes[:most]:
            result, finding = cause.smallest(sizes)
            console.print(Text(f"{len(cause.cells):7,} x ", style="bold red").append(cause.said), soft_wrap=True)
            if impl in brief:
                console.print(Text(f"          {result.again}", style="dim"), soft_wrap=True)
            else:
                print_failure(console, result, finding)
        if len(causes) > most:
            console.print(f"  ... and {count(len(causes) - most, 'more cause')}; --show-all prints them", style="dim")
        console.print()


def print_each_failure(console: Console, results: Iterable[CellResult]) -> None:
    """Every failure in full, and every disagreement of sources."""
    for result in results:
        for finding in result.findings:
            if finding.verdict in BROKEN or finding.verdict is Verdict.DISAGREE:
                print_failure(console, result, finding)


def count(number: int, what: str) -> str:
    """``1,204 cells``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


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
    console.print(Text(f"  again    {result.again}", style="dim"), soft_wrap=True)
    console.print()


def print_slow(console: Console, results: Sequence[CellResult]) -> None:
    """How much was too slow to judge, and the cure."""
    for line in slow_lines(results):
        console.print(Text(line, style="bold magenta"), soft_wrap=True)


def print_unsupported(console: Console, results: Sequence[CellResult]) -> None:
    """Why cells were not judged: one line a reason, most frequent first. Silence is never counted as a pass."""
    reasons: Counter[tuple[str, str]] = Counter()
    for result in results:
        said = (finding.detail for finding in result.findings if finding.verdict in SILENT)
        for reason in dict.fromkeys(said):
            reasons[(result.impl, reason)] += 1
    if not reasons:
        return
    console.print("[bold]Not judged[/bold] [dim](unsupported or not comparable, never counted as a pass)[/dim]")
    for (impl, reason), count in reasons.most_common(12):
        console.print(Text(f"  {count:5} cells  {impl}: {reason}"), soft_wrap=True)
    if len(reasons) > 12:
        console.print(f"  ... and {len(reasons) - 12} more reasons; see the report (--report FILE)", style="dim")


def print_coverage(console: Console, report: Report) -> None:
    """Rule T9: requirements no verdict was given on, so that a green run without coverage cannot look good."""
    for impl, missing in never_exercised(report).items():
        if missing:
            rest = f" and {len(missing) - MOST_MISSING} more" if len(missing) > MOST_MISSING else ""
            said = f"  {impl}: {len(missing)} requirements not exercised: {', '.join(missing[:MOST_MISSING])}{rest}"
            console.print(Text(said, style="yellow"))


def print_times(console: Console, results: Iterable[CellResult]) -> None:
    """Where the time went, area by area: loading rows, answering, judging."""
    spent: dict[str, list[float]] = {}
    for result in results:
        parts = spent.setdefault(result.area, [0.0, 0.0, 0.0])
        for index, seconds in enumerate((result.setup, result.seconds, result.judging)):
            parts[index] += seconds
    for area, (setup, answers, judging) in spent.items():
        said = f"  {area}: {setup:.1f} s set-up, {answers:.1f} s answers, {judging:.1f} s judging"
        console.print(Text(said, style="dim"), soft_wrap=True)
