"""The console: 100 columns where nobody says otherwise, no colours where NO_COLOR or a pipe forbids them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.console import Console

COLUMNS_OF_A_PIPE = 100


def end_quietly() -> NoReturn:
    """Nobody reads on, as in ``tokenspec list cases | head``: that is no failure, and nothing is left to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is written here may find nobody who reads it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        end_quietly()


class Screen(Console):
    """A console whose reader may leave."""

    def on_broken_pipe(self) -> None:
        """What is read no longer ends the command, and with 0."""
        end_quietly()


def screen(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr; pipes get 100 columns."""
    stream = sys.stderr if stderr else sys.stdout
    piped = not stream.isatty() and "COLUMNS" not in os.environ
    return Screen(stderr=stderr, highlight=False, width=COLUMNS_OF_A_PIPE if piped else None)
