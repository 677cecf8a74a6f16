"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import isfinite
from typing import Any, get_args

import click

from tokenspec.adapters.addresses import AUTO, TOKEN
from tokenspec.areas.selection import PROVEN, Selection
from tokenspec.models.spec import Status

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
            help="Only this model row, or pair a+b; in run and smoke also a FOLDER, or OWNER/NAME@SHA; repeatable.",
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
            type=click.Choice(get_args(Status)),
            help="Only rows of this status.",
        ),
    )
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


def selection(values: dict[str, Any]) -> Selection:
    """The selection out of a command's keyword arguments; rows that are unproven have to be named."""
    return Selection(
        areas=tuple(values["areas"]),
        rows=tuple(values["rows"]),
        cases=tuple(values["cases"]),
        statuses=tuple(values["statuses"]) or (() if values["rows"] else PROVEN),
    )


def cells_of_each(_context: click.Context, _option: click.Parameter, value: Any) -> int | None:
    """A number of cells; none where all are asked, which overrides an earlier number."""
    return None if value in {None, "all"} else int(click.IntRange(1).convert(value, None, None))


sample_option = click.option(
    "--sample", metavar="N|all", callback=cells_of_each, help="N cells of each area on each row, the same ones."
)
impl_option = click.option(
    "--impl",
    "impls",
    multiple=True,
    metavar="IMPL",
    help="An implementation: a registered name, pkg.mod:attr, cmd:PROGRAM ARGS, or the address of a server; "
    "repeatable, each is a column.",
)


class Seconds(click.ParamType[float]):
    """A time limit: a finite number above 0, or 0 where that has a meaning. ``nan`` and ``inf`` are no limits."""

    name = "seconds"

    def __init__(self, *, zero: bool = False) -> None:
        """``zero``: 0 is taken as well."""
        self.zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of seconds. Raises ``click.BadParameter`` for what is no limit."""
        number = float(click.FLOAT.convert(value, param, ctx))
        if not isfinite(number) or number < 0 or not (number or self.zero):
            self.fail(f"{value} is no time limit; give seconds above 0, such as 60", param, ctx)
        return number


class Percent(click.FloatRange):
    """A share from 0 to 100; ``nan`` is below no bound and is refused."""

    name = "percent"

    def __init__(self) -> None:
        """All of the range."""
        super().__init__(0, 100)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Raises ``click.BadParameter`` for what is none."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no share; give a number from 0 to 100, such as 95", param, ctx)
        return number


SECONDS, SECONDS_OR_NONE, PERCENT = Seconds(), Seconds(zero=True), Percent()
JOBS = click.IntRange(0)
"""How many worker processes; 0 is the default number."""


def server_options(command: Command) -> Command:
    """``--dialect`` and ``--allow-host``, for implementations that are servers."""
    options = (
        click.option(
            "--dialect",
            default=AUTO,
            show_default=True,
            metavar="NAME",
            help="What servers speak: vllm, sglang, llama-server, transformers; auto: they are asked.",
        ),
        click.option(
            "--allow-host",
            "hosts",
            multiple=True,
            metavar="HOST",
            help=f"A host beside this machine that may be asked, and shown the token in {TOKEN}; repeatable.",
        ),
    )
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)
