"""``tokenspec mutants --automatic``: how many edits of the reference the suite notices."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection
from tokenspec.cli.screen import screen
from tokenspec.data import cache_dir
from tokenspec.errors import UsageError
from tokenspec.power.edits import Edit
from tokenspec.power.judging import Fate
from tokenspec.power.lists import read_lists, stale
from tokenspec.power.measuring import Extent, Measuring, have_no_threads
from tokenspec.power.parts import chosen_parts, part_of
from tokenspec.power.searching import Sought
from tokenspec.store.canonical import canonical_json
from tokenspec.store.writing import write_atomically

WHAT = {
    "killed": "MUST",
    "warned": "SHOULD",
    "crashed": "crash",
    "survived": "nothing",
    "equivalent": "equal",
}
"""What becomes of an edit, and the head of its column."""


@dataclass(frozen=True)
class Asked:
    """What the command line asks for.

    Attributes:
        areas: parts of the reference, or areas that judge them; empty for all.
        rows: rows to judge on; empty for all that are here.
        first: rows that are asked before the others; empty for no order.
        statuses: as for ``tokenspec run``.
        cases: patterns of the cases that judge; empty for all.
        files: patterns of the files that are edited; empty for all of the parts.
        only: ids of edits, instead of a sample.
        sample: how many edits, as many of each part.
        seed: of the sample.
        jobs: processes at a time.
        at_least: percent of each part that must be noticed.
        search: seconds to look for an input that tells a survivor apart, on each row.
        into: where such inputs are written.
        as_json: a line an edit instead of the table.
    """

    areas: tuple[str, ...]
    rows: tuple[str, ...]
    first: tuple[str, ...]
    statuses: tuple[str, ...]
    cases: tuple[str, ...]
    files: tuple[str, ...]
    only: tuple[str, ...]
    sample: int
    seed: int
    jobs: int
    at_least: float
    search: float
    into: Path | None
    as_json: bool


def measure_power(asked: Asked) -> int:
    """Draw edits, judge them, print; the exit code."""
    parts = chosen_parts(asked.areas)
    if not hasattr(os, "fork"):
        raise UsageError("--automatic makes processes of itself, which this system cannot; use Linux or macOS")
    if asked.into is not None and not asked.search:
        raise UsageError("--into is where --search writes; add --search SECONDS")
    if asked.search and find_spec("hypothesis") is None:
        raise UsageError("--search makes inputs small with hypothesis. Run: pip install 'tokenspec[pytest]'")
    have_no_threads()
    told, console = screen(stderr=True), screen()
    lists = read_lists()
    selection = Selection(rows=asked.rows, statuses=asked.statuses, cases=asked.cases)
    with _kept(asked) as folder:
        measuring = Measuring(parts, lists, selection, folder, asked.first)
        named = measuring.named(asked.only)
        measuring.prepare(asked.jobs, partial(tell_row, told))
        edits = named or measuring.sample(asked.sample, asked.seed, asked.files)
        counts: Counter[str] = Counter()

        def on_fate(fate: Fate) -> None:
            counts[fate.what or ""] += 1
            if asked.as_json:
                print(json.dumps(line_of(fate), ensure_ascii=False), flush=True)
            done = ", ".join(f"{counts[what]} {what}" for what in WHAT if counts[what])
            told.print(f"{counts.total()}/{len(edits)}: {done}", highlight=False)

        fates = measuring.judge(edits, asked.jobs, on_fate, partial(tell_row, told))
    if asked.search:
        measuring.search(fates, asked.search, asked.seed, asked.jobs, partial(tell_search, asked, told))
    old = list(stale(lists, measuring.sources))
    for line in old:
        told.print(f"stale in the lists: {escape(line)}", soft_wrap=True)
    if not asked.as_json:
        print_fates(console, fates, measuring.extents())
    weak = [part for part, share in shares(fates).items() if 100 * share < asked.at_least]
    for part in weak:
        told.print(f"{part}: fewer than {asked.at_least:g} % are noticed")
    return 1 if old or weak else 0


def tell_row(told: Console, row: str, area: str, cells: int) -> None:
    """What cells of a row are known to execute."""
    told.print(f"{row} {area}: {cells} cells", highlight=False)


def tell_search(asked: Asked, told: Console, fate: Fate, came: Sought) -> None:
    """What came of one search: a line for each input, which ``tokenspec fixtures promote`` takes."""
    id_ = fate.edit.id
    if came.doubt is not None:
        told.print(f"{id_}: the reference itself, {came.doubt.by}; near {came.doubt.cell.name}", soft_wrap=True)
        _keep(asked.into, f"{id_}-reference", came.doubt.cell)
    if came.found is not None:
        told.print(f"{id_}: {came.found.by}; near {came.found.cell.name}", soft_wrap=True)
        _keep(asked.into, id_, came.found.cell)
    else:
        told.print(f"{id_}: {came.tries} inputs, {came.differing} answered differently", soft_wrap=True)


def _keep(folder: Path | None, name: str, cell: Cell) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        case = cell.case
        told = {"input": case.input, "requires": case.requires, "flags": case.flags, "features": case.features}
        write_atomically(folder / f"{name}.json", canonical_json({"area": case.area, **told, "rows": [cell.row]}))


@contextmanager
def _kept(asked: Asked) -> Iterator[Path]:
    """Where what cells execute is kept; not that of a few cases, in the place of all."""
    if asked.cases:
        with TemporaryDirectory(prefix="tokenspec-power-") as folder:
            yield Path(folder)
    else:
        yield cache_dir() / "power"


def line_of(fate: Fate) -> dict[str, str | int]:
    """One edit as JSON."""
    before, after = fate.edit.shown
    return {
        "id": fate.edit.id,
        "part": part_of(fate.edit.file),
        "file": fate.edit.file,
        "line": fate.edit.line,
        "within": fate.edit.within,
        "operator": fate.edit.operator,
        "before": before,
        "after": after,
        "number": fate.edit.number,
        "outcome": fate.what or "",
        "by": fate.by,
        "cell": fate.cell,
        "cells": fate.judged,
    }


def shares(fates: Sequence[Fate]) -> dict[str, float]:
    """How much of each part is noticed, those that change nothing aside."""
    counts = Counter((part_of(fate.edit.file), fate.what) for fate in fates)
    found = {}
    for part in dict.fromkeys(part for part, _ in counts):
        noticed = sum(counts[part, what] for what in ("killed", "warned", "crashed"))
        judged = noticed + counts[part, "survived"]
        if judged:
            found[part] = noticed / judged
    return found


def print_fates(console: Console, fates: Sequence[Fate], extents: dict[str, Extent]) -> None:
    """The survivors, then a line for each part, then what to do next."""
    left = [fate for fate in fates if fate.what == "survived"]
    for fate in left:
        before, after = fate.edit.shown
        console.print(
            f"survived {fate.edit.id} {where(fate.edit)}\n  {escape(before)}\n  -> {escape(after)}", highlight=False
        )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("part", no_wrap=True)
    for name in ("edits", *WHAT.values(), "noticed", "no cell"):
        table.add_column(name, justify="right", no_wrap=True)
    counts = Counter((part_of(fate.edit.file), str(fate.what)) for fate in fates)
    noticed = shares(fates)
    for part in dict.fromkeys(part for part, _ in counts):
        table.add_row(
            part,
            str(sum(counts[part, what] for what in WHAT)),
            *(str(counts[part, what]) for what in WHAT),
            f"{100 * noticed[part]:.1f} %" if part in noticed else "-",
            f"{100 * extents[part].unreached / extents[part].statements:.0f} %",
        )
    console.print(table)
    console.print(
        "MUST, SHOULD, crash, nothing: the strongest sign of an edit; equal: it changes nothing; noticed: the share of "
        "the first three among the first four; no cell: code that no cell executes"
    )
    if left:
        console.print(f"Judge one again: tokenspec mutants --automatic --only {left[0].edit.id}", soft_wrap=True)
        console.print("A case that tells it apart closes the hole; where none can, list it with its reason.")


def where(edit: Edit) -> str:
    """``renderers/encode.py:52 (Encoder.ids)``."""
    return f"{edit.file}:{edit.line}" + (f" ({edit.within})" if edit.within else "")
