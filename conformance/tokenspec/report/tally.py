"""Counting verdicts: what a matrix cell shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tokenspec.report.jsonl import Report
from tokenspec.verdict import SILENT, UNCOUNTED, CellResult, Finding, Verdict, by_level, judgement


@dataclass
class Tally:
    """Verdicts of many (case, level) judgements: one judgement is the worst of its checks."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, findings: list[Finding]) -> None:
        """Add one case at one level."""
        worst = judgement(findings)
        verdict = worst.verdict
        self.counts[verdict] += 1
        if verdict in SILENT:
            self.reasons[worst.detail] += 1

    @property
    def judged(self) -> int:
        """Cases with a verdict."""
        return sum(count for verdict, count in self.counts.items() if verdict not in UNCOUNTED)

    @property
    def passed(self) -> int:
        """Cases that pass."""
        return self.counts[Verdict.PASS]

    @property
    def broken(self) -> int:
        """Cases that fail, are wrongly refused, break the adapter, or pass where a failure is expected."""
        return sum(self.counts[verdict] for verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.REJECTED, Verdict.XPASS))

    def cell(self) -> str:
        """``41`` (all pass), ``39/41``, ``38/41 x3`` (known failures), ``–`` when nothing was judged.

        ``41 ≠12`` has twelve cases besides on which sources disagree.
        """
        disputed = f" ≠{self.counts[Verdict.DISAGREE]}" if self.counts[Verdict.DISAGREE] else ""
        if not self.judged:
            return f"–{disputed}"
        if self.passed == self.judged:
            return f"{self.passed}{disputed}"
        known = f" x{self.counts[Verdict.XFAIL]}" if self.counts[Verdict.XFAIL] else ""
        return f"{self.passed}/{self.judged}{known}{disputed}"


Key = tuple[str, str, str, str]


def tallies(results: Iterable[CellResult]) -> dict[Key, Tally]:
    """Tallies by (area, row, impl, level)."""
    found: dict[Key, Tally] = {}
    for result in results:
        for level, findings in by_level(result.findings).items():
            found.setdefault((result.area, result.row, result.impl, level), Tally()).add(findings)
    return found


def counts(report: Report) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """Judged cases by implementation, area, level and verdict, every verdict named."""
    found: dict[str, dict[str, dict[str, dict[str, int]]]] = {impl: {} for impl in report.impls}
    for (area, _, impl, level), tally in tallies(report.results).items():
        levels = found[impl].setdefault(area, {})
        own = levels.setdefault(level, {verdict.value: 0 for verdict in Verdict})
        for verdict, count in tally.counts.items():
            own[verdict.value] += count
    return found


def never_exercised(report: Report) -> dict[str, list[str]]:
    """Per implementation the requirements of the judged areas without one verdict (rule T9)."""
    judged: dict[str, set[str]] = {impl: set() for impl in report.impls}
    for result in report.results:
        for finding in result.findings:
            if finding.verdict not in UNCOUNTED:
                judged[result.impl].update(finding.requires)
    areas = {result.area for result in report.results}
    checks = report.header["checks"].values()
    wanted = {id_ for check in checks if check["area"] in areas for id_ in check["requires"]}
    return {impl: sorted(wanted - seen) for impl, seen in judged.items()}
