"""Failures by cause: one entry for whatever went wrong in the same way, most frequent first, with its smallest cell."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from tokenspec.verdict import NON_CONFORMANT, CellResult, Finding, Verdict

BROKEN = NON_CONFORMANT | {Verdict.ERROR}
WARNED = frozenset({Verdict.WARNING})
MOST_CAUSES = 20
"""Of a column on a terminal, of a run in Markdown."""


@dataclass
class Cause:
    r"""What went wrong, and where.

    Attributes:
        impl: the column.
        said: one line: ``RND-001 sampled: missing '\n'``.
        cells: the cells it happens in, each with the finding that shows it.
    """

    impl: str
    said: str
    cells: dict[str, tuple[CellResult, Finding]] = field(default_factory=dict)

    def smallest(self, sizes: Mapping[str, int]) -> tuple[CellResult, Finding]:
        """The cell of the smallest case, by the characters of its input."""
        return min(self.cells.values(), key=lambda pair: (sizes.get(pair[0].case, 0), len(pair[1].detail)))


def name_of(finding: Finding) -> str:
    """The line a failure is grouped under. A cell without an answer fails every check alike and is one failure.

    Sources that disagree do so about a cell, not about a requirement.
    """
    if finding.slow:
        return "slow calls"
    if finding.verdict in {Verdict.ERROR, Verdict.REJECTED, Verdict.DISAGREE}:
        return finding.cause
    return f"{'/'.join(finding.requires)} {finding.cause}"


def causes_of(results: Iterable[CellResult], of: Container[Verdict] = BROKEN) -> list[Cause]:
    """The causes of what has one of these verdicts, by default of failures: by column, most frequent first."""
    found: dict[tuple[str, str], Cause] = {}
    order: dict[str, int] = {}
    for result in results:
        order.setdefault(result.impl, len(order))
        for finding in result.findings:
            if finding.verdict in of:
                said = name_of(finding)
                cause = found.setdefault((result.impl, said), Cause(result.impl, said))
                cause.cells.setdefault(result.name, (result, finding))
    return sorted(found.values(), key=lambda cause: (order[cause.impl], -len(cause.cells)))


def cells_with_warnings(results: Iterable[CellResult]) -> int:
    """On how many of these cells something that SHOULD be so is not."""
    return sum(any(finding.verdict in WARNED for finding in result.findings) for result in results)
