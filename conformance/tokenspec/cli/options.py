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


class Seconds(click.FloatRange):
    """A time limit: a finite number above 0. Neither 0 nor ``nan`` nor ``inf`` may mean "no limit"."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of seconds. Raises ``click.BadParameter`` for what is no limit."""
        number = float(click.FLOAT.convert(value, param, ctx))
        if not isfinite(number) or number <= 0:
            self.fail(f"{value} is no time limit; give seconds above 0, such as 60", param, ctx)
        return number


SECONDS = Seconds()


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
