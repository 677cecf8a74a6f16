"""What becomes of an edit: the cells that execute it are judged until one of them notices."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.sharedctypes import RawValue
from typing import Any, Literal

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell, models_of
from tokenspec.models import Row, specs
from tokenspec.power.edits import Edit
from tokenspec.power.forks import Died, Task, in_forks
from tokenspec.power.loading import fresh_adapter, module_name
from tokenspec.power.reach import Reach, Reached, Seen
from tokenspec.power.rows import row_at_hand
from tokenspec.power.users import Users
from tokenspec.runner import Run
from tokenspec.verdict import NON_CONFORMANT, CellResult, Verdict

What = Literal["killed", "warned", "crashed", "survived", "equivalent"]
"""A check of a MUST failed; one of a SHOULD only; the adapter raised only; no cell noticed; no cell can."""

LOOKED_PAST = 100
"""Cells that are judged after a crash, to find a check that notices the edit, too."""

LEAST = 5.0
"""Seconds that one call, and all calls of an edit on one row, may take at least."""

SLOW_ONES = 3
"""Calls without an answer in time after which an edit that crashed is judged no further."""

DEATHS = 3
"""Processes that an edit may end before it is judged no further."""

ENDED = "its process was ended, for its time or by the system"

TIMES = 5.0
"""So many times what the unedited reference takes may an edited one take."""


@dataclass
class Fate:
    """What became of one edit.

    Attributes:
        edit: the edit.
        what: the outcome.
        by: the check that noticed, or the error of a crash.
        cell: the cell that noticed.
        judged: how many cells were judged.
        crashes: the first error of the adapter, with its cell.
        warning: the first check of a SHOULD that failed, with its cell.
        past: cells judged after it.
        deaths: cells that ended the process they were judged in.
    """

    edit: Edit
    what: What | None = None
    by: str = ""
    cell: str = ""
    judged: int = 0
    crash: tuple[str, str] | None = None
    warning: tuple[str, str] | None = None
    past: int = 0
    deaths: int = 0


Cells = list[tuple[Cell, Seen]]


@dataclass(frozen=True)
class Trial:
    """What a process found out of one edit on one row.

    Attributes:
        judged: how many cells were judged.
        killer: the check that noticed, and its cell.
        crash: the first error of the adapter, and its cell.
        past: cells judged after that.
        warning: the first check of a SHOULD that failed, and its cell.
        case: of the cell that noticed.
    """

    judged: int
    killer: tuple[str, str] | None
    crash: tuple[str, str] | None
    past: int
    warning: tuple[str, str] | None = None
    case: str = ""


@dataclass
class Judge:
    """Judges edits, row by row.

    Attributes:
        reach: which cells execute what.
        users: which statements use what.
        fates: of the edits, by id.
        on_fate: sees each that is decided.
        killers: cases that noticed an edit of a function, the last first.
    """

    reach: Reach
    users: Users
    fates: dict[str, Fate]
    on_fate: Callable[[Fate], None]
    killers: dict[tuple[str, str], deque[str]] = field(default_factory=dict)

    @property
    def undecided(self) -> list[Fate]:
        """Those that no cell noticed so far."""
        return [fate for fate in self.fates.values() if fate.what is None]

    def judge(self, row: str, jobs: int) -> None:
        """Judge the undecided on the cells of a row; those behind a cell that ends the process in another one."""
        left = {fate.edit.id: cells for fate in self.undecided if (cells := self._cells(fate, row))}
        if not left:
            return
        with row_at_hand(row) as models:
            while left:
                tried_now: dict[str, tuple[Cells, Any]] = {}
                behind: dict[str, Cells] = {}
                for id_, found in in_forks(self._tasks(left, models, tried_now), jobs):
                    if isinstance(found, Died):
                        behind[id_] = self._bury(self.fates[id_], *tried_now[id_])
                    else:
                        self._learn(self.fates[id_], found)
                left = {id_: cells for id_, cells in behind.items() if cells and self.fates[id_].what is None}

    def end(self) -> None:
        """Decide the others: no row is left."""
        for fate in self.undecided:
            self._give_up(fate)

    def _cells(self, fate: Fate, row: str) -> Cells:
        """The cells of a row that may notice an edit."""
        users = self.users.of(fate.edit.source, fate.edit.statement)
        there = (reached for (own, _), reached in self.reach.found.items() if own == row)
        return [one for reached in there for one in ordered(reached, users)]

    def _tasks(
        self, left: Mapping[str, Cells], models: Mapping[str, Row], tried_now: dict[str, tuple[Cells, Any]]
    ) -> Iterator[Task]:
        """One process an edit; ``tried_now`` keeps its cells in order, and where it tells which of them it is at."""
        for id_, cells in left.items():
            fate = self.fates[id_]
            rank = {case: place for place, case in enumerate(self.killers.get(_place(fate), ()))}
            first = sorted(cells, key=lambda one: rank.get(one[0].case.id, len(rank)))
            seconds = 2 * LEAST + TIMES * sum(seen.seconds for _, seen in cells)
            tried_now[id_] = first, RawValue("i", 0)
            work = partial(tried, fate.edit, first, models, LOOKED_PAST - fate.past, tried_now[id_][1])
            yield Task(id_, work, seconds)

    def _bury(self, fate: Fate, cells: Cells, at: Any) -> Cells:
        """Learn from a process that was ended; the cells behind the one it was at."""
        met, behind = cells[: at.value + 1], cells[at.value + 1 :]
        fate.judged += len(met)
        fate.deaths += 1
        fate.crash = fate.crash or (ENDED, met[-1][0].name)
        if fate.deaths >= DEATHS:
            self._give_up(fate)
        return behind

    def _learn(self, fate: Fate, found: Trial) -> None:
        fate.judged += found.judged
        fate.past += found.past
        fate.crash = fate.crash or found.crash
        fate.warning = fate.warning or found.warning
        if found.killer is not None:
            self.killers.setdefault(_place(fate), deque(maxlen=8)).appendleft(found.case)
            self._decide(fate, "killed", *found.killer)
        elif fate.crash is not None and fate.past >= LOOKED_PAST:
            self._give_up(fate)

    def _give_up(self, fate: Fate) -> None:
        """Decide an edit after which no check of a MUST failed."""
        if fate.warning is not None:
            self._decide(fate, "warned", *fate.warning)
        elif fate.crash is not None:
            self._decide(fate, "crashed", *fate.crash)
        else:
            self._decide(fate, "survived", "", "")

    def _decide(self, fate: Fate, what: What, by: str, cell: str) -> None:
        fate.what, fate.by, fate.cell = what, by, cell
        self.on_fate(fate)


def _place(fate: Fate) -> tuple[str, str]:
    return fate.edit.file, fate.edit.within


def is_quick(row: str) -> bool:
    """Whether it is loaded in no time: these rows come first."""
    return all(specs()[model].status == "toy" for model in models_of(row))


def ordered(reached: Reached, users: Sequence[tuple[str, int]]) -> Cells:
    """The cells that execute one of these statements, likeliest to notice first.

    First one of each way through the reference, the quick ones before the slow ones; cells that may only use what
    others left behind come last.
    """
    direct, after = reached.through(users)
    seen = reached.measured.seen
    met: Counter[int] = Counter()
    rank = {}
    for number in sorted(direct, key=lambda one: seen[one].seconds):
        rank[number] = (met[seen[number].path], seen[number].seconds)
        met[seen[number].path] += 1
    first = sorted(rank, key=lambda number: rank[number])
    return [(reached.cells[number], seen[number]) for number in [*first, *after]]


def tried(edit: Edit, cells: Sequence[tuple[Cell, Seen]], rows: Mapping[str, Row], past: int, at: Any = None) -> Trial:
    """Judge an edited reference on cells of one row, until one notices; ``at`` is told how many are judged."""
    try:
        adapter = fresh_adapter({module_name(edit.file): edit.program()})
    except Exception as error:  # noqa: BLE001 - whatever the edited module raises
        return Trial(0, None, (f"{type(error).__name__}: {error}", "when it is loaded"), past)
    usual = {cell.name: seen for cell, seen in cells}
    column = InProcess("edited", adapter)
    run = Run([column], [cell for cell, _ in cells], LEAST + TIMES * max(seen.seconds for _, seen in cells))
    judged = since = slow = 0
    crash: tuple[str, str] | None = None
    warning: tuple[str, str] | None = None
    for result in run.judge_row(column, run.cells, rows):
        judged += 1
        if at is not None:
            at.value = judged
        since += crash is not None
        slow += bool(result.slow)
        noticed = noticed_by(result, usual[result.name].other)
        if noticed:
            return Trial(judged, (noticed, result.name), crash, since, warning, result.case)
        warning = warning or warning_in(result, usual[result.name].other)
        crash = crash or error_in(result, usual[result.name].other)
        if crash is not None and (slow >= SLOW_ONES or since >= past):
            return Trial(judged, None, crash, past, warning)
    return Trial(judged, None, crash, since, warning)


def noticed_by(result: CellResult, usual: Mapping[str, str]) -> str:
    """The check that notices, empty where none does.

    An error is no verdict: neither what the adapter raises counts, nor a check that broke over an output. An answer
    that the schema refuses is one, and silence where it breaks a claim; the reference claims everything.
    """
    for found in result.findings:
        was = usual.get(found.check, str(Verdict.PASS))
        if found.verdict in NON_CONFORMANT and was not in NON_CONFORMANT:
            return found.check
        if found.verdict is Verdict.ERROR and was != Verdict.ERROR and found.detail.startswith("result of "):
            return "schema"
    return ""


def warning_in(result: CellResult, usual: Mapping[str, str]) -> tuple[str, str] | None:
    """The first check of a SHOULD that the unedited reference passes on a cell and the edited one does not."""
    for found in result.findings:
        if found.verdict is Verdict.WARNING and usual.get(found.check) != Verdict.WARNING:
            return found.check, result.name
    return None


def error_in(result: CellResult, usual: Mapping[str, str]) -> tuple[str, str] | None:
    """The first error of a cell that the unedited reference answers, with the cell."""
    for found in result.findings:
        if found.verdict is Verdict.ERROR and usual.get(found.check) != Verdict.ERROR:
            return found.detail.partition("\n")[0], result.name
    return None
