"""A run as Markdown, for a CI job summary, and as a badge. Names and details are escaped: they may hold anything."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from tokenspec.report.catalog import forms_in
from tokenspec.report.causes import BROKEN, MOST_CAUSES, WARNED, causes_of
from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.markup import code, plain
from tokenspec.report.sample import sample_in
from tokenspec.report.slow import too_slow
from tokenspec.report.standing import standing
from tokenspec.report.tally import Tally, never_exercised, tallies
from tokenspec.report.why import markdown_why
from tokenspec.verdict import Verdict

LEGEND = (
    "passed/judged cases; – nothing judged (unsupported or not comparable, never counted as a pass); "
    "**bold** has failures; x known failures; ≠ sources disagree, counted neither way"
)


def markdown(report: Report) -> str:
    """Who was judged by what, the matrix of every area, the causes of failures, what was not exercised."""
    named = {impl: plain(label) for impl, label in labels(report.header["implementations"]).items()}
    blocks = ["# tokenspec run", "\n".join(columns(report, named))]
    blocks += [block for area in report.header["areas"] for block in area_table(report, area, named)]
    blocks.append(LEGEND)
    if failures := list(causes(report, named)):
        blocks.append("\n".join(["## Failures", "", *failures]))
    if warnings := list(causes(report, named, WARNED)):
        blocks.append("\n".join(["## Warnings", "", "What SHOULD be so and is not; none fails a run.", "", *warnings]))
    if slow := [f"* {named[impl]}: {plain(said)}" for impl, said in too_slow(report.results).items()]:
        blocks.append("\n".join(["## Too slow to judge", "", *slow]))
    blocks += markdown_why(report.results, report.impls)
    missing = [f"* {named[impl]}: {', '.join(ids)}" for impl, ids in never_exercised(report).items() if ids]
    if missing:
        blocks.append("\n".join(["## Requirements not exercised", "", *missing]))
    complaints = [plain(line) for entry in report.header["known_failures"] for line in entry["complaints"]]
    if complaints:
        blocks.append("\n".join(["## Known failures that do not hold", "", *(f"* {line}" for line in complaints)]))
    return "\n\n".join(blocks) + "\n"


def columns(report: Report, named: Mapping[str, str]) -> Iterator[str]:
    """One line a column, by its label in ``named``, with the forms it declares, then the versions."""
    for impl, info in report.header["implementations"].items():
        own = [result for result in report.results if result.impl == impl]
        stands = standing(own, report.header["require_judged"])
        said = f"**{stands.said}**" if stands.code else stands.said
        yield f"* **{named[impl]}** {plain(info.get('version', ''))}: {said}"
        for form, operations in forms_in(info).items():
            yield f"  * declares {plain(form)} ({plain(', '.join(operations))})"
    head = report.header
    versions = " ".join(f"{name} {version}" for name, version in head["suite"].items())
    fixtures = f"fixtures {head['fixtures']['version']} ({head['fixtures']['sha256'][:12]})"
    if (sample := sample_in(head)) is not None:
        yield f"* asked was {sample.said}"
    yield f"* judged by {plain(versions)}, {plain(fixtures)}, Python {plain(head['python'])}"


def area_table(report: Report, area: str, named: Mapping[str, str]) -> list[str]:
    """Heading and table of one area; columns it judged nothing of are named below instead of filled with dashes."""
    results = [result for result in report.results if result.area == area]
    if not results:
        return []
    counted = tallies(results)
    levels: list[str] = report.header["areas"][area]["levels"]
    answered = {key[2] for key, tally in counted.items() if tally.judged}
    shown = [impl for impl in report.impls if impl in answered] or report.impls
    heads = [f"{named[impl]} {level}" if len(levels) > 1 else named[impl] for impl in shown for level in levels]
    lines = ["| row | " + " | ".join(heads) + " |", "|---" + "|---:" * len(heads) + "|"]
    for row in dict.fromkeys(result.row for result in results):
        cells = [cell(counted.get((area, row, impl, level))) for impl in shown for level in levels]
        lines.append(f"| {'(no model)' if row == '-' else plain(row)} | " + " | ".join(cells) + " |")
    blocks = [f"## {plain(report.header['areas'][area]['title'])}", "\n".join(lines)]
    if absent := [impl for impl in report.impls if impl not in shown]:
        blocks.append(f"nothing judged here: {', '.join(named[impl] for impl in absent)}")
    return blocks


def cell(tally: Tally | None) -> str:
    """One matrix cell."""
    if tally is None:
        return "·"
    return f"**{tally.cell()}**" if tally.broken else tally.cell()


def causes(report: Report, named: Mapping[str, str], of: Container[Verdict] = BROKEN) -> Iterator[str]:
    """The causes of failures, most frequent first, each with its smallest case and the command that repeats it."""
    ordered = sorted(causes_of(report.results, of), key=lambda cause: -len(cause.cells))
    for cause in ordered[:MOST_CAUSES]:
        result, finding = cause.smallest(report.header["sizes"])
        cells = f"{len(cause.cells)} cell{'s' * (len(cause.cells) != 1)}"
        said = f"{plain(cause.said)}: {finding.verdict} {code(finding.check)} by {named[cause.impl]}, {cells}"
        yield f"* {said}  \n  {code(result.again)}"
    if len(ordered) > MOST_CAUSES:
        yield f"* ... and {len(ordered) - MOST_CAUSES} more causes"


def first_line(text: str) -> str:
    """The first line of a detail."""
    return text.split("\n", 1)[0]


def badge(report: Report, impl: str) -> dict[str, Any]:
    """A static badge file: the share of judged cases that pass; yellow where all that fail are known failures."""
    found = [tally for (_, _, name, _), tally in tallies(report.results).items() if name == impl]
    judged, passed = sum(tally.judged for tally in found), sum(tally.passed for tally in found)
    broken = sum(tally.broken for tally in found)
    part = "" if sample_in(report.header) is None else " of a sample"
    message = f"{passed}/{judged}{part}" if judged else "nothing judged"
    colour = "lightgrey" if not judged else "red" if broken else "brightgreen" if passed == judged else "yellow"
    return {"schemaVersion": 1, "label": "tokenspec", "message": message, "color": colour}
