"""The power of the suite on a sample of edits."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from tokenspec.areas.check import all_checks
from tokenspec.areas.selection import Selection, keys_of, refuse_unmatched, select_cells
from tokenspec.errors import UnknownName, UsageError
from tokenspec.models import Row
from tokenspec.power.edits import Edit, Source, drawn, read_package
from tokenspec.power.forks import Died, Task, in_forks
from tokenspec.power.judging import Fate, Judge, is_quick
from tokenspec.power.lists import Lists, reason_of
from tokenspec.power.loading import PACKAGE
from tokenspec.power.parts import Part, part_of
from tokenspec.power.reach import OnRow, Reach
from tokenspec.power.rows import row_at_hand
from tokenspec.power.searching import Sought, Way, sought
from tokenspec.power.type_checker import TypeChecker
from tokenspec.power.users import Users
from tokenspec.power.variation import Variation
from tokenspec.verdict import NON_CONFORMANT, Verdict

ALONE = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
"""Processes are made of this one: it must have no threads."""


QUICK = 0.5
"""Seconds that judging a cell may take whose input is varied."""

SLOWEST = 60.0
"""Seconds that a search may take beyond what it is given."""

NOT_CONFORMANT = frozenset({*map(str, NON_CONFORMANT), str(Verdict.ERROR)})

SPARE = 2
"""So many times the edits that are wanted are drawn: of some, types break."""


@dataclass(frozen=True)
class Extent:
    """How much of a part is judged.

    Attributes:
        statements: all that can be edited.
        outside: said by hand not to be judged.
        unreached: executed by no cell.
    """

    statements: int
    outside: int
    unreached: int


class Measuring:
    """The reference and the cells it is judged on, ready for edits."""

    def __init__(
        self, parts: Sequence[Part], lists: Lists, selection: Selection, folder: Path, first: Sequence[str] = ()
    ) -> None:
        """Read the reference.

        ``selection`` narrows what judges these parts, ``folder`` keeps what is measured. With ``first`` the edits
        are drawn from what those rows execute; the other rows are measured for what survives there.

        Raises:
            UnknownName: no row that judges is called so.
        """
        self.lists = lists
        self.sources = read_package(reference_folder())
        all_checks()
        executing = tuple(dict.fromkeys(area for part in parts for area in part.executed_by))
        cells = select_cells(replace(selection, areas=executing))
        refuse_unmatched(selection, keys_of(cells))
        self.parts = {part.name: part for part in parts}
        self.reach = Reach(self.sources, cells, folder)
        for row in first:
            if row not in self.reach.rows:
                raise UnknownName("row", row, sorted(self.reach.rows))
        rows = sorted(self.reach.rows, key=lambda row: not is_quick(row))
        self.first = [row for row in rows if row in first or not first]
        self.later = [row for row in rows if row not in self.first]

    def prepare(self, jobs: int, on_row: OnRow) -> None:
        """Measure what the cells of the first rows execute, and import what the reference will."""
        areas = {area for part in self.parts.values() for area in part.executed_by}
        for row in self.first:
            self._measure(row, areas, jobs, on_row)
        self.users = Users(self.sources)
        self.executed = {
            (file, number) for reached in self.reach.found.values() for file, number in reached.measured.statements
        }

    def is_outside(self, file: str, within: str) -> bool:
        """Whether somebody said that this is not judged."""
        return any(place.has(file, within) for place in self.lists.outside)

    def is_reached(self, source: Source, number: int) -> bool:
        """Whether a cell executes a statement, or what uses it."""
        return any(one in self.executed for one in self.users.of(source, number))

    def extents(self) -> dict[str, Extent]:
        """How much of each part is judged."""
        counts: Counter[tuple[str, str]] = Counter()
        for source in self.sources:
            part = part_of(source.file)
            for number in {edit.statement for edit in source.edits}:
                statement = source.statements[number]
                counts[part, "statements"] += 1
                if self.is_outside(source.file, statement.within):
                    counts[part, "outside"] += 1
                elif not self.is_reached(source, number):
                    counts[part, "unreached"] += 1
        parts = dict.fromkeys(part for part, _ in counts)
        return {
            part: Extent(counts[part, "statements"], counts[part, "outside"], counts[part, "unreached"])
            for part in parts
        }

    def sample(self, count: int, seed: int, files: Sequence[str] = ()) -> list[Edit]:
        """As many edits of each part, of code that is executed by a cell and that the type checker lets in.

        ``files`` are patterns; without any all files of the parts are edited.

        Raises:
            UsageError: no cell executes code of such a file, or no edit was drawn.
        """
        parts = list(self.parts)
        offered: dict[str, list[Edit]] = {part: [] for part in parts}
        for source in self.sources:
            part = part_of(source.file)
            if part in offered and (not files or any(fnmatch(source.file, pattern) for pattern in files)):
                offered[part] += [
                    edit
                    for edit in source.edits
                    if not self.is_outside(source.file, edit.within) and self.is_reached(source, edit.statement)
                ]
        parts = [part for part in parts if offered[part]]
        if not parts:
            raise UsageError(
                f"no cell executes code of {', '.join(files) or 'these parts'}; files are named from the package on"
            )
        shares = {part: count // len(parts) + (place < count % len(parts)) for place, part in enumerate(parts)}
        found = {part: list(drawn(offered[part], SPARE * shares[part], f"{seed} {part}")) for part in parts}
        refused = set(TypeChecker(self.sources).refused([edit for edits in found.values() for edit in edits]))
        sampled = [
            edit
            for part, edits in found.items()
            for edit in islice((one for one in edits if one not in refused), shares[part])
        ]
        if not sampled:
            raise UsageError("no edit was drawn, so nothing is measured; ask for a larger --sample")
        return sampled

    def named(self, ids: Sequence[str]) -> list[Edit]:
        """Edits by their ids.

        Raises:
            UsageError: there is none of that name, as after a change of the reference.
        """
        chosen = (source for source in self.sources if part_of(source.file) in self.parts)
        found = {edit.id: edit for source in chosen for edit in source.edits if edit.id in ids}
        for id_ in ids:
            if id_ not in found:
                raise UsageError(f"no edit {id_!r} of this reference; ids change with the code they are about")
        return list(found.values())

    def judge(self, edits: Sequence[Edit], jobs: int, on_fate: Callable[[Fate], None], on_row: OnRow) -> list[Fate]:
        """What becomes of them, in their order; ``on_row`` sees what is measured of the later rows."""
        fates = {edit.id: Fate(edit) for edit in edits}
        for fate in fates.values():
            if reason := reason_of(fate.edit, self.lists):
                fate.what, fate.by = "equivalent", reason
                on_fate(fate)
        judge = Judge(self.reach, self.users, fates, on_fate)
        for row in self.first:
            judge.judge(row, jobs)
        for row in self.later:
            parts = {part_of(fate.edit.file) for fate in judge.undecided}
            self._measure(row, {area for part in parts for area in self.parts[part].executed_by}, jobs, on_row)
            judge.judge(row, jobs)
        judge.end()
        return list(fates.values())

    def _measure(self, row: str, areas: Container[str], jobs: int, on_row: OnRow) -> None:
        self.reach.measure(row, areas, jobs, on_row)
        for (own, _), reached in self.reach.found.items():
            for name in reached.measured.modules if own == row else ():
                _import(name)

    def search(
        self, fates: Sequence[Fate], seconds: float, seed: int, jobs: int, on_sought: Callable[[Fate, Sought], None]
    ) -> None:
        """Look for inputs that tell the survivors from the reference, so many seconds for each on each row."""
        left = {fate.edit.id: fate for fate in fates if fate.what == "survived"}
        inputs: dict[str, dict[str, dict[str, object]]] = {}
        for cell in self.reach.cells:
            inputs.setdefault(cell.area.name, {})[cell.case.id] = cell.case.input
        known = {area: Variation(list(found.values())) for area, found in inputs.items()}
        measured = {row for row, _ in self.reach.found}
        for row in (row for row in (*self.first, *self.later) if row in measured):
            with row_at_hand(row) as models:
                searches = self._searches(list(left.values()), row, models, known, seconds, seed)
                for id_, found in in_forks(searches, jobs):
                    came = Sought() if isinstance(found, Died) else found
                    on_sought(left[id_], came)
                    if came.found is not None:
                        del left[id_]

    def _searches(
        self,
        fates: Sequence[Fate],
        row: str,
        models: Mapping[str, Row],
        known: Mapping[str, Variation],
        seconds: float,
        seed: int,
    ) -> Iterator[Task]:
        for fate in fates:
            ways = self._ways_to_vary(fate, row)
            if ways:
                work = partial(sought, fate.edit, ways, models, known, seconds, f"{seed} {fate.edit.id} {row}")
                yield Task(fate.edit.id, work, 4 * seconds + SLOWEST)

    def _ways_to_vary(self, fate: Fate, row: str) -> list[Way]:
        """The cells of a row that execute an edited statement, quick ones that the reference conforms in, by way."""
        users = self.users.of(fate.edit.source, fate.edit.statement)
        found: dict[tuple[str, int], Way] = {}
        for (own, area), reached in self.reach.found.items():
            for number in reached.through(users)[0] if own == row else ():
                cell, seen = reached.cells[number], reached.measured.seen[number]
                plain = not cell.borrowed and cell.normalisation is None
                if plain and seen.seconds < QUICK and NOT_CONFORMANT.isdisjoint(seen.other.values()):
                    way = found.setdefault((area, seen.path), Way())
                    way.cells.append(cell)
                    way.seconds += seen.seconds
        return list(found.values())


def have_no_threads() -> None:
    """For a process that others are made of; called before anything else is imported."""
    os.environ.update(ALONE)
    with suppress(ImportError):
        importlib.import_module("torch").set_num_threads(1)


def reference_folder() -> Path:
    """Where the reference's package lies.

    Raises:
        UsageError: it is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UsageError(f"{PACKAGE} is not installed; it is what is edited")
    return Path(spec.origin).parent


def _import(name: str) -> None:
    with suppress(Exception):  # what is not there is not used, or is missed where it is
        importlib.import_module(name)
