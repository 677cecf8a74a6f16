"""Which cells a run has: cases x rows, with their goldens, narrowed by what the command line asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .areas import Area, Cell, Loan, areas, models_of
from .data import fixtures_dir
from .errors import FixtureError, UsageError
from .model import Case, Golden, convert, input_sha256, read_fixture
from .models import RowSpec, specs


def case_files(area: Area) -> list[Path]:
    """The case files of an area, regressions included, sorted by path."""
    folders = (fixtures_dir() / "cases" / area.name, fixtures_dir() / "regressions" / area.name)
    return sorted(path for folder in folders for path in folder.glob("*.json"))


def load_cases(area: Area) -> list[Case]:
    """All cases of an area, typed; the id of a case is its place."""
    cases: list[Case] = []
    for path in case_files(area):
        case = read_fixture(path, Case)
        if case.id != f"{area.name}/{path.stem}" or case.area != area.name:
            raise FixtureError(path, f"id {case.id!r} and area {case.area!r} must be {area.name}/{path.stem}")
        convert(case.input, area.input_type, where=f"{path}: input")
        cases.append(case)
    return cases


def borrowed_cases(area: Area) -> list[tuple[Case, Case]]:
    """The cases an area borrows, each as the lender's and as its own."""
    if area.loan is None:
        return []
    lent = [(case, area.loan.case(case)) for case in load_cases(areas()[area.loan.area])]
    return [(case, own) for case, own in lent if own is not None]


def golden_path(row: str, case: Case) -> Path:
    """Where the golden of a case on a row lies; those of stand-ins lie apart, they are no facts of the model."""
    known = specs()
    apart = any(part in known and known[part].status == "stand-in" for part in models_of(row))
    folder = fixtures_dir() / "golden" / "stand-in" if apart else fixtures_dir() / "golden"
    return folder / row / case.area / f"{case.slug}.json"


def load_golden(row: str, case: Case) -> Golden | None:
    """The golden of a case on a row, or None; one made from another input is an error, not an expectation."""
    path = golden_path(row, case)
    if not path.exists():
        return None
    golden = read_fixture(path, Golden)
    if golden.case != case.id or golden.row != row:
        raise FixtureError(path, f"says case {golden.case!r} on row {golden.row!r}, but lies at {case.id!r} on {row!r}")
    if golden.input_sha256 != input_sha256(case.input):
        raise FixtureError(path, f"was made from another input; run: tokenspec bless --case {case.id} --overwrite")
    return golden


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
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UsageError(f"no area {unknown[0]!r}. Known: {', '.join(known)}.")
        return [area for name, area in known.items() if name in wanted]

    def takes_case(self, case: Case) -> bool:
        """``render/tool-parallel``, ``tool-parallel`` and the prefix ``render/tool-`` all name a case."""
        return not self.cases or any(
            wanted in {case.id, case.slug} or (wanted.endswith("-") and case.id.startswith(wanted))
            for wanted in self.cases
        )

    def takes_row(self, row: str, known: dict[str, RowSpec]) -> bool:
        """A row key is taken when it, or every model of it, is asked for and has an asked-for status."""
        parts = models_of(row)
        if self.rows and row not in self.rows and not (parts and all(part in self.rows for part in parts)):
            return False
        return not self.statuses or all(known[part].status in self.statuses for part in parts)


def select_cells(selection: Selection, *, with_goldens: bool = True) -> list[Cell]:
    """All cells of a selection, sorted by row so that each row is loaded once.

    ``with_goldens=False`` leaves the goldens unread: for making them, when the old ones may be stale.
    """
    known = specs()
    _refuse_unknown_rows(selection.rows, known)
    cells = [cell for area in selection.area_list() for cell in _cells_of(area, selection, known, with_goldens)]
    order = {row: number for number, row in enumerate(("-", *known))}
    cells.sort(key=lambda cell: order.get(cell.row, len(order)))
    if selection.cases and not cells:
        raise UsageError(f"no case matches {', '.join(selection.cases)}. See: tokenspec list cases.")
    return cells


def _refuse_unknown_rows(rows: Iterable[str], known: dict[str, RowSpec]) -> None:
    for row in rows:
        for part in models_of(row):
            if part not in known:
                raise UsageError(f"no row {part!r}. Known: {', '.join(sorted(known))}.")


def _cells_of(area: Area, selection: Selection, known: dict[str, RowSpec], with_goldens: bool) -> Iterator[Cell]:
    by_row: dict[str, list[Case]] = {}
    for case in load_cases(area):
        if selection.takes_case(case):
            for row in rows_of(area, case, list(known.values())):
                if selection.takes_row(row, known):
                    by_row.setdefault(row, []).append(case)
    for row, cases in by_row.items():
        for case in cases:
            yield Cell(area, case, row, load_golden(row, case) if with_goldens else None)
    if area.loan is not None and with_goldens:
        yield from _borrowed_cells(area, area.loan, selection, known)


def _borrowed_cells(area: Area, loan: Loan, selection: Selection, known: dict[str, RowSpec]) -> Iterator[Cell]:
    for lent, case in borrowed_cases(area):
        if selection.takes_case(case):
            for row in rows_of(areas()[loan.area], lent, list(known.values())):
                if selection.takes_row(row, known):
                    golden = load_golden(row, lent)
                    yield Cell(area, case, row, golden and loan.golden(golden), borrowed=True)


def rows_of(area: Area, case: Case, row_specs: Sequence[RowSpec]) -> list[str]:
    """The row keys a case applies to; ``Case.rows`` narrows what the area offers."""
    offered = list(area.rows(case, row_specs))
    return [row for row in offered if case.rows is None or row in case.rows]
