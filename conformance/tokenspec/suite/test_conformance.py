"""One item per (area, row, case) and implementation, one subtest per check. Nothing without --tokenspec-impl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.suite.findings import show

if TYPE_CHECKING:
    import pytest

    from tokenspec.suite.findings import Judgement


def test_cell(tokenspec_judgement: Judgement, subtests: pytest.Subtests) -> None:
    """Every check of the area on the one output of this cell."""
    show(tokenspec_judgement().findings, subtests)
