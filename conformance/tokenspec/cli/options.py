"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

from tokenspec.areas.selection import Selection

Command = Callable[..., Any]


def selection_options(command: Command) -> Command:
    """``--area``, ``--row``, ``--case`` and ``--status``, each repeatable."""
    options = (
        click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area; repeatable."),
        click.option(
            "--row",
            "rows",
            multiple=True,
            metavar="ROW",
            help="Only this model row, or pair a+b; repeatable.",
        ),
        click.option(
            "--case",
            "cases",
            multiple=True,
            metavar="CASE",
            help="Only this case; a trailing '-' makes it a prefix.",
        ),
        click.option(
            "--status",
            "statuses",
            multiple=True,
            type=click.Choice(["real", "stand-in", "toy"]),
            help="Only rows of this status.",
        ),
    )
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


def selection(values: dict[str, Any]) -> Selection:
    """The selection out of a command's keyword arguments."""
    return Selection(
        areas=tuple(values["areas"]),
        rows=tuple(values["rows"]),
        cases=tuple(values["cases"]),
        statuses=tuple(values["statuses"]),
    )


impl_option = click.option(
    "--impl",
    "impls",
    multiple=True,
    metavar="IMPL",
    help="An implementation: a registered name, pkg.mod:attr, or cmd:PROGRAM ARGS; repeatable, each is a column.",
)
