"""A run tells set-up, answers and judging apart, area by area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.report.printing import printed
from tokenspec import runner
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.report.terminal import print_times
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult
from tokenspec_reference.adapter import ReferenceAdapter

LOADING, ANSWERING, JUDGING = 1000.0, 10.0, 0.25


class Clock:
    """It goes on where it is told to, so that what is counted is known to the second."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Slow(ReferenceAdapter):
    """The reference, whose every load and answer takes its time on that clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        self.clock.now += LOADING
        super().load(model, assets)

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        self.clock.now += ANSWERING
        return super().render(request)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found, judge = Clock(), runner.judge

    def slowly(*given: Any) -> Any:
        found.now += JUDGING
        return judge(*given)

    monkeypatch.setattr(runner, "time", found)
    monkeypatch.setattr(runner, "judge", slowly)
    return found


def test_loading_answering_and_judging_are_counted_apart(clock: Clock) -> None:
    cells = select_cells(Selection(cases=("render/role-user", "render/unicode-cjk"), rows=("toy-bpe", "toy-ranks")))
    columns = [InProcess(name, Slow(clock)) for name in ("one", "two")]
    found = run_all(Run(columns, cells, 60.0, comparing=True))
    assert len(found) == 8
    assert [result.setup for result in found] == [LOADING, 0.0] * 4
    assert {result.seconds for result in found} == {ANSWERING}
    assert all(len(result.findings) > 1 for result in found)
    assert [result.judging for result in found] == [pytest.approx(JUDGING * len(result.findings)) for result in found]
    judged = sum(len(result.findings) for result in found) * JUDGING
    assert printed(print_times, found) == f"  render: 4000.0 s set-up, 80.0 s answers, {judged:.1f} s judging\n"


def test_each_area_has_its_own_line() -> None:
    def result(area: str, setup: float, answer: float, judging: float) -> CellResult:
        return CellResult(
            impl="mine",
            area=area,
            row="toy",
            case=f"{area}/one",
            findings=[],
            setup=setup,
            seconds=answer,
            judging=judging,
        )

    results = [result("render", 2.0, 1.0, 3.0), result("parse", 0.0, 0.5, 0.0), result("render", 0.0, 0.5, 0.5)]
    assert printed(print_times, results).splitlines() == [
        "  render: 2.0 s set-up, 1.5 s answers, 3.5 s judging",
        "  parse: 0.0 s set-up, 0.5 s answers, 0.0 s judging",
    ]
