"""A run as Markdown, for a CI job summary, and as a badge."""

from __future__ import annotations

from typing import Any

from tokenspec.areas import areas
from tokenspec.report.jsonl import Report
from tokenspec.report.tally import tallies
from tokenspec.verdict import CellResult


def markdown(report: Report) -> str:
    """The matrix of every area as Markdown tables, with the versions judged."""
    impls = list(report.header["implementations"])
    counted = tallies(report.results)
    lines = ["# tokenspec run", ""]
    lines += [f"* {name} {info.get('version', '')}" for name, info in report.header["implementations"].items()]
    for area in areas().values():
        rows = list(dict.fromkeys(result.row for result in report.results if result.area == area.name))
        if not rows:
            continue
        heads = [f"{impl} {level}" if len(area.levels) > 1 else impl for impl in impls for level in area.levels]
        lines += [
            "",
            f"## {area.title}",
            "",
            "| row | " + " | ".join(heads) + " |",
            "|---" * (len(heads) + 1) + "|",
        ]
        for row in rows:
            cells = []
            for impl in impls:
                for level in area.levels:
                    tally = counted.get((area.name, row, impl, level))
                    cells.append("·" if tally is None else f"**{tally.cell()}**" if tally.broken else tally.cell())
            lines.append(f"| {'(no model)' if row == '-' else row} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "passed/judged cases; – nothing judged (unsupported, never counted as a pass); **bold** has failures",
    ]
    return "\n".join(lines) + "\n"


def badge(report: Report, impl: str) -> dict[str, Any]:
    """A static badge file: the share of judged cases that pass, red below all of them."""
    found = [tally for (_, _, name, _), tally in tallies(report.results).items() if name == impl]
    judged, passed = sum(tally.judged for tally in found), sum(tally.passed for tally in found)
    message = f"{passed}/{judged}" if judged else "nothing judged"
    colour = "lightgrey" if not judged else "brightgreen" if passed == judged else "red"
    return {"schemaVersion": 1, "label": "tokenspec", "message": message, "color": colour}


def changes(old: Report, new: Report) -> list[tuple[str, str, str, str]]:
    """What changed between two runs: (implementation, cell and check, old verdict, new verdict)."""

    def verdicts(results: list[CellResult]) -> dict[tuple[str, str], str]:
        return {
            (result.impl, f"{result.name} {finding.check}"): finding.verdict.value
            for result in results
            for finding in result.findings
        }

    before, after = verdicts(old.results), verdicts(new.results)
    keys = sorted({*before, *after})
    return [
        (impl, name, before.get((impl, name), "not run"), after.get((impl, name), "not run"))
        for impl, name in keys
        if before.get((impl, name)) != after.get((impl, name))
    ]
