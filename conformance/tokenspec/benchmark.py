"""Benchmarks: ours and the peer's in one run, printed as ratios. No test depends on a time.

A module of this package exports ``BENCH: Bench``. ``measure`` interleaves the contenders, so that a slow minute of the
machine hits all of them.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured line: ``ours`` against ``peer`` in seconds (medians), and the bound the project set itself. With the
    ``unit`` ``%`` both are shares, with ``KiB`` memory.

    ``limit`` is the largest acceptable ours/peer; None where there is nothing to hold to.
    """

    what: str
    ours: float
    peer: float
    peer_name: str
    limit: float | None = None
    note: str = ""
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """Ours over peer: below 1 is faster than the peer."""
        return self.ours / self.peer


@dataclass(frozen=True)
class Bench:
    """A named benchmark; ``run`` yields figures as they are measured."""

    name: str
    title: str
    run: Callable[[], Iterator[Figure]]


def measure(contenders: Mapping[str, Callable[[], object]], *, rounds: int = 7, warmup: int = 1) -> dict[str, float]:
    """Median process-time seconds of each contender, interleaved and in alternating order.

    What earlier benchmarks left in memory is kept from the garbage collector, which would walk through all of it.
    """
    gc.collect()
    gc.freeze()
    names = list(contenders)
    for _ in range(warmup):
        for name in names:
            contenders[name]()
    times: dict[str, list[float]] = {name: [] for name in names}
    for round_number in range(rounds):
        for name in names if round_number % 2 == 0 else reversed(names):
            start = time.process_time()
            contenders[name]()
            times[name].append(time.process_time() - start)
    gc.unfreeze()
    return {name: statistics.median(values) for name, values in times.items()}
