"""Verdicts: what one check says of one output, and what a whole run adds up to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """The seven words of the architecture. ``unsupported`` is printed, never counted as a pass."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    ERROR = "error"
    REJECTED = "rejected"
    UNSUPPORTED = "unsupported"
    XFAIL = "xfail"
    XPASS = "xpass"


NON_CONFORMANT = frozenset({Verdict.FAIL, Verdict.REJECTED, Verdict.XPASS})


Label = tuple[str, int | None]
"""Of a token: its kind, and the index of its message."""


class Tokens(msgspec.Struct, frozen=True, omit_defaults=True):
    r"""A run of tokens, cut to a window.

    Attributes:
        ids: the token ids of the window.
        pieces: what each id spells; bytes that are no whole character are written ``\xe2\x82``.
        owners: runs of ``[kind, message index or null, tokens]`` that tile the window. Kinds: ``scaffold``,
            ``content``, ``sampled``, ``prompt`` (generation prompt), ``prior`` (the part a bridge was given),
            ``unattributed`` (nobody said).
        start: the index of the first token of the window.
        total: how many tokens there are in all.
    """

    ids: list[int]
    pieces: list[str]
    owners: list[tuple[str, int | None, int]]
    start: int = 0
    total: int = 0

    def labels(self) -> list[Label]:
        """Kind and message of each token of the window."""
        return [(kind, message) for kind, message, count in self.owners for _ in range(count)]


class Exhibit(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What one cell is shown with. ``input`` is the case's input as JSON text; the lines are fields, one a line."""

    input: str = ""
    expected: Tokens | None = None
    got: Tokens | None = None
    expected_lines: list[str] = []
    got_lines: list[str] = []


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One verdict of one check on one cell.

    ``requires`` are the requirement ids the check cites, ``severity`` the strongest level among them: only a broken
    MUST makes an implementation non-conformant. ``detail`` is the reason, ready to print. ``slow`` is the limit in
    seconds that an ``error`` was too slow for, 0 for every other verdict.
    """

    check: str
    level: str
    requires: list[str]
    verdict: Verdict
    severity: str = "MUST"
    detail: str = ""
    slow: float = 0.0

    @property
    def non_conformant(self) -> bool:
        """Whether this finding alone makes the implementation fail the run. A list that is wrong always does."""
        return self.verdict is Verdict.XPASS or (self.severity == "MUST" and self.verdict in NON_CONFORMANT)


class CellResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything said of one implementation on one cell: one line of the report.

    ``exhibit`` is what a failing cell is shown with, when the run was asked to keep it.
    """

    impl: str
    area: str
    row: str
    case: str
    seconds: float
    findings: list[Finding]
    exhibit: Exhibit | None = None

    @property
    def name(self) -> str:
        """``render/qwen3/tool-parallel``."""
        return f"{self.area}/{self.row}/{self.case.split('/', 1)[1]}"

    @property
    def slow(self) -> float:
        """The limit in seconds that the call was too slow for; 0 where it was not."""
        return max((finding.slow for finding in self.findings), default=0.0)

    @property
    def again(self) -> str:
        """The command that judges this cell again."""
        words = ["tokenspec", "run", "--impl", self.impl, "--case", self.case]
        return shlex.join(words if self.row == "-" else [*words, "--row", self.row])


def exit_code(results: Iterable[CellResult], gate: frozenset[str]) -> int:
    """0 conformant, 1 non-conformant, 3 when an adapter broke or was too slow to judge and nothing else failed.

    ``gate`` names the columns that decide; the others are shown as found. A column of which nothing was judged does
    not pass: an empty run is not a green run.
    """
    passed: set[str] = set()
    failed = broke = False
    for result in results:
        if result.impl not in gate:
            continue
        for finding in result.findings:
            failed = failed or finding.non_conformant
            broke = broke or finding.verdict is Verdict.ERROR
            if finding.verdict in {Verdict.PASS, Verdict.XFAIL}:
                passed.add(result.impl)
    if failed:
        return 1
    if broke:
        return 3
    return 0 if passed >= gate else 1
