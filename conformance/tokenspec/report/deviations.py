"""Why an implementation deviates: a reviewed file of reasons, laid over the failures of a run.

``fixtures/deviations/<impl>.toml`` holds one ``[[deviation]]`` per cause. A reason excuses nothing: verdicts stay what
they are (see ``known_failures`` for expected failures). It is strict both ways: a failure without a reason is
*unexplained*, a reason that meets no failure in a complete run is *stale*.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from tokenspec.areas import areas
from tokenspec.areas.selection import borrowed_cases, load_cases, rows_of
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.models import specs
from tokenspec.store.canonical import convert
from tokenspec.verdict import SILENT, WRONG, CellResult, Finding, Verdict

DEVIATING = WRONG | {Verdict.XFAIL, Verdict.DISAGREE}

Judgement = Literal["real", "policy", "sources disagree"]
"""What a reviewer says of a cause: a defect; a choice that is documented or configurable; the publisher of the model
and its template say different things, and the implementation follows one of them."""


class Deviation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One cause.

    Attributes:
        id: a stable slug.
        why: the reason, in words a user of the implementation understands.
        rows: patterns of row ids.
        checks: patterns of the checks it makes fail.
        cases: patterns of case ids, ``render/call-*``.
        detail: a regular expression that the printed detail of one of these failures holds.
        link: the public thread about it, ``project#number``, where one is known.
        verdict: what it is, where that was reviewed.
    """

    id: str
    why: str
    rows: list[str]
    checks: list[str]
    cases: list[str] = msgspec.field(default_factory=lambda: ["*"])
    detail: str | None = None
    link: str | None = None
    verdict: Judgement | None = None

    @property
    def said(self) -> str:
        """The reason behind its verdict: ``policy: it declines bridges``."""
        return f"{self.verdict}: {self.why}" if self.verdict else self.why

    def covers(self, row: str, case: str) -> bool:
        """Whether the reason speaks of this cell."""
        return any(fnmatchcase(row, it) for it in self.rows) and any(fnmatchcase(case, it) for it in self.cases)

    def explains(self, result: CellResult) -> list[Finding]:
        """What deviates of a cell for this cause; nothing where its ``detail`` is nowhere to be seen."""
        if not self.covers(result.row, result.case):
            return []
        found = [finding for finding in result.findings if finding.verdict in DEVIATING and self.judges(finding.check)]
        seen = self.detail is None or any(re.search(self.detail, finding.detail) for finding in found)
        return found if seen else []

    def judges(self, check: str) -> bool:
        """Whether a check is among those it makes fail."""
        return any(fnmatchcase(check, pattern) for pattern in self.checks)


def reason_in(reasons: Mapping[str, Any], impl: str, result: CellResult, finding: Finding) -> Deviation | None:
    """The first cause in a report's header that explains a finding of a cell; None where nobody has looked at it."""
    entries = msgspec.convert((reasons.get(impl) or {}).get("deviation", []), list[Deviation])
    return next((one for one in entries if any(explained is finding for explained in one.explains(result))), None)


class Reasons(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file: the implementation's version the reasons were reviewed at, and the reasons, most particular first."""

    version: str
    deviation: list[Deviation]


@dataclass
class Explained:
    """A run of one implementation with its reasons.

    Attributes:
        cells: per deviation the cells it explains something in: row -> number of cases.
        unexplained: failures no reason speaks of.
        stale: reasons that met no failure though every cell they speak of was judged.
    """

    cells: dict[str, dict[str, int]] = field(default_factory=dict)
    unexplained: list[tuple[CellResult, Finding]] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)


def reasons_of(impl: str) -> Reasons | None:
    """The reviewed reasons of an implementation; None where there is no file."""
    path = fixtures_dir() / "deviations" / f"{impl}.toml"
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", impl) or not path.exists():
        return None
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FixtureError(path, str(error)) from error
    reasons = convert(document, Reasons, where=path)
    ids = [deviation.id for deviation in reasons.deviation]
    for deviation in reasons.deviation:
        if ids.count(deviation.id) > 1:
            raise FixtureError(path, f"two deviations are called {deviation.id!r}: rename one")
        try:
            re.compile(deviation.detail or "")
        except re.error as error:
            raise FixtureError(path, f"{deviation.id}: detail is no regular expression: {error}") from error
    return reasons


def explain(results: Sequence[CellResult], deviations: Sequence[Deviation]) -> Explained:
    """Lay the reasons over the results of one implementation."""
    answer = Explained()
    for result in results:
        bad = [finding for finding in result.findings if finding.verdict in DEVIATING]
        named: set[int] = set()
        for deviation in deviations if bad else ():
            explained = {id(finding) for finding in deviation.explains(result)} - named
            if explained:
                rows = answer.cells.setdefault(deviation.id, {})
                rows[result.row] = rows.get(result.row, 0) + 1
                named |= explained
        failing = (finding for finding in bad if finding.verdict is not Verdict.DISAGREE)
        answer.unexplained += [(result, finding) for finding in failing if id(finding) not in named]
    judged = {(result.row, result.case) for result in results if is_judged(result)}
    chosen = {result.row for result in results}
    for deviation in deviations:
        if deviation.id not in answer.cells and was_covered(deviation, judged, chosen):
            answer.stale.append(deviation.id)
    return answer


def is_judged(result: CellResult) -> bool:
    """Whether a cell has any verdict but *unsupported*."""
    return any(finding.verdict not in SILENT for finding in result.findings)


def was_covered(deviation: Deviation, judged: set[tuple[str, str]], chosen: set[str]) -> bool:
    """Whether a run chose all rows a reason speaks of, and judged all its cases on those that are supported."""
    known = list(specs().values())
    of_areas = [
        area for area in areas().values() if any(check.startswith(f"{area.name}.") for check in deviation.checks)
    ]
    for area in of_areas:
        for case in (*load_cases(area), *(own for _, own in borrowed_cases(area))):
            for row in rows_of(area, case, known):
                if not deviation.covers(row, case.id):
                    continue
                ran = any(judged_row == row for judged_row, _ in judged)
                if row not in chosen or (ran and (row, case.id) not in judged):
                    return False
    return any(deviation.covers(row, case) for row, case in judged)
