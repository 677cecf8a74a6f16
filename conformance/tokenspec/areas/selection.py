"""Which cells a run has: cases x rows, with their goldens, narrowed by what the command line asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from tokenspec.areas import area_of, areas
from tokenspec.areas.area import Area, Cell, Loan, models_of
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError, UnknownName, UsageError
from tokenspec.models import RowSpec, specs
from tokenspec.models.rows import goldens_of_candidate
from tokenspec.models.spec import Status
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.case_files import cases_in
from tokenspec.store.golden_files import GoldenFile, read_goldens
from tokenspec.store.records import Case, Golden

PROVEN = tuple(status for status in get_args(Status) if status != "unproven")
"""What is judged unless a status or a row is named."""


def load_cases(area: Area) -> list[Case]:
    """All cases of an area, their inputs fit for it."""
    cases = list(cases_in(area.name))
    for case in cases:
        convert(case.input, area.input_type, where=f"{case.id}: input")
    return cases


def borrowed_cases(area: Area) -> list[tuple[Case, Case]]:
    """The cases an area borrows, each as the lender's and as its own."""
    if area.loan is None:
        return []
    lent = [(case, area.loan.case(case)) for case in load_cases(areas()[area.loan.area])]
    return [(case, own) for case, own in lent if own is not None]


def all_cases() -> dict[str, Case]:
    """Every case of every area by its id, borrowed ones under the name of their borrower."""
    own = [case for area in areas().values() for case in load_cases(area)]
    lent = [case for area in areas().values() for _, case in borrowed_cases(area)]
    return {case.id: case for case in (*own, *lent)}


def goldens_path(row: str, area: str) -> Path:
    """Where the goldens of a row in an area lie; those of stand-ins lie apart, they are no facts of the model."""
    if own := goldens_of_candidate(row):
        return own / f"{area}.json"
    known = specs()
    apart = any(part in known and known[part].status == "stand-in" for part in models_of(row))
    folder = fixtures_dir() / "golden" / "stand-in" if apart else fixtures_dir() / "golden"
    return folder / row / f"{area}.json"


@dataclass(frozen=True)
class Grade:
    """The goldens of one row in one area, held against the cases they are of."""

    path: Path
    file: GoldenFile | None

    def golden(self, case: Case, made_from: str, *, outdated: bool = False) -> Golden | None:
        """The golden of a case, or None; one made from another input is an error, not an expectation.

        ``outdated``: it is asked for to be replaced, whatever it was made from.
        """
        found = self.file.golden(case.slug) if self.file is not None else None
        if found is not None and found.input_sha256 != made_from and not outdated:
            where = f"{self.path}: {case.slug}"
            raise FixtureError(where, f"was made from another input; run: tokenspec bless --case {case.id} --overwrite")
        return found


def grade(row: str, area: str) -> Grade:
    """The goldens of a row in an area; none of them where there is no file."""
    path = goldens_path(row, area)
    return Grade(path, read_goldens(path))


_UNWRITTEN: list[Golden] = []


@contextmanager
def unwritten(golden: Golden | None) -> Iterator[None]:
    """A golden that is in no file yet is found as if it were: requests tell what the oracle sampled."""
    _UNWRITTEN.extend([] if golden is None else [golden])
    try:
        yield
    finally:
        del _UNWRITTEN[len(_UNWRITTEN) - (golden is not None) :]


def load_golden(row: str, case: Case) -> Golden | None:
    """The golden of one case on a row, or None."""
    made_from = input_sha256(case.input)
    for golden in _UNWRITTEN:
        if (golden.row, golden.input_sha256) == (row, made_from):
            return golden
    return grade(row, case.area).golden(case, made_from)


@dataclass(frozen=True)
class Selection:
    """What the command line asks for; empty tuples mean everything. Patterns match ids by prefix or exactly."""

    areas: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()

    def area_list(self) -> list[Area]:
        """The chosen areas, or all."""
        known = areas()
        wanted = self.areas or tuple({case.split("/")[0] for case in self.cases if "/" in case}) or tuple(known)
        chosen = [area_of(name) for name in wanted]
        return [area for area in known.values() if area in chosen]

    def takes_case(self, case: Case) -> bool:
        """``render/tool-parallel``, ``tool-parallel`` and the prefix ``render/tool-`` all name a case."""
        return not self.cases or any(
            wanted in {case.id, case.slug} or (wanted.endswith("-") and case.id.startswith(wanted))
            for wanted in self.cases
        )

    def takes_row(self, row: str, known: Mapping[str, RowSpec]) -> bool:
        """A row key is taken when it, or every model of it, is asked for and has an asked-for status."""
        parts = models_of(row)
        if self.rows and row not in self.rows and not (parts and all(part in self.rows for part in parts)):
            return False
        return not self.statuses or all(known[part].status in self.statuses for part in parts)


def select_cells(selection: Selection, *, with_goldens: bool = True, outdated: bool = False) -> list[Cell]:
    """All cells of a selection, sorted by row so that each row is loaded once.

    ``with_goldens=False`` leaves the goldens unread; ``outdated`` takes also those made from an earlier input, to be
    replaced.
    """
    known = specs()
    _refuse_unknown_rows(selection.rows, known)
    _refuse_unknown_cases(selection)
    cells = [
        cell for area in selection.area_list() for cell in _cells_of(area, selection, known, with_goldens, outdated)
    ]
    order = {row: number for number, row in enumerate(("-", *known))}
    cells.sort(key=lambda cell: order.get(cell.row, len(order)))
    if selection.cases and not cells:
        refuse_unmatched(selection, [])
    return cells


