"""Causes of failures as the lines by which a job of GitHub Actions marks itself."""

from __future__ import annotations

from collections.abc import Container, Iterator

from tokenspec.report.causes import BROKEN, WARNED, causes_of
from tokenspec.report.jsonl import Report
from tokenspec.report.tally import tallies
from tokenspec.verdict import Verdict

SHOWN = 10
"""GitHub shows no more of one kind in a step."""


def annotation_lines(report: Report, impl: str) -> Iterator[str]:
    """One error a cause of failures of a column, then one warning a cause of warnings."""
    yield from _lines(report, impl, "error", BROKEN)
    yield from _lines(report, impl, "warning", WARNED)


def _lines(report: Report, impl: str, kind: str, of: Container[Verdict]) -> Iterator[str]:
    """One line a cause, most frequent first: where it is seen smallest, and what repeats it."""
    causes = [cause for cause in causes_of(report.results, of) if cause.impl == impl]
    for cause in causes[:SHOWN]:
        result, finding = cause.smallest(report.header["sizes"])
        cells = f"{len(cause.cells)} cell{'s' * (len(cause.cells) != 1)}"
        title = _escaped(f"{cause.said} ({cells})", also=":,")
        yield f"::{kind} title={title}::{_escaped(f'{result.name}: {finding.detail}' + chr(10) + result.again)}"
    if len(causes) > SHOWN:
        yield f"::warning::{len(causes) - SHOWN} more causes are in the summary"


def _escaped(text: str, also: str = "") -> str:
    """Data of a workflow command: percent, line ends, and in a property the characters that end it."""
    for character in f"%\r\n{also}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def passed_share(report: Report, impl: str) -> float | None:
    """Of all judged cases of a column the percentage that passes; None where nothing was judged."""
    found = [tally for (_, _, name, _), tally in tallies(report.results).items() if name == impl]
    judged = sum(tally.judged for tally in found)
    return 100 * sum(tally.passed for tally in found) / judged if judged else None
