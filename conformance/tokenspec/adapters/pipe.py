"""A child process that answers one line per line: time-outs, size limits, captured stderr, an end for its children."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.adapters.patience import Patience, seconds_of

MAX_LINE = 64 * 1024 * 1024
MAX_CONTAINERS = 2_000_000
STDERR_TAIL = 2000
CHUNK = 1 << 20
MARK = "TOKENSPEC_ADAPTER"


FLUSHING = 2.0
"""Seconds a silent program has to end, and so to flush its answer, when its stdin is closed."""

ENDING = 2.0
"""Seconds the system may take to report the end of a process whose streams are closed, or of its children."""

Kind = Literal["cannot-start", "timed-out", "slow", "not-flushed", "ended", "too-long", "unasked"]


@dataclass(frozen=True)
class Limits:
    """Seconds each message may take (ADP-006, ``Patience``). The first run of an operation has as long as a load."""

    start: float = 30.0
    load: float = 60.0
    run: float = 10.0
    stop: float = 10.0


class PipeBroken(Exception):
    """The conversation cannot go on. ``kind`` says how it broke, the message says it in words."""

    def __init__(self, kind: Kind, message: str, *, line: bytes = b"", stderr: str = "", limit: float = 0.0) -> None:
        """``line``: what came of the answer; ``stderr``: the end of it; ``limit``: the seconds a slow one had."""
        super().__init__(message)
        self.kind = kind
        self.line = line
        self.stderr = stderr
        self.limit = limit


class Tail(threading.Thread):
    """Reads a stream to its end and keeps the last of it: an adapter may write to stderr without bound."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Start reading."""
        super().__init__(daemon=True)
        self.stream = stream
        self.kept = b""
        self.start()

    def run(self) -> None:
        """Read until every holder of the stream has closed it."""
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self.stream.fileno(), 1 << 16):
                self.kept = (self.kept + chunk)[-STDERR_TAIL:]

    def text(self) -> str:
        """The last of the stream, printable."""
        return foreign_text(self.kept.decode("utf-8", "backslashreplace").strip(), lines=True)