def refuse_unmatched(selection: Selection, cells: Iterable[tuple[str, Case, str]]) -> None:
    """Refuse an area, a case pattern or a row that none of the cells (area, case, row) has.

    Raises:
        UsageError: naming it, and what it was asked for together with.
    """
    given = list(cells)
    areas_there = {area for area, _, _ in given}
    rows_there = {part for _, _, row in given for part in (row, *models_of(row))}
    cases_there = list({case.id: case for _, case, _ in given}.values())
    unmatched = [
        *(f"--case {one}" for one in selection.cases if not _takes_any(selection, one, cases_there)),
        *(f"--row {one}" for one in selection.rows if one not in rows_there),
        *(f"--area {one}" for one in selection.areas if area_of(one).name not in areas_there),
    ]
    if unmatched:
        statuses = () if selection.statuses == PROVEN else selection.statuses
        given_options = {"area": selection.areas, "row": selection.rows, "case": selection.cases, "status": statuses}
        others = [f"--{name} {one}" for name, values in given_options.items() for one in values]
        beside = " ".join(other for other in others if other.split()[0] != unmatched[0].split()[0])
        together = f" together with {beside}" if beside else ""
        raise UsageError(f"{unmatched[0]} matches no cell{together}; leave one out. See: tokenspec list cases")


def _takes_any(selection: Selection, pattern: str, cases: Iterable[Case]) -> bool:
    """Whether one of the case patterns takes one of these cases."""
    return any(map(replace(selection, cases=(pattern,)).takes_case, cases))


def keys_of(cells: Iterable[Cell]) -> Iterator[tuple[str, Case, str]]:
    """Area, case and row of each cell."""
    return ((cell.area.name, cell.case, cell.row) for cell in cells)


def sample_of(cells: Sequence[Cell], each: int) -> list[Cell]:
    """Of every area on every row so many cells at most, in their order: those whose names have the lowest hashes.

    What is taken is the same on every machine and for every column; a larger sample holds every smaller one.
    """
    names: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        names.setdefault((cell.area.name, cell.row), []).append(cell.name)
    taken = {name for found in names.values() for name in sorted(found, key=_place_in_samples)[:each]}
    return [cell for cell in cells if cell.name in taken]


def _place_in_samples(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _refuse_unknown_cases(selection: Selection) -> None:
    """Refuse a pattern that matches no case, also where other patterns match some."""
    if not selection.cases:
        return
    chosen = selection.area_list()
    cases = [case for area in chosen for case in load_cases(area)]
    cases += [case for area in chosen for pair in borrowed_cases(area) for case in pair]
    for name in selection.cases:
        if not _takes_any(selection, name, cases):
            raise UnknownName("case", name, [case.id for case in cases], cure="See: tokenspec list cases")


def _refuse_unknown_rows(rows: Iterable[str], known: Mapping[str, RowSpec]) -> None:
    for row in rows:
        for part in models_of(row):
            if part not in known:
                raise UnknownName("row", part, sorted(known), cure="See: tokenspec list rows")


def _cells_of(
    area: Area, selection: Selection, known: Mapping[str, RowSpec], with_goldens: bool, outdated: bool
) -> Iterator[Cell]:
    cases = [case for case in load_cases(area) if selection.takes_case(case)]
    for row, chosen in _by_row(area, cases, selection, known).items():
        expected = grade(row, area.name) if with_goldens else None
        for case, made_from in chosen:
            golden = None if expected is None else expected.golden(case, made_from, outdated=outdated)
            yield Cell(area, case, row, golden)
    if area.loan is not None and with_goldens:
        yield from _borrowed_cells(area, area.loan, selection, known)


def _borrowed_cells(area: Area, loan: Loan, selection: Selection, known: Mapping[str, RowSpec]) -> Iterator[Cell]:
    borrowed = {lent.id: (lent, own) for lent, own in borrowed_cases(area) if selection.takes_case(own)}
    cases = [lent for lent, _ in borrowed.values()]
    for row, chosen in _by_row(areas()[loan.area], cases, selection, known).items():
        if not loan.takes(known[row]):
            continue
        expected = grade(row, loan.area)
        for lent, made_from in chosen:
            golden = expected.golden(lent, made_from)
            yield Cell(area, borrowed[lent.id][1], row, golden and loan.golden(golden), borrowed=True)


def _by_row(
    area: Area, cases: Sequence[Case], selection: Selection, known: Mapping[str, RowSpec]
) -> dict[str, list[tuple[Case, str]]]:
    """Row -> the cases it has, each with the hash of its input."""
    by_row: dict[str, list[tuple[Case, str]]] = {}
    for case in cases:
        made_from = input_sha256(case.input)
        for row in rows_of(area, case, list(known.values())):
            if selection.takes_row(row, known):
                by_row.setdefault(row, []).append((case, made_from))
    return by_row


def rows_of(area: Area, case: Case, row_specs: Sequence[RowSpec]) -> list[str]:
    """The row keys a case applies to; ``Case.rows`` and the ``cases`` of rows narrow what the area offers."""
    offered = area.rows(case, [spec for spec in row_specs if spec.takes(case.id)])
    return [row for row in offered if case.rows is None or row in case.rows]
