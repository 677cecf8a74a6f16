"""Rows side by side in worker processes: loading a vocabulary takes longer than judging it."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.util
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tokenspec.adapters.addresses import THIS_MACHINE, Askable
from tokenspec.adapters.resolve import resolve
from tokenspec.errors import LOST, AdapterError, TokenspecError, WorkersLost
from tokenspec.guard.state import arm_worker
from tokenspec.runner import Run, run_all

if TYPE_CHECKING:
    from tokenspec.adapters import Column
    from tokenspec.areas.area import Cell
    from tokenspec.verdict import CellResult

_columns: list[Column] = []
_trouble: list[str] = []


def default_jobs() -> int:
    """One worker a core, four at most: each holds a few vocabularies in memory."""
    return min(os.cpu_count() or 1, 4)


def by_row(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells of each row, longest first, so that no worker starts the longest row last."""
    groups = [list(group) for _, group in itertools.groupby(cells, key=lambda cell: cell.row)]
    return sorted(groups, key=len, reverse=True)


def _start_worker(impls: Sequence[str], askable: Askable) -> None:
    arm_worker()
    multiprocessing.util.Finalize(None, _stop_worker, exitpriority=10)
    try:
        _columns.extend(resolve(text, askable) for text in impls)
    except TokenspecError as error:  # raised here it would only break the pool, without its message
        _trouble.append(str(error))


def _stop_worker() -> None:
    """Programs are told to stop, and those that do not are ended, also those of a worker."""
    for column in _columns:
        column.close()


def _judge(cells: list[Cell], timeout: float, exhibit: bool) -> list[CellResult]:
    if _trouble:
        raise AdapterError(
            f"{_trouble[0]}\n  A worker starts a copy of each implementation; to have only one: --jobs 1"
        )
    return run_all(Run(_columns, cells, timeout, exhibit=exhibit))


@contextmanager
def workers(jobs: int, initializer: Callable[..., None] | None = None, *given: Any) -> Iterator[ProcessPoolExecutor]:
    """``jobs`` fresh processes.

    Raises:
        WorkersLost: one of them is gone.
    """
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=initializer, initargs=given) as pool:
            try:
                yield pool
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                for child in multiprocessing.active_children():
                    child.terminate()
                raise
    except BrokenProcessPool as error:
        raise WorkersLost(f"{LOST} --jobs {max(1, jobs // 2)} (now {jobs})") from error


def run_in_processes(
    impls: Sequence[str],
    cells: Sequence[Cell],
    timeout: float,
    jobs: int,
    *,
    exhibit: bool = False,
    askable: Askable = THIS_MACHINE,
) -> Iterator[CellResult]:
    """Judge like ``Run``, a row at a time in each of ``jobs`` fresh processes; results come as rows finish."""
    with workers(jobs, _start_worker, impls, askable) as pool:
        pending = [pool.submit(_judge, group, timeout, exhibit) for group in by_row(cells)]
        for done in as_completed(pending):
            yield from done.result()
