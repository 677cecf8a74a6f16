"""What a list makes of a run: listed failures become ``xfail``, and everything listed wrongly is a complaint."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

import msgspec

from tokenspec.adapters import Column
from tokenspec.errors import UsageError
from tokenspec.verdict import UNCOUNTED, WRONG, CellResult, Finding, Verdict

from .entries import Entry, KnownFailures


class Sighting(StrEnum):
    """What an entry met on one cell."""

    AS_LISTED = "fails as listed"
    PASSES = "passes"
    WRONG_CLASS = "fails in another way"
    UNSUPPORTED = "is unsupported"
    NOT_JUDGED = "is judged by no such check"
    NOT_AT_HAND = "files or goldens are missing"


@dataclass
class Ledger:
    """One list held against one column: what its entries met so far.

    Attributes:
        known: the list.
        impl: the column.
        version: of the implementation.
        transformers: the installed version, if any.
        seen: per entry number and kind the cells, by name; what was met in a worker process is added the same way.
    """

    known: KnownFailures
    impl: str
    version: str
    transformers: str | None
    seen: dict[tuple[int, Sighting], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep the entries whose version ranges hold; those without wildcards are found by their cell."""
        self.in_force = self.known.in_force(self.version, self.transformers)
        self.patterns = [entry for entry in self.in_force if "*" in entry.failure.case + entry.failure.row]
        self.exact: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.in_force:
            if "*" not in entry.failure.case + entry.failure.row:
                self.exact.setdefault((entry.failure.case, entry.failure.row), []).append(entry)

    def about(self, result: CellResult) -> list[Entry]:
        """The entries about one cell."""
        matching = [entry for entry in self.patterns if entry.covers(result.case, result.row)]
        return [*self.exact.get((result.case, result.row), ()), *matching]

    def note(self, number: int, sighting: Sighting, cell: str) -> None:
        """Remember what an entry met."""
        self.seen.setdefault((number, sighting), []).append(cell)

    def met(self, entry: Entry, sighting: Sighting) -> list[str]:
        """The cells on which an entry met this."""
        return self.seen.get((entry.number, sighting), [])

    def complaints(self) -> list[str]:
        """Everything that is listed wrongly, one printable line each."""
        return [line for entry in self.in_force for line in self.complaints_of(entry)]

    def complaints_of(self, entry: Entry) -> list[str]:
        """What is wrong with one entry. One that was not selected is left alone, unless it can never be run."""
        lines: list[str] = []
        passing, other = self.met(entry, Sighting.PASSES), self.met(entry, Sighting.WRONG_CLASS)
        if passing:
            lines.append(f"{entry.where}: {entry} passes: {_first(passing)}. Remove the entry, or narrow it")
        if other:
            lines.append(
                f"{entry.where}: {entry} is listed as {entry.failure.class_} but fails in another way: "
                f"{_first(other)}. Look into it, then correct class"
            )
        if lines or self.met(entry, Sighting.AS_LISTED) or self.met(entry, Sighting.NOT_AT_HAND):
            return lines
        for sighting in (Sighting.UNSUPPORTED, Sighting.NOT_JUDGED):
            if met := self.met(entry, sighting):
                return [f"{entry.where}: {entry} {sighting}: {_first(met)}. Remove the entry"]
        if not can_run(entry):
            lines.append(
                f"{entry.where}: {entry} matches no cell of the suite ('*' is the only wildcard). "
                "Correct case or row, or remove the entry. See: tokenspec list cases"
            )
        return lines


def ledgers_for(known: Sequence[KnownFailures], columns: Sequence[Column]) -> dict[str, Ledger]:
    """Which list is held against which column, by column name.

    Raises:
        UsageError: a list is about none of the columns, or two are about the same one.
    """
    ledgers: dict[str, Ledger] = {}
    for one in known:
        meant = [column for column in columns if one.implementation in {column.name, column.info.get("name")}]
        if not meant:
            names = ", ".join(str(column.info.get("name", column.name)) for column in columns)
            raise UsageError(f"{one.file} is about {one.implementation!r}; the columns of this run are {names}")
        for column in meant:
            if column.name in ledgers:
                raise UsageError(f"{one.file} and {ledgers[column.name].known.file} are both about {column.name}")
            ledgers[column.name] = Ledger(one, column.name, column.info.get("version", ""), transformers_version())
    return ledgers


