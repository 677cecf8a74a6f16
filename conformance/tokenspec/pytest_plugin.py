"""The pytest plugin. Inert unless ``--impl`` (or ``--tokenspec-bless``) is given: it collects and costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .adapters import Column
    from .areas import Cell
    from .select import Selection
    from .verdict import CellResult

    Judgement = Callable[[], CellResult]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--impl`` and the selection options, as on the command line."""
    group = parser.getgroup("tokenspec")
    group.addoption("--impl", action="append", default=[], help="Implementation to judge; repeatable.")
    group.addoption("--tokenspec-area", action="append", default=[], help="Only this area; repeatable.")
    group.addoption("--tokenspec-row", action="append", default=[], help="Only this model row; repeatable.")
    group.addoption("--tokenspec-case", action="append", default=[], help="Only this case; repeatable.")
    group.addoption("--tokenspec-status", action="append", default=[], help="Only rows of this status; repeatable.")
    group.addoption("--tokenspec-timeout", type=float, default=10.0, help="Seconds one call may take.")
    group.addoption(
        "--known-failures", action="append", default=[], help="List of known failures (TOML), strict; one a column."
    )
    group.addoption("--tokenspec-bless", action="store_true", help="Collect the goldens to compare with their oracle.")


def pytest_configure(config: pytest.Config) -> None:
    """Read the lists of known failures, if any are given."""
    if config.getoption("--known-failures"):
        from .errors import UsageError
        from .known_failures.pytest_face import KnownFailureSession

        try:
            lists = KnownFailureSession([Path(text) for text in config.getoption("--known-failures")])
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        config.pluginmanager.register(lists, "tokenspec-known-failures")


def selection_of(config: pytest.Config) -> Selection:
    """The selection out of pytest's options."""
    from .select import Selection

    return Selection(
        areas=tuple(config.getoption("--tokenspec-area")),
        rows=tuple(config.getoption("--tokenspec-row")),
        cases=tuple(config.getoption("--tokenspec-case")),
        statuses=tuple(config.getoption("--tokenspec-status")),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Multiply the two suite functions by cells and columns."""
    from .areas.protocol import within_reach
    from .select import select_cells

    config = metafunc.config
    if "tokenspec_judgement" in metafunc.fixturenames:
        impls = config.getoption("--impl")
        cells = within_reach(select_cells(selection_of(config)), impls) if impls else []
        pairs = [(impl, cell) for cell in cells for impl in impls]
        metafunc.parametrize(
            "tokenspec_judgement", pairs, ids=[f"{impl}-{cell.name}" for impl, cell in pairs], indirect=True
        )
    if "tokenspec_blessed_cell" in metafunc.fixturenames:
        wanted = config.getoption("--tokenspec-bless")
        found = select_cells(selection_of(config), with_goldens=False) if wanted else []
        cells = [cell for cell in found if cell.area.oracle]
        metafunc.parametrize("tokenspec_blessed_cell", cells, ids=[cell.name for cell in cells])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the placeholder items that empty parametrization leaves behind, so that inert means inert."""
    suite = ("tokenspec_judgement", "tokenspec_blessed_cell")
    empty = [
        item
        for item in items
        if any(name in getattr(item, "fixturenames", ()) for name in suite) and "NOTSET" in item.name
    ]
    if empty:
        config.hook.pytest_deselected(items=empty)
        items[:] = [item for item in items if item not in empty]


@pytest.fixture(scope="session")
def tokenspec_columns(request: pytest.FixtureRequest) -> Iterator[dict[str, Column]]:
    """The columns of this session, resolved on first use."""
    from .adapters.resolve import resolve
    from .fixtures.guard import untouched

    impls = request.config.getoption("--impl")
    with untouched(impls):
        columns = {impl: resolve(impl) for impl in impls}
        yield columns
        for column in columns.values():
            column.close()


@pytest.fixture
def tokenspec_judgement(request: pytest.FixtureRequest, tokenspec_columns: dict[str, Column]) -> Judgement:
    """Judge one cell with one column when called."""
    from .runner import Run

    impl, cell = request.param
    timeout = request.config.getoption("--tokenspec-timeout")
    known = request.config.pluginmanager.get_plugin("tokenspec-known-failures")

    def judged() -> CellResult:
        result = next(iter(Run([tokenspec_columns[impl]], [cell], timeout)))
        return result if known is None else known.judge(request.node, list(tokenspec_columns.values()), result)

    return judged


@pytest.fixture
def tokenspec_blessed_cell(request: pytest.FixtureRequest) -> Cell:
    """One cell whose golden is compared with the oracle."""
    cell: Cell = request.param
    return cell
