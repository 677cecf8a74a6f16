"""One item per (area, row, case) and implementation, one subtest per check. Collects nothing unless --impl is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tokenspec.verdict import Verdict

if TYPE_CHECKING:
    from tokenspec.pytest_plugin import Judgement


def test_cell(tokenspec_judgement: Judgement, subtests: pytest.Subtests) -> None:
    """Every check of the area on the one output of this cell."""
    findings = tokenspec_judgement().findings
    reasons = sorted({finding.detail for finding in findings if finding.verdict is Verdict.UNSUPPORTED})
    judged = [finding for finding in findings if finding.verdict is not Verdict.UNSUPPORTED]
    if not judged:
        pytest.skip(f"unsupported: {'; '.join(reasons) or 'no check applies'}")
    for finding in judged:
        with subtests.test(msg=f"{finding.check} {'/'.join(finding.requires)}"):
            if finding.verdict is Verdict.XFAIL:
                pytest.xfail(finding.detail)
            if finding.non_conformant or (finding.verdict is Verdict.ERROR and finding.severity == "MUST"):
                pytest.fail(f"{finding.verdict}: {finding.detail}", pytrace=False)
