"""The adapter protocol: how a program behind a pipe speaks. Conversations are judged, not results."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenspec.adapters import CONVERSE
from tokenspec.adapters.transcript import Transcript
from tokenspec.areas import areas
from tokenspec.areas.area import NO_ROW, Area, Cell, models_of
from tokenspec.areas.protocol.records import ProtocolExpect, ProtocolInput
from tokenspec.errors import UsageError
from tokenspec.store.records import Case

if TYPE_CHECKING:
    from tokenspec.models import RowSpec

ROWS = ("toy-bpe", "toy-ranks")


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """A conversation is held once; the rows it loads are part of its script."""
    del case, specs
    return [NO_ROW]


def request(case: Case, row: str) -> dict[str, Any]:
    """The script, the two toy rows, and some basic cases of every operation."""
    del row
    return {"script": list(case.input["script"]), **copy.deepcopy(material())}


@cache
def material() -> dict[str, Any]:
    """What the probes are made of."""
    from tokenspec.models import load
    from tokenspec.models.assets import assets_of

    return {
        "rows": {row: assets_of(load(row)) for row in ROWS},
        "cases": {area.operation: basic_cases(area) for area in areas().values() if area.operation != CONVERSE},
    }


def basic_cases(area: Area) -> list[dict[str, Any]]:
    """The smoke cases of an area that are to be answered and need no other rows than the two.

    Several, because a partial implementation may answer few of them.
    """
    from tokenspec.areas.selection import Selection, select_cells
    from tokenspec.store.smoke import smoke_cases

    listed = smoke_cases().get(area.name, [])
    found: dict[str, dict[str, Any]] = {}
    for cell in select_cells(Selection(areas=(area.name,), cases=tuple(listed))) if listed else ():
        outcome = cell.case.outcome if cell.golden is None else cell.golden.outcome
        models = models_of(cell.row)
        if outcome == "ok" and set(models) <= set(ROWS) and cell.case.id not in found:
            found[cell.case.id] = {"case": cell.case.id, "rows": list(models), "input": cell.request()}
    return [found[case] for case in listed if case in found]


AREA = Area(
    name="protocol",
    title="Adapter protocol: lines over a pipe",
    order=90,
    prefix="ADP",
    operation=CONVERSE,
    levels=("LINES", "START", "LOAD", "RUN", "END"),
    input_type=ProtocolInput,
    output_type=Transcript,
    expect_type=ProtocolExpect,
    rows=rows,
    request=request,
)


def within_reach(cells: Iterable[Cell], impls: Iterable[str], named: Collection[str] = ()) -> list[Cell]:
    """Without conversations, where no implementation is a program: an object has no pipe to be judged by.

    Raises:
        UsageError: the area is ``named``, and no implementation is a program.
    """
    programs = any(impl.startswith("cmd:") for impl in impls)
    if AREA.name in named and not programs:
        raise UsageError(f"--area {AREA.name} judges programs, and no --impl is one. Give: --impl 'cmd:PROGRAM'")
    return [cell for cell in cells if programs or cell.area.operation != CONVERSE]
