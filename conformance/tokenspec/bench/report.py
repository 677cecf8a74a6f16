"""The report page of a full run: how long it takes to make, how large it is, when a browser can use it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.benchmark import Bench, Figure
from tokenspec.report.catalog import header
from tokenspec.report.jsonl import Report, read_report, save_report
from tokenspec.report.page import run_page
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult

ROW = "toy-bpe"
ROWS = 26
MEGABYTE = 1_000_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The path of an installed Chromium; ``TOKENSPEC_CHROMIUM`` names another."""
    found = os.environ.get("TOKENSPEC_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    return found if found and Path(found).exists() else None


class Shifted:
    """The reference without its first token: every cell fails, so every cell keeps its tokens."""

    def __init__(self, column: Any) -> None:
        """Wrap a column."""
        self.column = column

    def info(self) -> dict[str, str]:
        """Who it is."""
        return {"name": "shifted", "version": "1"}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Hand the row on."""
        self.column.load(model, assets)

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """One token too few."""
        outcome = self.column.call("render", "shifted", request, 10.0)
        return {"token_ids": outcome.output["token_ids"][1:]}


def full_run() -> Report:
    """As many cells as a full render run has: one toy row judged twice, repeated under the names of 26 rows."""
    cells = select_cells(Selection(areas=("render",), rows=(ROW,)))
    columns = [resolve("reference"), InProcess("shifted", Shifted(resolve("reference")))]
    results = run_all(Run(columns, cells, exhibit=True))
    named: list[CellResult] = [
        msgspec.structs.replace(result, row=f"row-{number:02}") for number in range(ROWS) for result in results
    ]
    head = header(columns, cells)
    return Report({**head, "rows": {f"row-{number:02}": {"status": "toy"} for number in range(ROWS)}}, named)


def run() -> Iterator[Figure]:
    """Making the page against reading the saved run; opening it against the two seconds a reader waits."""
    report = full_run()
    with tempfile.TemporaryDirectory() as folder:
        saved, page = Path(folder) / "run.jsonl", Path(folder) / "report.html"
        save_report(saved, report.header, report.results)
        start = time.perf_counter()
        report = read_report(saved)
        read = time.perf_counter() - start
        start = time.perf_counter()
        page.write_text(run_page(report), encoding="utf-8")
        made = time.perf_counter() - start
        note = f"{len(report.results)} cells, {page.stat().st_size / MEGABYTE:.1f} MB of at most 10"
        yield Figure("making the page", made, read, "reading the saved run", note=note)
        ready = interactive(page, Path(folder) / "profile")
        if ready is not None:
            yield Figure("page is interactive", ready, 2.0, "the 2 s a reader waits", limit=1.0, note=note)


def interactive(page: Path, profile: Path) -> float | None:
    """Seconds by ``performance.now()`` until a headless Chromium has drawn the page; None where there is none."""
    named = chromium()
    if named is None:
        return None
    done = subprocess.run(  # noqa: S603 - the user's own browser on our own page
        [named, "--headless", "--dump-dom", *QUIET_FLAGS, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=True,
        timeout=60,
    )
    found = re.search(r'data-interactive="(\d+)"', done.stdout)
    return int(found[1]) / 1000 if found else None


BENCH = Bench("report", "The report page of a full render run", run)
