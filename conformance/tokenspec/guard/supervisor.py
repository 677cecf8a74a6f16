"""The parent process: a command works in a child, and an error names the template or tokenizer that ended the child."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tokenspec.guard.state import arm, left_by

PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
LOOKS = 0.5
"""Seconds between two looks at the child, where no signal says that it has ended."""
DIE_WITH_PARENT = 1


def work_in_child() -> None:
    """Return in a child process that is armed. The parent waits, passes signals on, and exits as the child did.

    Raises:
        OutOfBounds: in the parent, where a stranger's work ended the child.
        SystemExit: in the parent, with the child's exit code.
    """
    if not hasattr(os, "fork") or not hasattr(signal, "sigtimedwait"):
        return
    folder = Path(tempfile.mkdtemp(prefix="tokenspec-"))
    waited = {*PASSED_ON, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    child = os.fork()
    if child == 0:
        _die_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.environ["TMPDIR"], tempfile.tempdir = str(folder), None
        arm(folder)
        return
    try:
        status = _wait(child, waited)
        stranger = left_by(folder, child)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if stranger is not None:
        raise stranger
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        said = signal.strsignal(-code) or signal.Signals(-code).name
        print(
            f"tokenspec: ended by a signal ({said.lower()}); results that were not written yet are lost",
            file=sys.stderr,
        )
    sys.exit(code if code >= 0 else 128 - code)


def _wait(child: int, waited: set[signal.Signals]) -> int:
    """The child's status. A signal of a terminal reaches the child by itself; one that was sent is passed on."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        came = signal.sigtimedwait(waited, LOOKS)
        if came is not None and came.si_signo in PASSED_ON and came.si_code <= 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, came.si_signo)


def _die_with_parent() -> None:
    """Have Linux end this process when its parent is ended, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
