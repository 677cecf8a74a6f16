"""The console: 100 columns where nobody says otherwise, no colours where NO_COLOR or a pipe forbids them."""

from __future__ import annotations

import os
import sys

import click
from rich.console import Console

from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.cli import end_quietly

COLUMNS_OF_A_PIPE = 100


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


def say(line: str, *, err: bool = False) -> None:
    """Print one line; what a name in it could forge, a line of its own or a command to a CI job, is an escape."""
    click.echo(foreign_text(line), err=err)
