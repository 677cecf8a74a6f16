"""Rows side by side in worker processes: loading a vocabulary takes longer than judging it."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING

from tokenspec.adapters.resolve import resolve
from tokenspec.errors import AdapterError, TokenspecError
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


def _start_worker(impls: Sequence[str]) -> None:
    multiprocessing.util.Finalize(None, _stop_worker, exitpriority=10)
    try:
        _columns.extend(resolve(text) for text in impls)
    except TokenspecError as error:  # raised here it would only break the pool, without its message
        _trouble.append(str(error))


def _stop_worker() -> None:
    """Programs are told to stop, and those that do not are ended, also those of a worker."""
    for column in _columns:
        column.close()


def _judge(cells: list[Cell], timeout: float, evidence: bool) -> list[CellResult]:
    if _trouble:
        raise AdapterError(
            f"{_trouble[0]}\n  A worker starts a copy of each implementation; to have only one: --jobs 1"
        )
    return run_all(Run(_columns, cells, timeout, evidence=evidence))


def run_in_processes(
    impls: Sequence[str], cells: Sequence[Cell], timeout: float, jobs: int, *, evidence: bool = False
) -> Iterator[CellResult]:
    """Judge like ``Run``, a row at a time in each of ``jobs`` fresh processes; results come as rows finish."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(impls,)) as pool:
        pending = [pool.submit(_judge, group, timeout, evidence) for group in by_row(cells)]
        for done in as_completed(pending):
            yield from done.result()
