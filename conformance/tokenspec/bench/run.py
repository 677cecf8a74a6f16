"""Where the time of a conformance run goes: reading vocabularies, the implementations, the checks."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.benchmark import Bench, Figure
from tokenspec.models import load
from tokenspec.runner import Run, run_all

ROW = "qwen3"
COLUMNS = ("reference", "transformers", "renderers")


def run() -> Iterator[Figure]:
    """One real row, all render cases, three columns; each share against the whole."""
    start = time.perf_counter()
    cells = select_cells(Selection(areas=("render",), rows=(ROW,)))
    read = time.perf_counter() - start
    start = time.perf_counter()
    load(ROW).vocabulary  # noqa: B018 - loads it
    columns = [resolve(name) for name in COLUMNS]
    vocabularies = time.perf_counter() - start
    inside: dict[str, float] = {}
    judged = 0.0
    for column in columns:
        start = time.perf_counter()
        results = run_all(Run([column], cells))
        spent = time.perf_counter() - start
        inside[column.name] = sum(result.seconds for result in results)
        judged += spent - inside[column.name]
        column.close()
    total = read + vocabularies + judged + sum(inside.values())
    for name, seconds in inside.items():
        yield Figure(f"inside {name}", seconds, total, "the whole run", note=f"{len(cells)} cells")
    yield Figure("checks, and each column's own vocabulary", judged, total, "the whole run")
    yield Figure("reading the row's vocabulary", vocabularies, total, "the whole run")
    yield Figure("reading cases and goldens", read, total, "the whole run")


BENCH = Bench("run", f"Where the time of a conformance run goes ({ROW}, render)", run)
