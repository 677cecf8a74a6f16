"""What a process is doing for a stranger, in files that its parent can read when it has been ended.

A folder holds for each process ``PID.now`` (the work and, while a template is compiled, its line), ``PID.trace`` (what
``faulthandler`` writes when the process is ended) and ``PID.lines`` (the line tables of its compiled templates).
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tokenspec.guard.bounds import Kind, OutOfBounds, too_slow

ROOM = 4096
FOLDER = "TOKENSPEC_GUARD"
"""The variable that names the folder to processes that an armed one starts."""

FATAL = "Fatal Python error: "
ENCODES = re.compile(r'\A[^"]*"[^"]*", line \d+ in (ids|encode|_encode_plus|__call__)$', re.MULTILINE)
"""The innermost function of one that encodes a text; a template in front of it has been rendered."""

FRAME = re.compile(r'File "<template (\d+)>", line (\d+)')
TIME_IS_UP = signal.SIGPROF


@dataclass
class State:
    """The files of this process, open for writing."""

    now: mmap.mmap
    trace: IO[bytes]
    lines: IO[str]
    compiled: int = 0
    busy: bool = False

    @classmethod
    def open(cls, folder: Path) -> State:
        """Make the files, and have the process say where it is when it is ended."""
        mine = folder / str(os.getpid())
        mine.with_suffix(".now").write_bytes(b"\0" * ROOM)
        with mine.with_suffix(".now").open("r+b") as file:
            now = mmap.mmap(file.fileno(), ROOM)
        state = cls(now, mine.with_suffix(".trace").open("wb"), mine.with_suffix(".lines").open("w", encoding="utf-8"))
        faulthandler.enable(state.trace)
        faulthandler.register(TIME_IS_UP, state.trace, all_threads=True, chain=True)
        return state

    def begin(self, kind: Kind, seconds: float) -> None:
        """The process is about to do a stranger's work."""
        self.busy = True
        self._write({"kind": kind, "seconds": seconds})

    def end(self) -> None:
        """It has done it."""
        self.busy = False
        self.now[0] = 0

    def compiling(self, line: int) -> None:
        """The compiler is at this line of a template; 0: it is done, and frames say where the template is."""
        self.now[-4:] = line.to_bytes(4, "little")

    def table(self, lines: str) -> int:
        """Keep the line table of a compiled template; the number it is called by."""
        self.compiled += 1
        self.lines.write(f"{lines}\n")
        self.lines.flush()
        return self.compiled

    def _write(self, what: dict[str, object]) -> None:
        self.now[: ROOM - 4] = json.dumps(what).encode().ljust(ROOM - 4, b"\0")
        self.compiling(0)


def left_by(folder: Path, process: int) -> OutOfBounds | None:
    """What a process was doing for a stranger when that ended it; None where it did not."""
    mine = folder / str(process)
    try:
        now = mine.with_suffix(".now").read_bytes()
    except FileNotFoundError:
        return None
    trace = mine.with_suffix(".trace").read_text(encoding="utf-8", errors="replace")
    if not now[0] or not trace:
        return None
    what = json.loads(now[: ROOM - 4].rstrip(b"\0"))
    first = trace.splitlines()[0]
    how = f"ends its process ({first.removeprefix(FATAL)})" if first.startswith(FATAL) else too_slow(what["seconds"])
    line = int.from_bytes(now[-4:], "little") or _line(mine, trace)
    return OutOfBounds("tokenizer" if line is None and ENCODES.search(trace) else what["kind"], how, line)


def left_behind(process: int) -> OutOfBounds | None:
    """:func:`left_by` of a process that this one started."""
    return left_by(Path(os.environ[FOLDER]), process) if FOLDER in os.environ else None


def _line(mine: Path, trace: str) -> int | None:
    """The line of the innermost template that was at work."""
    found = FRAME.search(trace)
    if found is None:
        return None
    table = mine.with_suffix(".lines").read_text(encoding="utf-8").splitlines()[int(found[1]) - 1]
    pairs = [tuple(map(int, pair.split("="))) for pair in table.split("&") if pair]
    return next((line for line, code in reversed(pairs) if code <= int(found[2])), None)


_armed: dict[int, State] = {}
"""The state of this process, by its id: a child made by ``fork`` is another one."""


def arm(folder: Path) -> None:
    """From now on this process may be ended while it works for a stranger."""
    os.environ[FOLDER] = str(folder)
    _armed.clear()
    _armed[os.getpid()] = State.open(folder)


def arm_worker() -> None:
    """Arm a process that an armed one started."""
    if FOLDER in os.environ and current() is None:
        arm(Path(os.environ[FOLDER]))


def current() -> State | None:
    """The state of this process, where it is armed."""
    return _armed.get(os.getpid())
