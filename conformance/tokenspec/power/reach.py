"""Which cells execute which statements of the reference, measured once and kept for as long as it is true."""

from __future__ import annotations

import builtins
import hashlib
import sys
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec

from tokenspec.adapters import Outcome
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.area import Cell
from tokenspec.errors import LOST, WorkersLost
from tokenspec.models import AssetsMissing, Row
from tokenspec.models.assets import assets_of
from tokenspec.power.edits import Source
from tokenspec.power.forks import Died, Task, in_forks
from tokenspec.power.loading import PACKAGE, fresh_adapter, module_name
from tokenspec.power.rows import by_row, row_at_hand
from tokenspec.power.statements import COUNTS, instrumented
from tokenspec.runner import Run
from tokenspec.verdict import Verdict

FORMAT = 1
PATIENT = 300.0
"""Seconds one call may take while it is measured."""

LONGEST = 3600.0
"""Seconds all calls of one row in one area may take."""


OnRow = Callable[[str, str, int], None]
"""Sees each row and area that is measured, and how many cells it has."""


class Seen(msgspec.Struct, frozen=True):
    """What was seen of one cell.

    Attributes:
        case: its id.
        path: the statements it executes, as the place of their list in ``Measured.paths``.
        seconds: what judging it took.
        other: the verdicts of checks that are not a pass, by the check's name.
    """

    case: str
    path: int
    seconds: float
    other: dict[str, str]


class Measured(msgspec.Struct, frozen=True):
    """One row in one area.

    Attributes:
        format: of this file.
        cells: the digest of the cells and of what judges them.
        files: the digest of each file of the reference that was loaded.
        modules: what else was imported for it.
        statements: (file, statement) of all that was executed.
        paths: lists of places in ``statements``: the different ways through the reference.
        kept: places in ``statements`` of what is executed once for many cells, because its result is kept.
        seen: a record for each cell.
    """

    format: int
    cells: str
    files: dict[str, str]
    modules: list[str]
    statements: list[tuple[str, int]]
    paths: list[list[int]]
    kept: list[int]
    seen: list[Seen]


@dataclass(frozen=True)
class Reached:
    """A row in one area with what was measured of it."""

    cells: Sequence[Cell]
    measured: Measured

    @cached_property
    def place(self) -> dict[tuple[str, int], int]:
        """Where a statement is in ``Measured.statements``."""
        return {(file, number): index for index, (file, number) in enumerate(self.measured.statements)}

    @cached_property
    def bits(self) -> list[int]:
        """The paths as bits."""
        return [sum(1 << index for index in set(path)) for path in self.measured.paths]

    @cached_property
    def kept(self) -> frozenset[int]:
        """As in ``Measured``."""
        return frozenset(self.measured.kept)

    def through(self, statements: Sequence[tuple[str, int]]) -> tuple[list[int], list[int]]:
        """The cells that execute one of these statements, and those that may use what came of it earlier."""
        places = [self.place[one] for one in statements if one in self.place]
        wanted = sum(1 << index for index in set(places))
        if not wanted:
            return [], []
        direct = [number for number, seen in enumerate(self.measured.seen) if self.bits[seen.path] & wanted]
        if self.kept.isdisjoint(places):
            return direct, []
        known = set(direct)
        return direct, [number for number in range(len(self.cells)) if number not in known]


