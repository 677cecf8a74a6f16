"""A run as one small file that is kept: what each column passed, by area, row and level, and why it failed.

The files of ``conformance/scoreboard`` are the history that the documentation site shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tokenspec.errors import FixtureError, UsageError
from tokenspec.report.causes import causes_of
from tokenspec.report.deviations import reason_in
from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.sample import Sample, sample_of_all
from tokenspec.report.tally import tallies
from tokenspec.store.canonical import canonical_json, read_fixture
from tokenspec.store.writing import write_atomically
from tokenspec.verdict import Verdict

CAUSES = 12
"""Of a column, the most frequent ones."""


class ScoredCause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One way in which a column fails: how it is told, in how many cells, its smallest one, and what a review found."""

    said: str
    cells: int
    smallest: str
    requires: list[str]
    why: str = ""
    verdict: str = ""


class ScoredColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One column: area -> row -> level -> [cells passed, cells judged]; what was not judged is not there.

    ``disputed`` counts likewise the cells on which sources disagree, which are not among those judged.
    """

    version: str
    passed: dict[str, dict[str, dict[str, tuple[int, int]]]]
    causes: list[ScoredCause]
    disputed: dict[str, dict[str, dict[str, int]]] = {}


class Score(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One run: its day (``2026-11-23``), what it was judged by, its columns, and the sample that they were asked."""

    date: str
    suite: dict[str, str]
    fixtures: str
    oracle: str
    columns: dict[str, ScoredColumn]
    sample: Sample | None = None


def score(reports: Sequence[Report], date: str) -> Score:
    """The score of runs of different columns over the same fixtures.

    Raises:
        UsageError: they were judged by different fixtures or oracles, asked other samples, or one column comes twice.
    """
    first, columns = reports[0].header, dict[str, ScoredColumn]()
    sample = sample_of_all("the runs", (report.header for report in reports))
    for report in reports:
        if (report.header["fixtures"], report.header["oracle"]) != (first["fixtures"], first["oracle"]):
            raise UsageError("the runs were judged by different fixtures or oracles. Run them again together")
        for name, column in columns_of(report).items():
            if name in columns:
                raise UsageError(f"the column {name} comes twice; give each run once")
            columns[name] = column
    suite = {name: str(version) for name, version in first["suite"].items()}
    return Score(
        date=date,
        suite=suite,
        fixtures=first["fixtures"]["sha256"],
        oracle=first["oracle"],
        columns=columns,
        sample=sample,
    )


def columns_of(report: Report) -> dict[str, ScoredColumn]:
    """The columns of which something was judged, by the name people read."""
    named, reasons = labels(report.header["implementations"]), report.header["reasons"]
    passed: dict[str, dict[str, dict[str, dict[str, tuple[int, int]]]]] = {}
    disputed: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
    for (area, row, impl, level), tally in tallies(report.results).items():
        if count := tally.counts[Verdict.DISAGREE]:
            disputed.setdefault(impl, {}).setdefault(area, {}).setdefault(row, {})[level] = count
        if tally.judged:
            rows = passed.setdefault(impl, {}).setdefault(area, {})
            rows.setdefault(row, {})[level] = (tally.passed, tally.judged)
    causes: dict[str, list[ScoredCause]] = {}
    for cause in causes_of(report.results):
        kept = causes.setdefault(cause.impl, [])
        if len(kept) == CAUSES:
            continue
        result, finding = cause.smallest(report.header["sizes"])
        known = reason_in(reasons, cause.impl, result, finding)
        kept.append(
            ScoredCause(
                said=cause.said,
                cells=len(cause.cells),
                smallest=result.name,
                requires=finding.requires,
                why=known.why if known else "",
                verdict=(known.verdict if known else "") or "",
            )
        )
    return {
        named[impl]: ScoredColumn(
            version=str(report.header["implementations"][impl].get("version", "unknown")),
            passed=found,
            causes=causes.get(impl, []),
            disputed=disputed.get(impl, {}),
        )
        for impl, found in passed.items()
    }


def save_score(path: Path, found: Score) -> None:
    """Write a score in the form of fixtures, so that a difference of two files can be read."""
    write_atomically(path, canonical_json(found))


def read_scores(folder: Path) -> list[Score]:
    """All scores of a folder, the oldest first.

    Raises:
        FixtureError: a file is none, or is not named after its day.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        one = read_fixture(path, Score)
        if path.stem != one.date:
            raise FixtureError(path, f"is the score of {one.date}; name it {one.date}.json")
        found.append(one)
    return found


def disputed(column: ScoredColumn, area: str, level: str) -> int:
    """Cells of an area, over all rows, on which sources disagree at a level."""
    return sum(levels.get(level, 0) for levels in column.disputed.get(area, {}).values())


def total(column: ScoredColumn, area: str, level: str) -> tuple[int, int]:
    """Cells passed and judged at a level over all rows of an area."""
    counts = [levels[level] for levels in column.passed.get(area, {}).values() if level in levels]
    return sum(passed for passed, _ in counts), sum(judged for _, judged in counts)