def transformers_version() -> str | None:
    """The installed version, or None."""
    try:
        return importlib.metadata.version("transformers")
    except importlib.metadata.PackageNotFoundError:
        return None


def judge_known(ledger: Ledger, result: CellResult) -> CellResult:
    """One cell in the light of the list: failures as listed become ``xfail``, listed passes ``xpass``."""
    marks: dict[int, tuple[Verdict, str]] = {}
    for entry in ledger.about(result):
        groups = _groups(entry, result.findings)
        if not groups and result.findings:
            ledger.note(entry.number, Sighting.NOT_JUDGED, result.name)
        for group in groups:
            _meet(ledger, entry, result, group, marks)
    if not marks:
        return result
    findings = [
        msgspec.structs.replace(finding, verdict=marks[index][0], detail=f"{marks[index][1]}\n{finding.detail}".strip())
        if index in marks
        else finding
        for index, finding in enumerate(result.findings)
    ]
    return msgspec.structs.replace(result, findings=findings)


def _groups(entry: Entry, findings: Sequence[Finding]) -> list[list[int]]:
    """The findings an entry is about, one group for each requirement (or check) it names."""
    groups: dict[str, list[int]] = {}
    for index, finding in enumerate(findings):
        for name in [finding.check] if entry.failure.check else finding.requires:
            if entry.name_pattern.fullmatch(name):
                groups.setdefault(name, []).append(index)
    return list(groups.values())


def _meet(
    ledger: Ledger, entry: Entry, result: CellResult, group: Sequence[int], marks: dict[int, tuple[Verdict, str]]
) -> None:
    """One requirement (or check) on one cell against what the list says of it."""
    decided = [index for index in group if is_decided(result.findings[index])]
    broken = [index for index in decided if result.findings[index].verdict in WRONG]
    if not decided:
        missing = any(_not_at_hand(result.findings[index]) for index in group)
        ledger.note(entry.number, Sighting.NOT_AT_HAND if missing else Sighting.UNSUPPORTED, result.name)
        return
    if not broken:
        ledger.note(entry.number, Sighting.PASSES, result.name)
        for index in decided:
            marks.setdefault(index, (Verdict.XPASS, f"passes, but is listed as a known failure in {entry.where}"))
        return
    for index in broken:
        if result.findings[index].verdict == entry.failure.class_:
            ledger.note(entry.number, Sighting.AS_LISTED, result.name)
            marks[index] = (Verdict.XFAIL, f"known failure: {entry.failure.reason} ({entry.failure.issue})")
        else:
            ledger.note(entry.number, Sighting.WRONG_CLASS, f"{result.name} ({result.findings[index].verdict})")


def is_decided(finding: Finding) -> bool:
    """Whether anything is known of it: neither silent nor too slow to judge."""
    return finding.verdict not in UNCOUNTED and not finding.slow


def _not_at_hand(finding: Finding) -> bool:
    """Whether the suite lacks something, rather than the implementation: files, a golden, or patience."""
    return "assets missing" in finding.detail or finding.detail.startswith("no golden") or finding.slow > 0


def _first(cells: Sequence[str]) -> str:
    return cells[0] if len(cells) == 1 else f"{cells[0]} and {len(cells) - 1} more"


def can_run(entry: Entry) -> bool:
    """Whether any cell of the suite is one the entry is about."""
    if "*" not in entry.failure.case + entry.failure.row:
        return (entry.failure.case, entry.failure.row) in all_cells()
    return any(entry.covers(case, row) for case, row in all_cells())


@cache
def all_cells() -> frozenset[tuple[str, str]]:
    """Every (case, row) of the suite, borrowed ones included; goldens stay unread."""
    from tokenspec.areas import areas
    from tokenspec.areas.selection import Selection, borrowed_cases, rows_of, select_cells
    from tokenspec.models import specs

    own = {(cell.case.id, cell.row) for cell in select_cells(Selection(), with_goldens=False)}
    for area in areas().values():
        for lent, case in borrowed_cases(area):
            own.update((case.id, row) for row in rows_of(areas()[lent.area], lent, list(specs().values())))
    return frozenset(own)
