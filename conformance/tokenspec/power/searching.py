"""The search for an input that tells a surviving edit from the reference.

Inputs of the cases that execute the edited line are varied, and both answer. Where the answers differ, the oracle says
what is expected: an input with which the reference conforms and the edit does not is what the suite lacks.
"""

from __future__ import annotations

import copy
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import msgspec

from tokenspec.adapters import Failed, NotSupported, Ok, Outcome
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas import areas
from tokenspec.areas.area import Area, Cell
from tokenspec.areas.selection import unwritten
from tokenspec.models import Row
from tokenspec.models.assets import assets_of
from tokenspec.power.edits import Edit
from tokenspec.power.judging import noticed_by
from tokenspec.power.loading import PACKAGE, fresh_adapter, module_name
from tokenspec.power.variation import Variation
from tokenspec.reproduction.shrinking import smallest
from tokenspec.runner import Run
from tokenspec.store.records import Case, Golden
from tokenspec.verdict import NON_CONFORMANT, CellResult, Verdict

PATIENCE = 5.0
"""Seconds that one call may take."""

AGAIN = 0.4
"""How often an input is varied with which both differed, though no check said which is right."""

REMEMBERED = 20
"""Such inputs."""


@dataclass
class Way:
    """The cells of one way through the reference.

    Attributes:
        cells: that go it.
        seconds: what judging them takes.
    """

    cells: list[Cell] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def often(self) -> float:
        """How often it is chosen, relative to others: each gets the same time, the quickest more inputs."""
        return len(self.cells) / self.seconds if self.seconds else 1.0


@dataclass(frozen=True)
class Found:
    """An input that tells an edit from the reference.

    Attributes:
        cell: the input with its golden, under the name of the case it was varied from.
        by: the check that notices.
        of_the_reference: it is the reference that the check notices.
    """

    cell: Cell
    by: str
    of_the_reference: bool = False


@dataclass(frozen=True)
class Sought:
    """What came of a search.

    Attributes:
        tries: inputs that both were asked.
        differing: of them, those they answered differently.
        found: one that shows it.
        doubt: an input that the reference itself answers wrong, and the check that says so.
    """

    tries: int = 0
    differing: int = 0
    found: Found | None = None
    doubt: Found | None = None


class Pair:
    """The reference and an edited one in one process: each is asked with its own modules in place."""

    def __init__(self, edit: Edit, rows: Mapping[str, Row]) -> None:
        """Import both, and load the rows."""
        self.rows = rows
        self.columns: list[InProcess] = []
        self.modules: list[dict[str, ModuleType]] = []
        self.finders: list[Any] = []
        for programs in ({}, {module_name(edit.file): edit.program()}):
            column = InProcess("edited" if programs else "reference", fresh_adapter(programs))
            for model, row in rows.items():
                column.load(model, assets_of(row))
            self.columns.append(column)
            self.modules.append(_loaded())
            self.finders.append(sys.meta_path.pop(0))
        self.in_place = len(self.columns) - 1

    @contextmanager
    def asking(self, which: int) -> Iterator[InProcess]:
        """One of them, 0 the reference, 1 the edited one."""
        if which != self.in_place:
            for name in self.modules[self.in_place]:
                del sys.modules[name]
            sys.modules.update(self.modules[which])
            self.in_place = which
        sys.meta_path.insert(0, self.finders[which])
        count = len(sys.modules)
        try:
            yield self.columns[which]
        finally:
            sys.meta_path.remove(self.finders[which])
            if len(sys.modules) != count:
                self.modules[which] = _loaded()

    def answer(self, which: int, cell: Cell) -> object:
        """What one of them answers, comparable; None where it does not."""
        with unwritten(cell.golden):
            request = cell.request()
        with self.asking(which) as column:
            outcome = column.call(cell.area.operation, cell.case.id, request, PATIENCE)
        return _comparable(outcome)

    def differ(self, cell: Cell) -> bool:
        """Whether they answer differently, and the reference the same each time."""
        expected = self.answer(0, cell)
        return expected is not None and expected != self.answer(1, cell) and expected == self.answer(0, cell)

    def judged(self, which: int, cell: Cell) -> CellResult:
        """The verdicts on one of them."""
        with unwritten(cell.golden), self.asking(which) as column:
            return Run([column], [cell], 2 * PATIENCE).judge_cell(column, cell, self.rows)

    def noticed(self, cell: Cell) -> Found | None:
        """The check that the reference passes and the edited one does not, or that the reference itself breaks."""
        usual = self.judged(0, cell)
        broken = [one.check for one in usual.findings if one.verdict in {*NON_CONFORMANT, Verdict.ERROR}]
        if broken:
            return Found(cell, broken[0], of_the_reference=True)
        verdicts = {one.check: str(one.verdict) for one in usual.findings if one.verdict is not Verdict.PASS}
        by = noticed_by(self.judged(1, cell), verdicts)
        return Found(cell, by) if by else None


