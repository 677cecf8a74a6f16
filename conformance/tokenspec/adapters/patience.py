"""How long a call may take, so that other work on the machine does not use its time up.

A limit is seconds by the clock for a program that waits, and seconds of processor time for one that computes: on a busy
machine the clock says how busy the machine is, not how slow the program.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

WAITS = 0.02
"""A program that used less than this share of the time did not compute: it waits. No call gets more than 1/WAITS."""

WATCHED = 1.0
"""Seconds a program is watched at least before it is taken for one that waits: a busy machine may run it late."""

LEAST = 0.01
"""Seconds below which more time is not worth waiting for."""


class Patience:
    """The time limit of one call. It begins when it is made.

    Attributes:
        seconds: the limit.
        slow: whether a call whose time is up computed; what cannot be seen is taken for slow, not for hanging.
        spent: the processor seconds it had used then, None where they cannot be seen.
    """

    def __init__(self, seconds: float, used: Callable[[], float | None]) -> None:
        """``used`` gives the processor seconds the call used so far."""
        self.seconds = seconds
        self.used = used
        self.begun = time.monotonic()
        self.deadline = self.begun + seconds
        self.slow = False
        self.spent: float | None = None

    def left(self) -> float:
        """Seconds to wait still; 0.0 when time is up. One that computed for less than its limit gets the rest."""
        now = time.monotonic()
        if now >= self.deadline:
            self.spent = self.used()
            self.slow = self.spent is None or self.spent > WAITS * (now - self.begun)
            rest = 0.0 if self.spent is None or not self.slow else self.seconds - self.spent
            if not self.slow:
                rest = self.begun + WATCHED - now
            self.deadline = now + rest if rest > LEAST else self.deadline
        return max(0.0, self.deadline - now)

    def verdict(self) -> str:
        """``slow: no answer within 10 s (it computed for 10.1 s)``, or that it waits, which more time does not cure."""
        if not self.slow:
            return f"timed out after {self.seconds:g} s, in which it waited for something"
        seen = "" if self.spent is None else f" (it computed for {self.spent:.3g} s)"
        return f"slow: no answer within {self.seconds:g} s{seen}"


def own_seconds() -> float:
    """Processor seconds of this process, all its threads, and the children it has waited for."""
    return sum(os.times()[:4])


def seconds_of(processes: Iterable[int]) -> dict[int, float]:
    """Processor seconds of processes with the children they waited for; empty where the system does not show them."""
    found = {}
    for process in processes:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (
                Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            )
            found[process] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found
