"""A child process that answers questions one by one, and is started anew where a stranger's work has ended it.

The child is a fresh Python that gets a function and its arguments, makes of them what answers, and then reads questions
from its standard input and writes answers to its standard output: pickles, each behind its length.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tokenspec.errors import TokenspecError
from tokenspec.guard.state import arm, left_by
from tokenspec.guard.strangers import data_bytes

LENGTH = 8
KEPT = 512 * 2**20


class ChildLost(TokenspecError):
    """The child ended, and not by a stranger's work: it was killed, or broke over a question."""

    exit_code = 3


class Answering:
    """Questions to ``make(*given)`` in a child of its own. All travel as pickles: ``make`` is a module's function."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], *given: Any) -> None:
        """Start nothing yet; what ``make`` returns bounds the work of strangers itself."""
        self._setup = pickle.dumps((make, given))
        self._child: subprocess.Popen[bytes] | None = None
        self._folder = Path()

    def ask(self, question: Any) -> Any:
        """The answer to one question.

        Raises:
            TokenspecError: the one that was raised over it.
            OutOfBounds: finding it took more than the bounds allow; the next question goes to a new child.
            ChildLost: the child ended for another reason.
        """
        child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            send(child.stdin, pickle.dumps(question))
            answer = receive(child.stdout)
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise self._lost(child)
        found, is_spent = pickle.loads(answer)  # noqa: S301 - of our own child
        if is_spent:
            self.close()
        if isinstance(found, TokenspecError):
            raise found
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        self._folder = Path(tempfile.mkdtemp(prefix="tokenspec-"))
        command = [sys.executable, "-W", "ignore", "-m", __name__, str(self._folder)]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        assert self._child.stdin is not None
        send(self._child.stdin, pickle.dumps(sys.path))
        send(self._child.stdin, self._setup)
        return self._child

    def _lost(self, child: subprocess.Popen[bytes]) -> TokenspecError:
        code = child.wait()
        stranger = left_by(self._folder, child.pid)
        self.close()
        return stranger or ChildLost(f"the process that works on one row at a time ended (exit code {code})")

    def close(self) -> None:
        """End the child."""
        if self._child is None:
            return
        self._child.kill()
        self._child.wait()
        for stream in (self._child.stdin, self._child.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self._child = None
        shutil.rmtree(self._folder, ignore_errors=True)


def send(stream: IO[bytes], data: bytes) -> None:
    """Write one message."""
    stream.write(len(data).to_bytes(LENGTH, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end of the stream."""
    head = stream.read(LENGTH)
    return stream.read(int.from_bytes(head, "little")) if len(head) == LENGTH else None


def serve(folder: Path) -> None:
    """The child: answer questions until the pipe closes. What a library prints goes to standard error.

    What strangers leave in memory adds up over many questions. A child that holds ``KEPT`` bytes more than at its first
    question says so with its answer, and the next question goes to a new one.
    """
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    arm(folder)
    sys.path[:] = pickle.loads(receive(questions) or b"")  # noqa: S301 - of our own parent
    make, given = pickle.loads(receive(questions) or b"")  # noqa: S301
    answer = make(*given)
    at_first = data_bytes()
    while (data := receive(questions)) is not None:
        try:
            found = answer(pickle.loads(data))  # noqa: S301
        except TokenspecError as error:
            found = error
        send(answers, pickle.dumps((found, data_bytes() - at_first > KEPT)))


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
