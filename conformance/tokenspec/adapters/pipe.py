"""A child process that answers one JSON line per JSON line: time-outs, size limits, captured stderr, a clean end."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
import time
from typing import IO

MAX_LINE = 64 * 1024 * 1024
STDERR_TAIL = 2000
PARTING_SECONDS = 2.0


class PipeBroken(Exception):
    """The process ended, said nothing in time, or said too much. The message is ready to print."""


class Pipe:
    """One running process. Every failure closes it: a half-read answer would poison the next question."""

    def __init__(self, command: str) -> None:
        """Start the program in a process group of its own, so that its children end with it."""
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        try:
            self.process = subprocess.Popen(  # noqa: S603 - running the user's program is the point
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                start_new_session=True,
            )
        except OSError as error:
            self.errors.close()
            raise PipeBroken(
                f"cannot start {command!r}: {error.strerror}. Check the program's path and that it runs."
            ) from error
        self.buffer = bytearray()

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Send one line, return the line that answers it."""
        assert self.process.stdin is not None
        deadline = time.monotonic() + timeout
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise self.broken("ended before it read the request") from error
        return self.read_line(deadline, timeout)

    def read_line(self, deadline: float, timeout: float) -> bytes:
        """The next line, within the deadline and the size limit."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            searched = 0
            while (end := self.buffer.find(b"\n", searched)) < 0:
                searched = len(self.buffer)
                if searched > MAX_LINE:
                    raise self.broken(f"sent a line longer than {MAX_LINE // 2**20} MiB")
                if not waiting.select(max(0.0, deadline - time.monotonic())):
                    raise self.broken(f"timed out after {timeout:g} s")
                chunk = os.read(self.process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self.broken("ended without answering")
                self.buffer += chunk
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return line

    def broken(self, what: str) -> PipeBroken:
        """End the process and tell what it did, with the end of its stderr."""
        self.kill()
        code = self.process.returncode
        tail = self.stderr_tail()
        status = f" (exit code {code})" if code is not None and code >= 0 else ""
        return PipeBroken(f"the process {what}{status}" + (f"; its stderr ends:\n{tail}" if tail else ""))

    def stderr_tail(self) -> str:
        """The last of what it wrote to stderr; bytes that are not UTF-8 are shown escaped."""
        if self.errors.closed:
            return ""
        size = self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, size - STDERR_TAIL))
        return self.errors.read().decode("utf-8", "backslashreplace").strip()

    def kill(self) -> None:
        """End the whole process group now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, farewell: bytes) -> None:
        """Ask it to stop, wait a little, then end it and its children."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(farewell + b"\n")
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PARTING_SECONDS)
        self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()
