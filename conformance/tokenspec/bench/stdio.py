"""What the pipe costs: one round trip against its bound, and the render area through it against the run without it."""

from __future__ import annotations

import shlex
import statistics
import sys
import time
from collections.abc import Iterator

from tokenspec.adapters import Column
from tokenspec.adapters.resolve import resolve
from tokenspec.adapters.stdio import Process
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.benchmark import Bench, Figure
from tokenspec.runner import Run, run_all

SERVED = f"cmd:{shlex.quote(sys.executable)} -m tokenspec serve --impl reference"
ROWS = ("toy-bpe", "qwen3")
STEP = 3
"""Every third case: the ratio is the same, and the bench stays short."""
BOUND = 1e-3
IDS = 200
ECHO = f"""
import json, sys
ids = list(range(150000, 150000 + {IDS}))
for line in sys.stdin:
    message = json.loads(line)
    if message["cmd"] == "start":
        name = {{"name": "echo", "version": "1"}}
        answer = {{"protocol": 1, "implementation": name, "capabilities": {{"render": {{}}}}}}
    elif message["cmd"] == "stop":
        break
    else:
        answer = {{"seq": message["seq"], "result": {{"token_ids": ids}}}}
    print(json.dumps(answer), flush=True)
"""


def run() -> Iterator[Figure]:
    """The round trip, then one toy and one real row of the render area."""
    yield from round_trips()
    yield from render_area()


def round_trips() -> Iterator[Figure]:
    """A program that computes nothing, so that all its time is the pipe's and JSON's."""
    column = Process("echo", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(ECHO)}")
    request = {"model": "toy-bpe", "messages": [{"role": "user", "content": "x" * 400}], "options": {}}
    times = []
    for _ in range(2000):
        start = time.perf_counter()
        column.call("render", "render/echo", request, 10.0)
        times.append(time.perf_counter() - start)
    column.close()
    yield Figure(f"round trip, {IDS} ids back, median", statistics.median(times), BOUND, "1 ms", 1.0)
    yield Figure(f"round trip, {IDS} ids back, worst of 100", statistics.quantiles(times, n=100)[98], BOUND, "1 ms")


def render_area() -> Iterator[Figure]:
    """The render cases of the rows: through the pipe against in this process, by the clock on the wall."""
    for row in ROWS:
        cells = select_cells(Selection(areas=("render",), rows=(row,)))[::STEP]
        columns = {"pipe": resolve(SERVED), "process": resolve("reference")}
        for column in columns.values():
            run_all(Run([column], cells[:3]))
        times: dict[str, list[float]] = {name: [] for name in columns}
        for turn in range(3):
            for name in sorted(columns, reverse=bool(turn % 2)):
                times[name].append(seconds_of(columns[name], cells))
        for column in columns.values():
            column.close()
        ours, peer = statistics.median(times["pipe"]), statistics.median(times["process"])
        yield Figure(f"render area, {row}", ours, peer, "in process", 2.0, note=f"{len(cells)} cells")


def seconds_of(column: Column, cells: list[Cell]) -> float:
    """Seconds on the wall: the process at the other end works while this one waits."""
    start = time.perf_counter()
    run_all(Run([column], cells))
    return time.perf_counter() - start


BENCH = Bench("stdio", "What the pipe costs", run)
