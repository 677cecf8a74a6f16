"""Verdicts: what one check says of one output, and what a whole run adds up to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType

import msgspec


class Verdict(StrEnum):
    """The words of the architecture. What gives no verdict (``SILENT``) is printed with its reason, never a pass."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    ERROR = "error"
    REJECTED = "rejected"
    WARNING = "warning"
    UNSUPPORTED = "unsupported"
    XFAIL = "xfail"
    XPASS = "xpass"
    INCOMPARABLE = "not comparable"
    DISAGREE = "sources disagree"


WRONG = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.REJECTED, Verdict.WARNING})
"""What an implementation did wrong, or an expected failure would be. A warning is a SHOULD that is not met."""
NON_CONFORMANT = frozenset({Verdict.FAIL, Verdict.REJECTED, Verdict.XPASS})
SILENT = frozenset({Verdict.UNSUPPORTED, Verdict.INCOMPARABLE})
"""What says nothing: the implementation does not do it, or what it gave cannot be laid beside the oracle's."""
UNCOUNTED = SILENT | {Verdict.DISAGREE}
"""What is neither passed nor failed, and not among what was judged."""


WHOLE = 100.0
"""The share in percent that a column has to answer where nobody says otherwise."""

_given_as: ContextVar[Mapping[str, str]] = ContextVar("rows as they were given", default=MappingProxyType({}))


@contextmanager
def given_as(names: Mapping[str, str]) -> Iterator[None]:
    """Within the block commands name these rows as the user did: a folder, by its path."""
    before = _given_as.set(names)
    try:
        yield
    finally:
        _given_as.reset(before)


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
    seconds that an ``error`` was too slow for, 0 for every other verdict. ``compares``: the check lays the answer
    beside what is expected; where such a check applies, only one that ran makes its level a pass. ``outline``: it looks
    at the outline of the answer alone, which passes no level. ``cause`` is one line that is the same wherever the same
    went wrong.
    """

    check: str
    level: str
    requires: list[str]
    verdict: Verdict
    severity: str = "MUST"
    detail: str = ""
    slow: float = 0.0
    compares: bool = False
    outline: bool = False
    cause: str = ""

    @property
    def non_conformant(self) -> bool:
        """Whether this finding alone makes the implementation fail the run. A list that is wrong always does."""
        return self.verdict is Verdict.XPASS or (self.severity == "MUST" and self.verdict in NON_CONFORMANT)


class CellResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything said of one implementation on one cell: one line of the report.

    ``exhibit`` is what a failing cell is shown with, when the run was asked to keep it. ``asked`` is False where the
    suite lacks what it takes to ask, and where the implementation claims other cells only. ``seconds`` is the time of
    the answer, ``judging`` that of the checks, ``setup`` that of loading the row, on the first cell of each.
    """

    impl: str
    area: str
    row: str
    case: str
    seconds: float
    findings: list[Finding]
    exhibit: Exhibit | None = None
    asked: bool = True
    setup: float = 0.0
    judging: float = 0.0

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
        return shlex.join(words if self.row == "-" else [*words, "--row", _given_as.get().get(self.row, self.row)])


WORST = (
    Verdict.ERROR,
    Verdict.FAIL,
    Verdict.REJECTED,
    Verdict.XPASS,
    Verdict.WARNING,
    Verdict.XFAIL,
    Verdict.DISAGREE,
    Verdict.INCOMPARABLE,
    Verdict.UNSUPPORTED,
    Verdict.PASS,
)


def judgement(findings: Sequence[Finding]) -> Finding:
    """The one finding that speaks for a case at a level: the worst that counts.

    A warning is shown and does not count; silence speaks only where nothing else was said, or nothing but that
    the outline is right: lists as long as they should be say nothing of what they hold. It does so, too, where checks
    lay the answer beside what is expected and none of them passed: the rest is no reason to pass the level.
    """
    worst = gravest(findings)
    if worst.verdict is Verdict.PASS:
        worst = gravest([finding for finding in findings if not finding.outline] or findings)
    comparing = [finding for finding in findings if finding.compares]
    silent = [finding for finding in comparing if finding.verdict in SILENT]
    if silent and worst.verdict is Verdict.PASS and not any(one.verdict is Verdict.PASS for one in comparing):
        return gravest(silent)
    return worst


def gravest(findings: Sequence[Finding]) -> Finding:
    """The worst finding that counts, whatever its level."""
    decided = [finding for finding in findings if finding.verdict not in SILENT]
    worst = min(decided or findings, key=lambda finding: WORST.index(counted_as(finding)))
    return msgspec.structs.replace(worst, verdict=counted_as(worst))


def counted_as(finding: Finding) -> Verdict:
    """What one finding counts as: what breaks no MUST counts as a pass."""
    grave = finding.severity == "MUST" or finding.verdict in SILENT | {Verdict.XPASS}
    return finding.verdict if grave else Verdict.PASS


def as_severe(verdict: Verdict, severity: str) -> Verdict:
    """The verdict of a check that cites this level: where no MUST is at stake, what would be a failure is a warning."""
    return Verdict.WARNING if severity != "MUST" and verdict in {Verdict.FAIL, Verdict.REJECTED} else verdict


def by_level(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The findings of a cell by level."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.level, []).append(finding)
    return found


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
