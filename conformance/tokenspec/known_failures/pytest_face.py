"""``pytest --tokenspec-known-failures FILE``: the same lists in the pytest face, also through xdist.

Every judged cell leaves what the list met in its item's user properties; where the session ends they are put together,
because only then it is known what was never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tokenspec.adapters import Column
from tokenspec.verdict import CellResult

from .entries import load_known_failures
from .judging import Ledger, Sighting, judge_known, ledgers_for, transformers_version

PROPERTY = "tokenspec-known-failures"


class KnownFailureSession:
    """The lists of one pytest session. Registered as a plugin only when a list is given."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Read the lists, so that a malformed one ends the session before it starts."""
        self.known = [load_known_failures(path) for path in paths]
        self.ledgers: dict[str, Ledger] | None = None
        self.put_together: dict[str, Ledger] = {}

    def read(self, path: Path) -> None:
        """One list more, unless it is there already."""
        known = load_known_failures(path)
        if known.file not in {one.file for one in self.known}:
            self.known.append(known)

    def judge(self, item: pytest.Item, columns: Sequence[Column], result: CellResult) -> CellResult:
        """One cell in the light of its column's list; what the list met stays with the item."""
        if self.ledgers is None:
            self.ledgers = ledgers_for(self.known, columns)
        ledger = self.ledgers.get(result.impl)
        if ledger is None:
            return result
        ledger.seen.clear()
        judged = judge_known(ledger, result)
        met = [[number, str(sighting), cells] for (number, sighting), cells in ledger.seen.items()]
        of = {"file": ledger.known.file, "impl": result.impl, "version": ledger.version}
        item.user_properties.append((PROPERTY, {**of, "met": met}))
        return judged

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what was met, in this process or in a worker's."""
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == PROPERTY:
                self._add(value)  # type: ignore[arg-type]  # typed object by pytest; what `judge` put there

    def _add(self, met: dict[str, Any]) -> None:
        ledger = self.put_together.get(met["impl"])
        if ledger is None:
            known = next(one for one in self.known if one.file == met["file"])
            ledger = Ledger(known, met["impl"], met["version"], transformers_version())
            self.put_together[met["impl"]] = ledger
        for number, sighting, cells in met["met"]:
            for cell in cells:
                ledger.note(number, Sighting(sighting), cell)

    @property
    def complaints(self) -> list[str]:
        """Everything the lists get wrong."""
        return [line for ledger in self.put_together.values() for line in ledger.complaints()]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A list that is wrong fails the session, though every item passed."""
        if not hasattr(session.config, "workerinput") and self.complaints and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how far the lists hold and what is wrong with them."""
        terminalreporter.section("known failures")
        for ledger in self.put_together.values():
            listed = sum(len(cells) for (_, kind), cells in ledger.seen.items() if kind is Sighting.AS_LISTED)
            terminalreporter.write_line(f"{ledger.impl}: {listed} verdicts fail as {ledger.known.file} lists")
        for line in self.complaints:
            terminalreporter.write_line(line)
