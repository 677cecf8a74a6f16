"""Work in processes made of this one: they find all that is loaded, and what they do to it dies with them."""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tokenspec.adapters.patience import seconds_of

LOOK = 0.5
"""Seconds between two looks at what processes have used."""

WAITS = 10.0
"""So many times its limit by the clock may a process take that waits for the processor, or for something else."""


@dataclass(frozen=True)
class Task:
    """What one process does.

    Attributes:
        name: whose result it is.
        work: what is done; what it returns is pickled.
        seconds: the limit of processor time.
    """

    name: Any
    work: Callable[[], Any]
    seconds: float


class Died:
    """The result of a process that was ended, by us for its time or by the system."""


@dataclass
class _Running:
    task: Task
    pid: int
    pipe: int
    begun: float = field(default_factory=time.monotonic)
    data: bytes = b""


def in_forks(tasks: Iterator[Task], jobs: int) -> Iterator[tuple[Any, Any]]:
    """The result of each task as it comes: what it returned, or ``Died``. So many run at a time.

    The next task is taken when there is room for it, so that it may depend on the results before.
    """
    gc.freeze()  # what is loaded is not looked through again in each of them
    selector = selectors.DefaultSelector()
    running: dict[int, _Running] = {}
    looked = time.monotonic()
    try:
        while True:
            while len(running) < jobs and (task := next(tasks, None)) is not None:
                started = _started(task)
                running[started.pipe] = started
                selector.register(started.pipe, selectors.EVENT_READ)
            if not running:
                return
            for key, _ in selector.select(LOOK):
                one = running[key.fd]
                piece = os.read(one.pipe, 1 << 20)
                one.data += piece
                if not piece:
                    selector.unregister(one.pipe)
                    del running[one.pipe]
                    yield one.task.name, _ended(one)
            if time.monotonic() - looked > LOOK:
                looked = time.monotonic()
                _end_the_slow(list(running.values()))
    finally:
        for one in running.values():
            os.kill(one.pid, signal.SIGKILL)
            _ended(one)
        selector.close()


def _started(task: Task) -> _Running:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return _Running(task, pid, reading)
    status = 1
    try:
        os.close(reading)
        found = pickle.dumps(task.work())
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(found)
        status = 0
    except BaseException:  # noqa: BLE001 - this process ends here, whatever happened
        traceback.print_exc()
    finally:
        os._exit(status)


def _ended(one: _Running) -> Any:
    os.close(one.pipe)
    _, status = os.waitpid(one.pid, 0)
    return pickle.loads(one.data) if status == 0 else Died()  # noqa: S301 - written by this program


def _end_the_slow(running: list[_Running]) -> None:
    used = seconds_of(one.pid for one in running)
    for one in running:
        waited = time.monotonic() - one.begun
        if used.get(one.pid, 0.0) > one.task.seconds or waited > WAITS * one.task.seconds:
            os.kill(one.pid, signal.SIGKILL)
