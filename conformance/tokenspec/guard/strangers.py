"""``with strangers("template"):`` around every piece of work that a stranger's file decides about."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from tokenspec.guard.bounds import Kind, OutOfBounds, bounds_for, too_large
from tokenspec.guard.state import current
from tokenspec.guard.template_lines import name_lines

ENDS_A_PROGRAM = (KeyboardInterrupt, SystemExit, GeneratorExit)
PAGE = resource.getpagesize()


@contextmanager
def strangers(kind: Kind, size: int = 0) -> Iterator[None]:
    """Bound the block, where this process is armed; a block within another belongs to the outer one.

    Args:
        kind: what is at work.
        size: bytes of what it is given.

    Raises:
        OutOfBounds: it wants too much memory, nests without end, or breaks a library in another way than by an
            ``Exception``. One whose time is up ends the process.
    """
    state = current()
    if state is None or state.busy:
        yield
        return
    bounds = bounds_for(kind, size)
    name_lines()
    state.begin(kind, bounds.seconds)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    _limit_memory(data_bytes() + bounds.memory, before)
    signal.setitimer(signal.ITIMER_PROF, bounds.seconds)
    try:
        yield
    except MemoryError as error:
        raise OutOfBounds(kind, too_large(bounds.memory), line_of(error.__traceback__)) from error
    except RecursionError as error:
        raise OutOfBounds(kind, "nests without end", line_of(error.__traceback__)) from error
    except (Exception, *ENDS_A_PROGRAM):
        raise
    except BaseException as error:  # a panic of a library in Rust
        said = f"breaks the library that reads it ({type(error).__name__}: {str(error)[:160]})"
        raise OutOfBounds(kind, said, line_of(error.__traceback__)) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, before)
        state.end()


def data_bytes() -> int:
    """Bytes of the memory that RLIMIT_DATA counts."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[5]) * PAGE
    except OSError:  # not Linux: nothing is counted, and the bound is one of the whole process
        return 0


def _limit_memory(wanted: int, before: tuple[int, int]) -> None:
    """Lower the soft limit; a limit that the user has set, and that is lower still, stays."""
    soft, hard = before
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if soft == resource.RLIM_INFINITY else min(wanted, soft), hard))


def line_of(trace: TracebackType | None) -> int | None:
    """The line of the innermost template in a traceback, as Jinja left it or as Python made it."""
    line = None
    while trace is not None:
        names = trace.tb_frame.f_globals
        if "__jinja_exception__" in names:
            line = trace.tb_lineno
        elif (template := names.get("__jinja_template__")) is not None:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
