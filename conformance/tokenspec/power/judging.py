"""What becomes of an edit: the cells that execute it are judged until one of them notices."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.models import Row
from tokenspec.power.edits import Edit
from tokenspec.power.forks import Died, Task, in_forks
from tokenspec.power.loading import fresh_adapter, module_name
from tokenspec.power.reach import Reach, Reached, Seen
from tokenspec.power.rows import row_at_hand
from tokenspec.power.users import Users
from tokenspec.runner import Run
from tokenspec.verdict import NON_CONFORMANT, Verdict

What = Literal["killed", "crashed", "survived", "equivalent"]

CLAIMS = "claims"
"""What kills an edit that makes the reference say ``unsupported`` where it answers."""

LOOKED_PAST = 100
"""Cells that are judged after a crash, to find a check that notices the edit, too."""

LEAST = 5.0
"""Seconds that one call, and all calls of an edit on one row, may take at least."""

TIMES = 5.0
"""So many times what the unedited reference takes may an edited one take."""


@dataclass
class Fate:
    """What became of one edit.

    Attributes:
        edit: the edit.
        what: the outcome.
        by: the check that noticed, ``claims``, or the error of a crash.
        cell: the cell that noticed.
        judged: how many cells were judged.
        crashes: the first error of the adapter, with its cell.
        past: cells judged after it.
    """

    edit: Edit
    what: What | None = None
    by: str = ""
    cell: str = ""
    judged: int = 0
    crash: tuple[str, str] | None = None
    past: int = 0


@dataclass(frozen=True)
class Trial:
    """What a process found out of one edit on one row: ``killer`` is (check, cell), ``crash`` (error, cell)."""

    judged: int
    killer: tuple[str, str] | None
    crash: tuple[str, str] | None
    past: int


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

    def judge(self, jobs: int) -> None:
        """Decide all of them."""
        wanted: dict[str, dict[str, list[tuple[Cell, Seen]]]] = {}
        for fate in self.fates.values():
            if fate.what is not None:
                continue
            users = self.users.of(fate.edit.source, fate.edit.statement)
            for (row, _), reached in self.reach.found.items():
                cells = ordered(reached, users)
                if cells:
                    wanted.setdefault(row, {}).setdefault(fate.edit.id, []).extend(cells)
        for row in sorted(wanted, key=_row_order(self.reach)):
            left = {id_: cells for id_, cells in wanted[row].items() if self.fates[id_].what is None}
            if not left:
                continue
            with row_at_hand(row) as rows:
                for id_, found in in_forks(self._tasks(left, rows), jobs):
                    self._learn(self.fates[id_], found)
        for fate in self.fates.values():
            if fate.what is None:
                self._decide(fate, "crashed" if fate.crash else "survived", *(fate.crash or ("", "")))

    def _tasks(self, left: Mapping[str, list[tuple[Cell, Seen]]], rows: Mapping[str, Row]) -> Iterator[Task]:
        for id_, cells in left.items():
            fate = self.fates[id_]
            known = self.killers.get((fate.edit.file, fate.edit.within), deque())
            first = sorted(
                cells, key=lambda one: known.index(one[0].case.id) if one[0].case.id in known else len(known)
            )
            seconds = LEAST + TIMES * sum(seen.seconds for _, seen in cells)
            yield Task(id_, partial(tried, fate.edit, first, rows, LOOKED_PAST - fate.past), LEAST + seconds)

    def _learn(self, fate: Fate, found: Trial | Died) -> None:
        if isinstance(found, Died):
            self._decide(fate, "crashed", "no end within the time limit", "")
            return
        fate.judged += found.judged
        fate.past += found.past
        fate.crash = fate.crash or found.crash
        if found.killer is not None:
            case = found.killer[1]
            self.killers.setdefault((fate.edit.file, fate.edit.within), deque(maxlen=8)).appendleft(_case_of(case))
            self._decide(fate, "killed", *found.killer)
        elif fate.crash is not None and fate.past >= LOOKED_PAST:
            self._decide(fate, "crashed", *fate.crash)

    def _decide(self, fate: Fate, what: What, by: str, cell: str) -> None:
        fate.what, fate.by, fate.cell = what, by, cell
        self.on_fate(fate)


def _case_of(name: str) -> str:
    area, _, rest = name.partition("/")
    return f"{area}/{rest.partition('/')[2]}"


def _row_order(reach: Reach) -> Callable[[str], tuple[bool, int]]:
    rows = list(dict.fromkeys(row for row, _ in reach.found))
    return lambda row: (not all(part.startswith("toy-") or part == "-" for part in row.split("+")), rows.index(row))


def ordered(reached: Reached, users: Sequence[tuple[str, int]]) -> list[tuple[Cell, Seen]]:
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


def tried(edit: Edit, cells: Sequence[tuple[Cell, Seen]], rows: Mapping[str, Row], past: int) -> Trial:
    """Judge an edited reference on cells of one row, until one notices."""
    try:
        adapter = fresh_adapter({module_name(edit.file): edit.program()})
    except Exception as error:  # noqa: BLE001 - whatever the edited module raises
        return Trial(0, None, (f"{type(error).__name__}: {error}", "when it is loaded"), past)
    column = InProcess("edited", adapter)
    usual = {cell.name: seen for cell, seen in cells}
    limit = LEAST + TIMES * max(seen.seconds for _, seen in cells)
    run = Run([column], [cell for cell, _ in cells], limit)
    judged = since = 0
    crash: tuple[str, str] | None = None
    for result in run.judge_row(column, run.cells, rows):
        judged += 1
        since += crash is not None
        other = usual[result.name].other
        slow = False
        for found in result.findings:
            was = other.get(found.check, str(Verdict.PASS))
            if was == found.verdict:
                continue
            if found.verdict in NON_CONFORMANT:
                return Trial(judged, (found.check, result.name), crash, since)
            if found.verdict is Verdict.UNSUPPORTED and was == Verdict.PASS:
                return Trial(judged, (CLAIMS, result.name), crash, since)
            if found.verdict is Verdict.ERROR:
                crash = crash or (found.detail.partition("\n")[0], result.name)
                slow = slow or bool(found.slow)
        if crash is not None and (since >= past or slow):
            return Trial(judged, None, crash, past)
    return Trial(judged, None, crash, since)
