"""What was too slow to judge: said at the end of every view of a run, because it is neither a pass nor a failure."""

from __future__ import annotations

from collections.abc import Iterable

from tokenspec.verdict import CellResult, Verdict

MORE = 4


def trouble(results: Iterable[CellResult]) -> str:
    """What exit code 3 means for a column: its adapter broke, or it was only too slow to judge."""
    errors = [finding for result in results for finding in result.findings if finding.verdict is Verdict.ERROR]
    return "adapter errors" if any(not finding.slow for finding in errors) else "too slow to judge"


def too_slow(results: Iterable[CellResult]) -> dict[str, str]:
    """Per column that had cells too slow to judge one line: how many, the limit, the cure."""
    limits: dict[str, list[float]] = {}
    for result in results:
        if result.slow:
            limits.setdefault(result.impl, []).append(result.slow)
    return {impl: told(len(slow), max(slow)) for impl, slow in limits.items()}


def told(cells: int, limit: float, option: str = "tokenspec run --timeout") -> str:
    """``3 cells were too slow for the limit of 10 s a call, so nothing is said of them; ...``."""
    many = "1 cell was" if cells == 1 else f"{cells} cells were"
    return f"{many} too slow for the limit of {limit:g} s a call and not judged; allow more: {option} {MORE * limit:g}"
