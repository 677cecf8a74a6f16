"""Every failure of a trainer has a reviewed reason, on the row that all of them know."""

from __future__ import annotations

import pytest

from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.report.deviations import explain, reasons_of
from tokenspec.runner import Run, run_all

TRAINERS = ("axolotl", "ms-swift", "tinker-cookbook", "trl-templates", "unsloth")


@pytest.mark.columns
@pytest.mark.real
@pytest.mark.parametrize("name", TRAINERS)
def test_every_failure_of_a_trainer_on_qwen3_has_its_reason(name: str) -> None:
    cells = [one for one in select_cells(Selection(areas=("render",), rows=("qwen3",))) if "long-" not in one.case.id]
    reasons, column = reasons_of(name), resolve(name)
    assert reasons is not None
    assert reasons.version.endswith(column.info["version"])
    found = explain(run_all(Run([column], cells, 60.0)), reasons.deviation)
    assert found.cells
    assert [(result.name, failure.check) for result, failure in found.unexplained] == []
