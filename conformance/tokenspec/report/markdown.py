"""A run as Markdown, for a CI job summary, and as a badge. Names and details are escaped: they may hold anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.report.jsonl import Report
from tokenspec.report.markup import code, plain
from tokenspec.report.tally import Tally, never_exercised, tallies
from tokenspec.report.why import markdown_why
from tokenspec.verdict import NON_CONFORMANT, CellResult, Finding, Verdict, exit_code

SAID = {0: "conformant on what was judged", 1: "**not conformant**", 3: "**adapter errors**"}
MOST_KINDS = 20


def markdown(report: Report) -> str:
    """Who was judged by what, the matrix of every area, the kinds of failures, what was not exercised."""
    blocks = ["# tokenspec run", "\n".join(columns(report))]
    blocks += [block for area in report.header["areas"] for block in area_table(report, area)]
    legend = "passed/judged cases; – nothing judged (unsupported, never counted as a pass); **bold** has failures; "
    blocks.append(f"{legend}x known failures")
    if failures := list(kinds(report)):
        blocks.append("\n".join(["## Failures", "", *failures]))
    blocks += markdown_why(report.results, report.impls)
    missing = [f"* {plain(impl)}: {', '.join(ids)}" for impl, ids in never_exercised(report).items() if ids]
    if missing:
        blocks.append("\n".join(["## Requirements not exercised", "", *missing]))
    complaints = [plain(line) for entry in report.header["known_failures"] for line in entry["complaints"]]
    if complaints:
        blocks.append("\n".join(["## Known failures that do not hold", "", *(f"* {line}" for line in complaints)]))
    return "\n\n".join(blocks) + "\n"


def columns(report: Report) -> Iterator[str]:
    """One line a column, then the versions."""
    for impl, info in report.header["implementations"].items():
        own = [result for result in report.results if result.impl == impl]
        yield f"* **{plain(impl)}** {plain(info.get('version', ''))}: {SAID[exit_code(own, frozenset([impl]))]}"
    head = report.header
    versions = " ".join(f"{name} {version}" for name, version in head["suite"].items())
    fixtures = f"fixtures {head['fixtures']['version']} ({head['fixtures']['sha256'][:12]})"
    yield f"* judged by {plain(versions)}, {plain(fixtures)}, Python {plain(head['python'])}"


def area_table(report: Report, area: str) -> list[str]:
    """Heading and table of one area; columns it judged nothing of are named below instead of filled with dashes."""
    results = [result for result in report.results if result.area == area]
    if not results:
        return []
    counted = tallies(results)
    levels: list[str] = report.header["areas"][area]["levels"]
    answered = {key[2] for key, tally in counted.items() if tally.judged}
    shown = [impl for impl in report.impls if impl in answered] or report.impls
    heads = [f"{plain(impl)} {level}" if len(levels) > 1 else plain(impl) for impl in shown for level in levels]
    lines = ["| row | " + " | ".join(heads) + " |", "|---" + "|---:" * len(heads) + "|"]
    for row in dict.fromkeys(result.row for result in results):
        cells = [cell(counted.get((area, row, impl, level))) for impl in shown for level in levels]
        lines.append(f"| {'(no model)' if row == '-' else plain(row)} | " + " | ".join(cells) + " |")
    blocks = [f"## {plain(report.header['areas'][area]['title'])}", "\n".join(lines)]
    if absent := [impl for impl in report.impls if impl not in shown]:
        blocks.append(f"nothing judged here: {', '.join(map(plain, absent))}")
    return blocks


def cell(tally: Tally | None) -> str:
    """One matrix cell."""
    if tally is None:
        return "·"
    return f"**{tally.cell()}**" if tally.broken else tally.cell()


def kinds(report: Report) -> Iterator[str]:
    """The kinds of failures, most frequent first, each with one example and the command that repeats it.

    An implementation that broke or refused says so to every check; such failures are told apart by their message.
    """
    groups: dict[tuple[str, str], dict[str, tuple[CellResult, Finding]]] = {}
    for result in report.results:
        for finding in result.findings:
            if finding.verdict in NON_CONFORMANT or finding.verdict is Verdict.ERROR:
                silent = finding.verdict in {Verdict.ERROR, Verdict.REJECTED}
                kind = first_line(finding.detail) if silent else finding.check
                groups.setdefault((result.impl, kind), {}).setdefault(result.name, (result, finding))
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    for (impl, _), group in ordered[:MOST_KINDS]:
        result, finding = next(iter(group.values()))
        cells = f"{len(group)} cell{'s' * (len(group) != 1)}"
        said = f"{finding.verdict} {code(finding.check)} ({', '.join(finding.requires)}) by {plain(impl)}, {cells}"
        yield f"* {said}: {plain(first_line(finding.detail))}  \n  {code(result.again)}"
    if len(ordered) > MOST_KINDS:
        yield f"* ... and {len(ordered) - MOST_KINDS} more kinds"


def first_line(text: str) -> str:
    """The first line of a detail."""
    return text.split("\n", 1)[0]


def badge(report: Report, impl: str) -> dict[str, Any]:
    """A static badge file: the share of judged cases that pass; yellow where all that fail are known failures."""
    found = [tally for (_, _, name, _), tally in tallies(report.results).items() if name == impl]
    judged, passed = sum(tally.judged for tally in found), sum(tally.passed for tally in found)
    broken = sum(tally.broken for tally in found)
    message = f"{passed}/{judged}" if judged else "nothing judged"
    colour = "lightgrey" if not judged else "red" if broken else "brightgreen" if passed == judged else "yellow"
    return {"schemaVersion": 1, "label": "tokenspec", "message": message, "color": colour}