class Pipe:
    """One running process. Every failure ends it: a half-read answer would poison the next question.

    The process leads a group of its own and carries a mark in its environment, so that its children are found and
    ended with it, also those that left the group (where the system shows environments in ``/proc``).
    """

    def __init__(self, command: str) -> None:
        """Start the program in the user's working directory, so that relative paths in ``command`` hold."""
        self.mark = f"{MARK}={secrets.token_hex(16)}"
        name, _, value = self.mark.partition("=")
        try:
            self.process = subprocess.Popen(  # noqa: S603 - running the user's program is the point
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, name: value},
            )
        except (OSError, ValueError, IndexError) as error:
            raise PipeBroken("cannot-start", why_not_started(command, error)) from error
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        os.set_blocking(self.stdin.fileno(), False)
        os.set_blocking(self.stdout.fileno(), False)
        self.errors = Tail(self.process.stderr)
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.stdout, selectors.EVENT_READ)
        self.buffer = bytearray()
        self.survivors = 0
        self.family = [self.process.pid]
        self.reads, self.answered = True, False
        self.over = False

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Send one line, return the line that answers it.

        Raises:
            PipeBroken: nothing came in time, too much came, or the process is gone.
        """
        patience = self.patience(timeout)
        if self.answered and self.unasked():
            raise self.broken("unasked", "wrote to stdout before it was asked", bytes(self.buffer))
        self.write(line + b"\n", patience)
        answer = self.read_line(patience)
        if not self.answered:
            self.answered = True
            self.family = sorted({self.process.pid, *marked(self.mark)})
        return answer

    def patience(self, timeout: float) -> Patience:
        """The time limit of one answer, in what the program and the processes it started compute."""
        before = seconds_of(self.family)

        def used() -> float | None:
            now = seconds_of({*self.family, *marked(self.mark)})
            return sum(seconds - before.get(process, 0.0) for process, seconds in now.items()) if now else None

        return Patience(timeout, used)

    def write(self, data: bytes, patience: Patience) -> None:
        """Write all of it, or time out: a process that does not read must not hang its judge.

        One that no longer reads may have said why: what it wrote and how it ended is found by reading on.
        """
        view = memoryview(data)
        with selectors.DefaultSelector() as writable:
            writable.register(self.stdin, selectors.EVENT_WRITE)
            while view:
                try:
                    view = view[os.write(self.stdin.fileno(), view[:CHUNK]) :]
                except BlockingIOError:
                    if not writable.select(patience.left()) and not patience.left():
                        what = f"did not read its request within {patience.seconds:g} s"
                        raise self.broken("timed-out", what) from None
                except BrokenPipeError:
                    self.reads = False
                    return

    def read_line(self, patience: Patience) -> bytes:
        """The next line, within the time and the size limit."""
        searched = 0
        while (end := self.buffer.find(b"\n", searched)) < 0:
            searched = len(self.buffer)
            if searched > MAX_LINE:
                raise self.broken("too-long", f"sent a line longer than {MAX_LINE // 2**20} MiB", self.head())
            if not self.waiting.select(patience.left()):
                if patience.left():
                    continue
                raise self.silent(patience)
            if not self.receive():
                raise self.broken("ended", self.how_it_ended(), self.head())
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return line

    def how_it_ended(self) -> str:
        """What became of a process that reads or writes no more: the same, whichever of the two was noticed first."""
        if self.gone():
            return "ended without answering"
        return "closed its stdout" if self.reads else "closed its stdin"

    def receive(self) -> bool:
        """Move what is ready into the buffer; False at the end of the stream."""
        try:
            chunk = os.read(self.stdout.fileno(), CHUNK)
        except BlockingIOError:
            return True
        self.buffer += chunk
        return bool(chunk)

    def unasked(self) -> bool:
        """Whether something came that no request asked for."""
        if not self.buffer and self.waiting.select(0):
            self.receive()
        return bool(self.buffer)

    def gone(self) -> bool:
        """Whether the process itself ended; a moment is left it to become waitable."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDING)
        return self.process.poll() is not None

    def head(self) -> bytes:
        """The beginning of what came."""
        return bytes(self.buffer[:200])

    def silent(self, patience: Patience) -> PipeBroken:
        """No answer in time. Closing its stdin tells an answer that was never flushed from none at all."""
        self.farewell(b"", FLUSHING)
        if not self.reads:
            return self.broken("ended", self.how_it_ended(), self.head())
        if patience.slow:
            return self.broken("slow", patience.verdict(), self.head(), limit=patience.seconds)
        if b"\n" in self.buffer:
            late = f"answered after {patience.seconds:g} s, when its stdin was closed"
            return self.broken("not-flushed", late, self.head())
        return self.broken("timed-out", patience.verdict(), self.head())

    def farewell(self, last: bytes, seconds: float) -> bool:
        """Send the last line, close stdin, keep reading until the process ends; whether it did."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            os.write(self.stdin.fileno(), last)
        with contextlib.suppress(OSError):
            self.stdin.close()
        while (left := deadline - time.monotonic()) > 0 and len(self.buffer) <= MAX_LINE:
            if self.waiting.select(left) and not self.receive():
                break
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        return self.process.poll() is not None

    def broken(self, kind: Kind, what: str, line: bytes = b"", *, limit: float = 0.0) -> PipeBroken:
        """End the process and tell what it did."""
        code = self.process.returncode if kind != "ended" or self.gone() else None
        self.kill()
        status = ""
        if code is not None:
            status = f" (exit code {code})" if code >= 0 else f" (killed by {signal.Signals(-code).name})"
        said = what if kind == "slow" else f"the process {what}{status}"
        return PipeBroken(kind, said, line=line, stderr=self.errors.text(), limit=limit)

    def kill(self) -> None:
        """End the process and everything it started, and let go of its streams; a second call does nothing."""
        if self.over:
            return
        self.over = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pid in marked(self.mark):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self.lingering()
        self.errors.join(ENDING)
        self.waiting.close()
        for stream in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                stream.close()

    def end(self) -> str:
        """Kill it, and return the end of what it wrote to stderr."""
        self.kill()
        return self.errors.text()

    def stop(self, message: bytes, seconds: float) -> bool:
        """Say stop, wait, count what lives on, end it; whether the process ended by itself."""
        ended = self.farewell(message + b"\n" if message else b"", seconds)
        self.survivors = len(self.lingering()) if ended else len(marked(self.mark)) - 1
        self.kill()
        return ended

    def lingering(self) -> list[int]:
        """The processes it leaves behind; those that are ending are given the time the system takes for it."""
        deadline = time.monotonic() + ENDING
        while (left := marked(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return left


def marked(mark: str) -> list[int]:
    """The processes whose environment holds ``mark``; none where the system does not show environments."""
    found = []
    wanted = mark.encode()
    listed: list[str] = []
    with contextlib.suppress(FileNotFoundError):
        listed = [folder.name for folder in Path("/proc").iterdir()]
    for name in filter(str.isdecimal, listed):
        with contextlib.suppress(OSError):  # it may have ended since it was listed
            if wanted in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                found.append(int(name))
    return found


def why_not_started(command: str, error: Exception) -> str:
    """Not found, not executable, or not even a command line: each with what to do."""
    if isinstance(error, ValueError):
        return f"cannot read the command line {command!r}: {error}. Close its quotes."
    if isinstance(error, IndexError):
        return "cmd: names no program. Give one: cmd:PROGRAM ARGS."
    program = shlex.split(command)[0]
    if isinstance(error, FileNotFoundError):
        beside = (
            f" There is a file {program} here: write ./{program}, or name its interpreter." * Path(program).is_file()
        )
        return f"cannot start {command!r}: there is no program {program!r}. Check the program's path.{beside}"
    if isinstance(error, PermissionError):
        return (
            f"cannot start {command!r}: {program!r} is not executable. "
            f"Run chmod +x {program}, or name its interpreter: cmd:python {program}."
        )
    reason = getattr(error, "strerror", None) or error
    return f"cannot start {command!r}: {reason}. A script needs a first line like #!/usr/bin/env python3."
