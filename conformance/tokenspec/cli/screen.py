"""The console: 100 columns where nobody says otherwise, no colours where NO_COLOR or a pipe forbids them."""

from __future__ import annotations

import os
import sys

from rich.console import Console

COLUMNS_OF_A_PIPE = 100


def screen(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr; pipes get 100 columns."""
    stream = sys.stderr if stderr else sys.stdout
    piped = not stream.isatty() and "COLUMNS" not in os.environ
    return Console(stderr=stderr, highlight=False, width=COLUMNS_OF_A_PIPE if piped else None)
