"""One cell's verdicts as subtests of one pytest item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tokenspec.verdict import UNCOUNTED, CellResult, Finding, Verdict

Judgement = Callable[[], CellResult]
"""Judges one cell when called."""


def show(findings: Sequence[Finding], subtests: pytest.Subtests) -> None:
    """One subtest a judged check; a cell of which nothing is judged is skipped with its reasons, never passed."""
    reasons = sorted({finding.detail for finding in findings if finding.verdict in UNCOUNTED})
    judged = [finding for finding in findings if finding.verdict not in UNCOUNTED]
    if not judged:
        pytest.skip(f"unsupported: {'; '.join(reasons) or 'no check applies'}")
    for finding in judged:
        with subtests.test(msg=f"{finding.check} {'/'.join(finding.requires)}"):
            if finding.verdict is Verdict.XFAIL:
                pytest.xfail(finding.detail)
            if finding.non_conformant or (finding.verdict is Verdict.ERROR and finding.severity == "MUST"):
                pytest.fail(f"{finding.verdict}: {finding.detail}", pytrace=False)
