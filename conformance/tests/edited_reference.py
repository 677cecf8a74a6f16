"""The reference with an edited result, and how a run of it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult, Verdict, by_level, judgement
from tokenspec_reference.adapter import ReferenceAdapter

Request, Result = dict[str, Any], dict[str, Any]
SLUGS = ("role-user", "mask-unicode-bodies", "call-parallel", "unicode-cjk")
CELLS = [
    cell
    for cell in select_cells(Selection(areas=("render",), rows=("toy-bpe",)))
    if cell.case.slug in SLUGS and cell.golden is not None and cell.golden.expect is not None
]


class Edited(ReferenceAdapter):
    """The reference with an edited result; it claims nothing unless told to."""

    capabilities: Mapping[str, Any] = {}

    def __init__(
        self,
        after: Callable[[Request, Result], Result] = lambda _request, result: result,
        before: Callable[[Request], Request] = lambda request: request,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.after, self.before = after, before
        self.capabilities = capabilities or {}

    def render(self, request: Request) -> Result:
        return self.after(request, super().render(self.before(request)))


def judged(adapter: object, cells: list[Cell] | None = None) -> list[CellResult]:
    return run_all(Run([InProcess("mini", adapter)], CELLS if cells is None else cells, 60.0))


def levels(results: list[CellResult]) -> dict[str, set[Verdict]]:
    found: dict[str, set[Verdict]] = {}
    for result in results:
        for level, findings in by_level(result.findings).items():
            found.setdefault(level, set()).add(judgement(findings).verdict)
    return found


def blamed(results: list[CellResult]) -> set[str]:
    bad = {Verdict.FAIL, Verdict.WARNING, Verdict.REJECTED, Verdict.ERROR}
    return {
        id_ for result in results for finding in result.findings if finding.verdict in bad for id_ in finding.requires
    }
