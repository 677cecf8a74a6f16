"""What is declared, failures by cause, and what was not judged, for people at 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from tokenspec.report.catalog import forms_in
from tokenspec.report.causes import BROKEN, MOST_CAUSES, WARNED, Cause, causes_of
from tokenspec.report.jsonl import Report
from tokenspec.report.slow import too_slow
from tokenspec.report.tally import never_exercised
from tokenspec.requirements import requirements
from tokenspec.verdict import SILENT, CellResult, Finding, Verdict

MOST_MISSING = 40
MOST_SOURCES = 4
"""Causes of a column for which sources disagree."""
STYLE = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.REJECTED: "bold red",
    Verdict.WARNING: "bold yellow",
    Verdict.XPASS: "bold yellow",
    Verdict.DISAGREE: "bold yellow",
    Verdict.UNSUPPORTED: "dim",
    Verdict.INCOMPARABLE: "dim",
}


def print_declared(
    console: Console, implementations: Mapping[str, Mapping[str, str]], named: Mapping[str, str]
) -> None:
    """The form in which a column is judged, where it declares one: ``mine declares: ending=stop (render)``."""
    for impl, said in implementations.items():
        for form, operations in forms_in(said).items():
            line = Text(f"{named[impl]} declares: ", style="bold").append(f"{form} ({', '.join(operations)})", style="")
            console.print(line, soft_wrap=True)


def print_disagreements(
    console: Console,
    results: Sequence[CellResult],
    named: Mapping[str, str],
    sizes: Mapping[str, int],
    *,
    brief: Container[str] = (),
) -> None:
    """Where an answer is the publisher's and not the template's: a few of the smallest cases with both."""
    which, said = {Verdict.DISAGREE}, "on which sources disagree"
    print_failures(console, results, named, sizes, of=which, said=said, most=MOST_SOURCES, brief=brief)


def print_warnings(
    console: Console,
    results: Sequence[CellResult],
    named: Mapping[str, str],
    sizes: Mapping[str, int],
    *,
    brief: Container[str] = (),
) -> None:
    """What SHOULD be so and is not: shown apart from failures, and never counted as one."""
    print_failures(console, results, named, sizes, of=WARNED, said="with a warning", brief=brief)


def print_failures(
    console: Console,
    results: Iterable[CellResult],
    named: Mapping[str, str],
    sizes: Mapping[str, int],
    *,
    of: Container[Verdict] = BROKEN,
    said: str = "broken",
    most: int = MOST_CAUSES,
    brief: Container[str] = (),
) -> None:
    """What went wrong, cause by cause: how often, and the smallest case in full, or (``brief``) its command alone.

    ``named`` are the columns' labels, ``sizes`` characters of input by case; ``most`` bounds the causes of a column.
    Another verdict than that of failures is shown likewise: ``of`` chooses, ``said`` is what it is called.
    """
    by_column: dict[str, list[Cause]] = {}
    for cause in causes_of(results, of):
        by_column.setdefault(cause.impl, []).append(cause)
    for impl, causes in by_column.items():
        cells = len({name for cause in causes for name in cause.cells})
        head = Text(named[impl], style="bold").append(f": {count(cells, 'cell')} {said}, {count(len(causes), 'cause')}")
        console.print(head.append("; the smallest case of each" if len(causes) > 1 else ""), soft_wrap=True)
        for cause in causes[:most]:
            result, finding = cause.smallest(sizes)
            often = Text(f"{len(cause.cells):7,} x ", style=STYLE[finding.verdict]).append(cause.said, style="")
            console.print(often, soft_wrap=True)
            if impl in brief:
                console.print(Text(f"          {result.again}", style="dim"), soft_wrap=True)
            else:
                print_failure(console, result, finding, named)
        if len(causes) > most:
            more = count(len(causes) - most, "more cause")
            console.print(f"  ... and {more}; tokenspec run --show-all prints them", style="dim")
        console.print()


def print_each_failure(console: Console, results: Iterable[CellResult], named: Mapping[str, str]) -> None:
    """Every failure and every warning in full, and every disagreement of sources."""
    for result in results:
        for finding in result.findings:
            if finding.verdict in BROKEN | WARNED | {Verdict.DISAGREE}:
                print_failure(console, result, finding, named)


def count(number: int, what: str) -> str:
    """``1,204 cells``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def print_failure(console: Console, result: CellResult, finding: Finding, named: Mapping[str, str]) -> None:
    """One failure: what, where, expected, got, the requirement, and the command that repeats it."""
    known = requirements()
    head = Text()
    head.append(f"{finding.verdict.upper()} ", style=STYLE[finding.verdict])
    head.append(f"{'/'.join(finding.requires)}  {result.name}  ", style="bold")
    head.append(f"impl={named[result.impl]}")
    console.print(head, soft_wrap=True)
    console.print(Text("  " + finding.detail.replace("\n", "\n  ")), soft_wrap=True)
    for id_ in finding.requires:
        if id_ in known:
            console.print(Text(f"  spec     {known[id_].link}  {known[id_].title}", style="dim"), soft_wrap=True)
    console.print(Text(f"  again    {result.again}", style="dim"), soft_wrap=True)
    console.print()


def print_slow(console: Console, results: Sequence[CellResult], named: Mapping[str, str]) -> None:
    """How much was too slow to judge, and the cure."""
    for impl, said in too_slow(results).items():
        console.print(Text(f"{named[impl]}: {said}", style="bold magenta"), soft_wrap=True)


def print_unsupported(console: Console, results: Sequence[CellResult], named: Mapping[str, str]) -> None:
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
        console.print(Text(f"  {count:5} cells  {named[impl]}: {reason}"), soft_wrap=True)
    if len(reasons) > 12:
        console.print(
            f"  ... and {len(reasons) - 12} more reasons; see the report: tokenspec run --report FILE", style="dim"
        )


def print_coverage(console: Console, report: Report, named: Mapping[str, str]) -> None:
    """Rule T9: requirements no verdict was given on, so that a green run without coverage cannot look good."""
    for impl, missing in never_exercised(report).items():
        if missing:
            rest = f" and {len(missing) - MOST_MISSING} more" if len(missing) > MOST_MISSING else ""
            said = f"{len(missing)} requirements not exercised: {', '.join(missing[:MOST_MISSING])}{rest}"
            console.print(Text(f"  {named[impl]}: {said}", style="yellow"))


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
