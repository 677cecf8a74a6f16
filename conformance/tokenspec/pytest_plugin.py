"""The pytest plugin: it does nothing without ``--tokenspec-impl``, or a ``Conformance`` in a test module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell
    from tokenspec.areas.selection import Selection

    from .adapters import Column
    from .known_failures.pytest_face import KnownFailureSession
    from .suite.findings import Judgement
    from .verdict import CellResult


KNOWN_FAILURES = "tokenspec-known-failures"
SLOW = "tokenspec-slow"
COLUMNS = pytest.StashKey[dict[str, Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of ``tokenspec run``, each with the project's own prefix: another project may have an ``--impl``."""
    group = parser.getgroup("tokenspec")
    group.addoption("--tokenspec-impl", action="append", default=[], help="Implementation to judge; repeatable.")
    group.addoption("--tokenspec-area", action="append", default=[], help="Only this area; repeatable.")
    group.addoption("--tokenspec-row", action="append", default=[], help="Only this model row; repeatable.")
    group.addoption("--tokenspec-case", action="append", default=[], help="Only this case; repeatable.")
    group.addoption("--tokenspec-status", action="append", default=[], help="Only rows of this status; repeatable.")
    group.addoption("--tokenspec-timeout", type=float, default=10.0, help="Seconds one call may take.")
    group.addoption(
        "--tokenspec-known-failures",
        action="append",
        default=[],
        help="List of known failures (TOML), strict; one a column.",
    )
    group.addoption(
        "--tokenspec-bless",
        action="store_true",
        help="Compare goldens with their oracle; so does --snapshot-update.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the lists of known failures, if any are given."""
    if config.getoption("--tokenspec-known-failures"):
        from .errors import UsageError

        try:
            for text in config.getoption("--tokenspec-known-failures"):
                known_failures_of(config).read(Path(text))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error


def selection_of(config: pytest.Config) -> Selection:
    """The selection out of pytest's options."""
    from tokenspec.areas.selection import Selection

    return Selection(
        areas=tuple(config.getoption("--tokenspec-area")),
        rows=tuple(config.getoption("--tokenspec-row")),
        cases=tuple(config.getoption("--tokenspec-case")),
        statuses=tuple(config.getoption("--tokenspec-status")),
    )


@dataclass(frozen=True)
class Wanted:
    """One implementation of this session, and what it is judged on."""

    impl: Any
    selection: Selection
    timeout: float

    @property
    def name(self) -> str:
        """The column's name: the text given, or where the object comes from."""
        if isinstance(self.impl, str):
            return self.impl
        kind = self.impl if isinstance(self.impl, type) else type(self.impl)
        return f"{kind.__module__}:{kind.__qualname__}"


def wanted_by(metafunc: pytest.Metafunc) -> list[Wanted]:
    """The implementations a suite function is multiplied by: of its class, or of the command line."""
    from tokenspec.areas.selection import Selection

    from .suite import Conformance

    config = metafunc.config
    if metafunc.cls is None or not issubclass(metafunc.cls, Conformance):
        timeout = config.getoption("--tokenspec-timeout")
        return [Wanted(impl, selection_of(config), timeout) for impl in config.getoption("--tokenspec-impl")]
    mine: type[Conformance] = metafunc.cls
    if mine.impl is None:
        raise pytest.UsageError(f'{mine.__name__}: say what is judged: impl = "my.mod:Adapter"')
    if mine.known_failures is not None:
        known_failures_of(config).read(Path(metafunc.module.__file__).parent / mine.known_failures)
    statuses = () if mine.rows else tuple(mine.statuses)
    selection = Selection(tuple(mine.areas), tuple(mine.rows), tuple(mine.cases), statuses)
    return [Wanted(mine.impl, selection, mine.timeout)]


def known_failures_of(config: pytest.Config) -> KnownFailureSession:
    """The lists of known failures of this session; a plugin of its own once there is one."""
    from .known_failures.pytest_face import KnownFailureSession

    lists = config.pluginmanager.get_plugin(KNOWN_FAILURES)
    if lists is None:
        lists = KnownFailureSession([])
        config.pluginmanager.register(lists, KNOWN_FAILURES)
    return lists


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Multiply the suite functions by cells and columns."""
    from tokenspec.areas.protocol.area import within_reach
    from tokenspec.areas.selection import keys_of, refuse_unmatched, select_cells

    from .errors import TokenspecError

    config = metafunc.config
    if "tokenspec_judgement" in metafunc.fixturenames:
        pairs = []
        try:
            for wanted in wanted_by(metafunc):
                config.stash.setdefault(COLUMNS, {})[wanted.name] = wanted.impl
                selected = select_cells(wanted.selection)
                refuse_unmatched(wanted.selection, keys_of(selected))
                cells = within_reach(selected, [wanted.name])
                pairs += [(wanted, cell) for cell in cells]
        except TokenspecError as error:
            raise pytest.UsageError(str(error)) from error
        names = [f"{wanted.name}-{cell.name}" for wanted, cell in pairs]
        metafunc.parametrize("tokenspec_judgement", pairs, ids=names, indirect=True)
    if "tokenspec_blessed_cell" in metafunc.fixturenames:
        asked = config.getoption("--tokenspec-bless") or config.getoption("update_snapshots", default=False)
        found = select_cells(selection_of(config), with_goldens=False) if asked else []
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
    """The columns of this session, by name."""
    from tokenspec.store.guard import untouched

    from .adapters.resolve import column_of

    impls = request.config.stash.get(COLUMNS, {})
    with untouched(impls):
        columns = {name: column_of(name, impl) for name, impl in impls.items()}
        yield columns
        for column in columns.values():
            column.close()


@pytest.fixture
def tokenspec_judgement(request: pytest.FixtureRequest, tokenspec_columns: dict[str, Column]) -> Judgement:
    """Judge one cell with one column when called."""
    from .runner import Run

    wanted, cell = request.param
    known = request.config.pluginmanager.get_plugin(KNOWN_FAILURES)

    def judged() -> CellResult:
        result = next(iter(Run([tokenspec_columns[wanted.name]], [cell], wanted.timeout)))
        if result.slow:
            request.node.user_properties.append((SLOW, result.slow))
        return result if known is None else known.judge(request.node, list(tokenspec_columns.values()), result)

    return judged


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cells were too slow to judge, also in the workers of pytest-xdist, and the cure."""
    limits = {
        report.nodeid: value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == SLOW
    }
    if limits:
        from .report.slow import told

        terminalreporter.section("too slow to judge")
        terminalreporter.write_line(told(len(limits), max(limits.values()), "--tokenspec-timeout"))


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(report: pytest.TestReport) -> None:
    """A worker of pytest-xdist that is gone: say what ends processes without a word."""
    from .errors import LOST

    report.longrepr = f"{report.longrepr}\n{LOST} -n 1"


@pytest.fixture
def tokenspec_blessed_cell(request: pytest.FixtureRequest) -> Cell:
    """One cell whose golden is compared with the oracle."""
    cell: Cell = request.param
    return cell