def sought(
    edit: Edit,
    ways: Sequence[Way],
    rows: Mapping[str, Row],
    known: Mapping[str, Variation],
    seconds: float,
    seed: str,
) -> Sought:
    """Vary the inputs of cells of one row for so many seconds of processor time. For a process of its own."""
    try:
        pair = Pair(edit, rows)
    except Exception:  # noqa: BLE001 - whatever the edited module raises when it is loaded
        return Sought()
    chance = random.Random(seed)
    end = time.process_time() + seconds
    often = [way.often for way in ways]
    near: list[Cell] = []
    asked: set[bytes] = set()
    differing = 0
    doubt = None
    while time.process_time() < end:
        start = chance.choice(
            near if near and chance.random() < AGAIN else chance.choices(ways, weights=often)[0].cells
        )
        cell = varied(start, known[start.area.name].of(start.case.input, chance), rows)
        if cell is None or (key := msgspec.json.encode(cell.case.input)) in asked:
            continue
        asked.add(key)
        if not pair.differ(cell):
            continue
        differing += 1
        near = [*near[1 - REMEMBERED :], cell]
        found = shown(pair, cell)
        if found is not None and not found.of_the_reference:
            return Sought(len(asked), differing, _shrunk(pair, found, seconds), doubt)
        if found is not None and doubt is None:
            doubt = _shrunk(pair, found, seconds)
    return Sought(len(asked), differing, None, doubt)


def varied(cell: Cell, value: dict[str, Any], rows: Mapping[str, Row]) -> Cell | None:
    """A cell with another input that is to be answered; None where that is no input of the area."""
    case = msgspec.structs.replace(cell.case, input=value, outcome="ok", refusal=None, source=None)
    try:
        msgspec.convert(copy.deepcopy(value), cell.area.input_type)
        golden = expected(cell.area, case, cell.row, rows) if cell.area.asks_golden else None
        with unwritten(golden):
            msgspec.json.encode(cell.area.request(case, cell.row))
    except Exception:  # noqa: BLE001 - inputs of the right type that no area has met break requests in many ways
        return None
    return replace(cell, case=case, golden=golden)


def expected(area: Area, case: Case, row: str, rows: Mapping[str, Row]) -> Golden | None:
    """What the oracle expects, the lender's where an area has none of its own; None where nothing is."""
    if area.oracle is not None:
        return area.oracle(case, row, rows)
    if area.loan is None:
        return None
    lender = areas()[area.loan.area]
    lent = msgspec.structs.replace(case, id=f"{lender.name}/{case.slug}", area=lender.name)
    golden = expected(lender, lent, row, rows)
    return None if golden is None else area.loan.golden(golden)


def shown(pair: Pair, cell: Cell) -> Found | None:
    """What the checks say of both, with what the oracle expects; None where it does not answer."""
    try:
        golden = cell.golden or expected(cell.area, cell.case, cell.row, pair.rows)
    except Exception:  # noqa: BLE001 - the oracle meets what no case has
        return None
    return pair.noticed(replace(cell, golden=golden))


def _shrunk(pair: Pair, found: Found, seconds: float) -> Found:
    """The smallest input that the same check notices."""

    def still(value: Any) -> Found | None:
        cell = varied(found.cell, value, pair.rows) if isinstance(value, dict) else None
        less = shown(pair, cell) if cell is not None and pair.differ(cell) else None
        return less if less is not None and _sort(less) == _sort(found) else None

    least = smallest(found.cell.case.input, lambda value: still(value) is not None, seconds=seconds)
    return still(least) or found


def _sort(found: Found) -> tuple[object, ...]:
    outcome = found.cell.golden.outcome if found.cell.golden is not None else ""
    return found.by, found.of_the_reference, outcome


def _loaded() -> dict[str, ModuleType]:
    return {name: one for name, one in sys.modules.items() if name == PACKAGE or name.startswith(f"{PACKAGE}.")}


def _comparable(outcome: Outcome) -> object:
    if isinstance(outcome, Ok):
        try:
            return msgspec.json.encode(outcome.output, order="sorted")
        except (TypeError, ValueError):
            return repr(outcome.output)
    if isinstance(outcome, NotSupported | Failed):
        return None
    return outcome.code, outcome.place