def digest(*parts: bytes | str) -> str:
    """The sha256 of some texts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode() if isinstance(part, str) else part)
        found.update(b"\0")
    return found.hexdigest()


class Reach:
    """What all cells execute.

    Attributes:
        sources: the files of the reference.
        cells: the cells that can be judged here.
        rows: the same by row.
        folder: where measurings are kept.
    """

    def __init__(self, sources: Sequence[Source], cells: Sequence[Cell], folder: Path) -> None:
        """Nothing is measured yet."""
        self.sources = sources
        self.cells = cells
        self.rows = by_row(cells)
        self.folder = folder
        self.found: dict[tuple[str, str], Reached] = {}
        self._files = {source.file: digest(source.where.read_bytes()) for source in sources}

    def measure(self, row: str, areas: Container[str], jobs: int, on_row: OnRow) -> None:
        """Measure what is not known yet of a row in these areas; nothing where the row is not here."""
        groups: dict[str, list[Cell]] = {}
        for cell in self.rows[row]:
            if cell.area.name in areas:
                groups.setdefault(cell.area.name, []).append(cell)
        for name, group in list(groups.items()):
            known = self._read(row, name, group)
            if known is not None:
                self.found[row, name] = Reached(group, known)
                on_row(row, name, len(group))
                del groups[name]
        if not groups:
            return
        with suppress(AssetsMissing), row_at_hand(row) as rows:
            tasks = (
                Task(name, partial(measured, self.sources, group, rows), LONGEST) for name, group in groups.items()
            )
            for name, found in in_forks(tasks, jobs):
                if isinstance(found, Died):
                    raise WorkersLost(f"{row} {name}: {LOST} --jobs 1")
                self._keep(row, name, groups[name], found)
                on_row(row, name, len(groups[name]))

    def _read(self, row: str, area: str, cells: Sequence[Cell]) -> Measured | None:
        try:
            found = msgspec.msgpack.decode(self._path(row, area).read_bytes(), type=Measured)
        except (OSError, msgspec.DecodeError):
            return None
        same = found.format == FORMAT and found.cells == self._cells(cells)
        return found if same and all(self._files.get(file) == was for file, was in found.files.items()) else None

    def _keep(self, row: str, area: str, cells: Sequence[Cell], found: dict[str, Any]) -> None:
        files = {file: self._files[file] for file in found.pop("loaded")}
        known = Measured(FORMAT, self._cells(cells), files, **found)
        self.found[row, area] = Reached(cells, known)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(row, area).write_bytes(msgspec.msgpack.encode(known))

    def _path(self, row: str, area: str) -> Path:
        return self.folder / f"{area}@{row}.msgpack"

    def _cells(self, cells: Sequence[Cell]) -> str:
        written = [msgspec.json.encode((cell.case, cell.golden)) for cell in cells]
        return digest(*_judges(cells[0].area.name), *written)


@cache
def _judges(area: str) -> list[bytes]:
    """The files that say what is asked in an area, and how it is judged."""
    package = Path(__file__).resolve().parents[1]
    folder = package / "areas" / area.replace("-", "_")
    files = [package / "runner.py", *sorted(folder.glob("*.py")), *sorted(folder.glob("checks/*.py"))]
    return [path.read_bytes() for path in files if path.name not in {"bench.py", "exhibit.py"}]


class _Counting(InProcess):
    """Keeps what the first call of a cell executed apart from what the checks ask besides."""

    def __init__(self, adapter: object, counts: list[int]) -> None:
        super().__init__("reference", adapter)
        self.counts = counts
        self.first: list[int] = []
        self.loaded = False

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        return None if self.loaded else super().load(model, assets)

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        outcome = super().call(operation, case, request, timeout)
        self.first = self.first or list(self.counts)
        return outcome


def measured(sources: Sequence[Source], cells: Sequence[Cell], rows: Mapping[str, Row]) -> dict[str, Any]:
    """Judge cells with a reference that counts its statements.

    Each cell is asked once more: what is executed less often then, or when the reference is loaded, left something
    behind that other cells may use.
    """
    programs: dict[str, CodeType] = {}
    owner: list[tuple[str, int]] = []
    for source in sources:
        programs[module_name(source.file)] = compile(instrumented(source.tree, len(owner)), str(source.where), "exec")
        owner += [(source.file, number) for number in range(len(source.statements))]
    nothing = [0] * len(owner)
    counts = list(nothing)
    setattr(builtins, COUNTS, counts)
    before = set(sys.modules)
    column = _Counting(fresh_adapter(programs), counts)
    column.prepare(cells[0].area.operation)
    counts[:] = nothing
    run = Run([column], cells, PATIENT)
    for model, row in rows.items():
        column.load(model, assets_of(row))
    column.loaded = True
    kept = {place for place, count in enumerate(counts) if count}
    places: dict[int, int] = {}
    paths: dict[tuple[int, ...], int] = {}
    seen = []
    for cell in cells:
        counts[:], column.first = nothing, []
        begun = time.process_time()
        (result,) = run.judge_row(column, [cell], rows)
        seconds = time.process_time() - begun
        executed = tuple(places.setdefault(place, len(places)) for place, count in enumerate(counts) if count)
        counts[:] = nothing
        run.call(column, cell, cell.request())
        kept |= {place for place, (was, now) in enumerate(zip(column.first, counts, strict=True)) if was > now}
        other = {found.check: str(found.verdict) for found in result.findings if found.verdict is not Verdict.PASS}
        seen.append(Seen(cell.case.id, paths.setdefault(executed, len(paths)), seconds, other))
    return {
        "loaded": [source.file for source in sources if module_name(source.file) in sys.modules],
        "modules": sorted(name for name in set(sys.modules) - before if not name.startswith(PACKAGE)),
        "statements": [owner[place] for place in places],
        "paths": [list(path) for path in paths],
        "kept": [places[place] for place in kept if place in places],
        "seen": seen,
    }
