"""Running the broken implementations: each must be caught by a check that cites what it breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from tokenspec.areas import modules
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells

from .adapters.in_process import InProcess
from .data import checkout_root
from .errors import UsageError
from .models import specs
from .parallel import workers
from .requirements import severity_of
from .runner import Run
from .traceability.lock import read_lock
from .verdict import NON_CONFORMANT, Verdict

if TYPE_CHECKING:
    from tokenspec.areas.mutant import Mutant


@dataclass(frozen=True)
class Autopsy:
    """What became of one mutant.

    ``killed_by`` are the failing checks that cite a requirement the mutant declares to break, ``failed`` all failing
    requirement ids, ``passed`` how many verdicts still pass: a mutant that fails everything proves nothing.
    ``kills`` names for each of these requirements the first cell it was caught in.
    """

    mutant: Mutant
    killed_by: tuple[str, ...]
    failed: frozenset[str]
    kills: dict[str, str]
    passed: int
    error: str

    @property
    def killed(self) -> bool:
        """Caught, by a check that cites what is broken, and not because nothing works at all."""
        return bool(self.killed_by) and self.passed > 0


def load_mutants(areas: Sequence[str] = ()) -> list[Mutant]:
    """All mutants, or those of some areas, which alone are imported. The wheel has none: this needs a checkout."""
    if checkout_root() is None:
        raise UsageError("mutants live in the source checkout, not in the wheel; clone the repository to run them")
    looked_at = [module for area in areas or (None,) for module in modules("mutants", area)]
    found = [mutant for module in looked_at for mutant in getattr(module, "MUTANTS", ())]
    ids = [mutant.id for mutant in found]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise UsageError(f"two mutants are called {id_}")
    return found


def cells_for(mutant: Mutant, cache: dict[tuple[str, tuple[str, ...]], list[Cell]]) -> list[Cell]:
    """The cells a mutant runs on: the toy rows and model-free cases, unless it names rows."""
    key = (mutant.area, mutant.rows)
    if key not in cache:
        toys = {id_ for id_, spec in specs().items() if spec.status == "toy"}
        cells = select_cells(Selection(areas=(mutant.area,), rows=mutant.rows))
        if not mutant.rows:
            cells = [cell for cell in cells if cell.row == "-" or all(part in toys for part in cell.row.split("+"))]
        cache[key] = cells
    return cache[key]


def likely_first(cells: Sequence[Cell], mutant: Mutant) -> list[Cell]:
    """The cells that the lock says it was caught in; then, within each row, the cases that are there for what it
    breaks, before the others.
    """
    caught_in = {entry.mutants.get(mutant.id) for entry in read_lock().values()}
    rows = {row: place for place, row in enumerate(dict.fromkeys(cell.row for cell in cells))}

    def place(cell: Cell) -> tuple[bool, int, bool]:
        return cell.name not in caught_in, rows[cell.row], set(mutant.breaks).isdisjoint(cell.case.requires)

    return sorted(cells, key=place)


def autopsy(mutant: Mutant, cells: Sequence[Cell]) -> Autopsy:
    """Run one mutant until all it breaks is caught. Errors of the adapter do not count as being caught.

    Nor do warnings: they are noted, and catch only a mutant that breaks no MUST.
    """
    failed: set[str] = set()
    killed_by: set[str] = set()
    kills: dict[str, str] = {}
    passed, error = 0, ""
    advised = severity_of(mutant.breaks) != "MUST"
    for result in Run([InProcess(mutant.id, mutant.make())], likely_first(cells, mutant)):
        for finding in result.findings:
            if finding.verdict is Verdict.PASS:
                passed += 1
            elif finding.verdict in NON_CONFORMANT | {Verdict.WARNING}:
                failed.update(finding.requires)
                if set(finding.requires) & set(mutant.breaks):
                    if advised or finding.verdict is not Verdict.WARNING:
                        killed_by.add(finding.check)
                    kills |= {id_: kills.get(id_, result.name) for id_ in set(finding.requires) & set(mutant.breaks)}
            elif finding.verdict is Verdict.ERROR and not error:
                error = f"{result.name}: {finding.detail}"
        if kills.keys() >= set(mutant.breaks) and passed:
            break
    return Autopsy(mutant, tuple(sorted(killed_by)), frozenset(failed), kills, passed, error)


_cells: dict[tuple[str, tuple[str, ...]], list[Cell]] = {}


def autopsy_by_id(area: str, mutant_id: str) -> dict[str, Any]:
    """One autopsy in a worker process; what comes back leaves out the mutant itself, which cannot be pickled."""
    mutant = next(item for item in load_mutants((area,)) if item.id == mutant_id)
    found = autopsy(mutant, cells_for(mutant, _cells))
    return {item.name: getattr(found, item.name) for item in fields(found) if item.name != "mutant"}


def autopsies(mutants: Sequence[Mutant], on_done: Callable[[Autopsy], None], jobs: int) -> list[Autopsy]:
    """Run them all, several at a time, in their own order."""
    found: list[Autopsy] = []
    with workers(jobs) as pool:
        reports = pool.map(autopsy_by_id, [mutant.area for mutant in mutants], [mutant.id for mutant in mutants])
        for mutant, report in zip(mutants, reports, strict=True):
            found.append(Autopsy(mutant=mutant, **report))
            on_done(found[-1])
    return found
