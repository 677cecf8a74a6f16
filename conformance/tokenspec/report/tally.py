"""Counting verdicts: what a matrix cell shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tokenspec.verdict import CellResult, Finding, Verdict

WORST = (
    Verdict.ERROR,
    Verdict.FAIL,
    Verdict.REJECTED,
    Verdict.XPASS,
    Verdict.XFAIL,
    Verdict.UNSUPPORTED,
    Verdict.PASS,
)


@dataclass
class Tally:
    """Verdicts of many (case, level) judgements: one judgement is the worst of its checks."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, findings: list[Finding]) -> None:
        """Add one case at one level."""
        decided = [finding for finding in findings if finding.verdict is not Verdict.UNSUPPORTED]
        counted = decided or findings
        worst = min(counted, key=lambda finding: WORST.index(finding.verdict))
        verdict = worst.verdict if worst.severity == "MUST" or worst.verdict is Verdict.UNSUPPORTED else Verdict.PASS
        self.counts[verdict] += 1
        if verdict is Verdict.UNSUPPORTED:
            self.reasons[worst.detail] += 1

    @property
    def judged(self) -> int:
        """Cases with any verdict but unsupported."""
        return sum(self.counts.values()) - self.counts[Verdict.UNSUPPORTED]

    @property
    def passed(self) -> int:
        """Cases that pass."""
        return self.counts[Verdict.PASS]

    @property
    def broken(self) -> int:
        """Cases that fail, are wrongly refused, break the adapter, or pass where a failure is expected."""
        return sum(self.counts[verdict] for verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.REJECTED, Verdict.XPASS))

    def cell(self) -> str:
        """``41`` (all pass), ``39/41``, ``38/41 x3`` (known failures) or ``–`` when nothing was judged."""
        if not self.judged:
            return "–"
        if self.passed == self.judged:
            return str(self.passed)
        known = f" x{self.counts[Verdict.XFAIL]}" if self.counts[Verdict.XFAIL] else ""
        return f"{self.passed}/{self.judged}{known}"


Key = tuple[str, str, str, str]


def tallies(results: Iterable[CellResult]) -> dict[Key, Tally]:
    """Tallies by (area, row, impl, level)."""
    found: dict[Key, Tally] = {}
    for result in results:
        by_level: dict[str, list[Finding]] = {}
        for finding in result.findings:
            by_level.setdefault(finding.level, []).append(finding)
        for level, findings in by_level.items():
            found.setdefault((result.area, result.row, result.impl, level), Tally()).add(findings)
    return found


def never_exercised(results: Iterable[CellResult]) -> dict[str, list[str]]:
    """Per implementation the requirements of the judged areas without one verdict but unsupported (rule T9)."""
    from tokenspec.checks import all_checks

    seen: dict[str, set[str]] = {}
    areas: set[str] = set()
    for result in results:
        areas.add(result.area)
        judged = seen.setdefault(result.impl, set())
        for finding in result.findings:
            if finding.verdict is not Verdict.UNSUPPORTED:
                judged.update(finding.requires)
    wanted = {id_ for check in all_checks().values() if check.area in areas for id_ in check.requires}
    return {impl: sorted(wanted - judged) for impl, judged in seen.items()}
