"""The pytest face: ``pytest --pyargs tokenspec.suite --tokenspec-impl my.mod:adapter``, or two lines of your own.

from tokenspec.suite import Conformance

class TestMine(Conformance):
    impl = "my.mod:Adapter"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import pytest

    from tokenspec.suite.findings import Judgement


class Conformance:
    """Subclass it in a test module: one test a case, one subtest a check. The pytest plugin finds the cells.

    Attributes:
        impl: what is judged: ``pkg.mod:attr``, a registered name, ``cmd:PROGRAM ARGS``, or the adapter itself.
        areas: only these areas; empty means all.
        rows: only these model rows; empty means all rows of ``statuses``.
        cases: only these cases, as on the command line.
        statuses: ``toy`` rows need no files but the suite's own; add ``real`` after ``tokenspec models pull``.
        known_failures: a list in TOML, beside the test module or absolute; strict both ways.
        timeout: seconds one call may take.
    """

    impl: ClassVar[Any] = None
    areas: ClassVar[Sequence[str]] = ()
    rows: ClassVar[Sequence[str]] = ()
    cases: ClassVar[Sequence[str]] = ()
    statuses: ClassVar[Sequence[str]] = ("toy",)
    known_failures: ClassVar[str | None] = None
    timeout: ClassVar[float] = 10.0

    def test_cell(self, tokenspec_judgement: Judgement, subtests: pytest.Subtests) -> None:
        """Every check of the area on the one output of a cell."""
        from .findings import show

        show(tokenspec_judgement().findings, subtests)
