"""``tokenspec columns``."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from tokenspec.cli.latest import latest
from tokenspec.cli.listing import print_listing
from tokenspec.cli.screen import say, screen
from tokenspec.errors import AdapterError, UnknownName, UsageError

TAKES = "takes what is not installed here:"
INSTALL = "pip install 'tokenspec[reference]'"


@click.group()
def columns() -> None:
    """Implementations of others: list them, and make the environments of those that need one."""


@columns.command("list")
def list_columns() -> None:
    """List the columns: version, whether it is here, areas, what it is.

    Example: tokenspec columns list
    """
    console = screen()
    own = in_process()
    print_listing(console, ("column", "version", "here", "areas", "what"), [*own, *foreign()])
    print_listing(console, ("cannot run here", "version", "why"), not_obtainable())
    if any(what.startswith(TAKES) for *_, what in own):
        click.echo(f"To have them all: {INSTALL}")


def areas_of(operations: Iterable[str]) -> str:
    """The areas that operations answer."""
    from tokenspec.areas import areas

    answered = set(operations)
    return " ".join(area.name for area in areas().values() if area.operation in answered)


def in_process() -> list[Sequence[str]]:
    """The columns that run in this process, installed or not."""
    from tokenspec.adapters.foreign import foreign_columns
    from tokenspec.adapters.resolve import registered, resolve
    from tokenspec.areas import operations

    found: list[Sequence[str]] = []
    for name in sorted(registered().keys() - foreign_columns().keys()):
        try:
            column = resolve(name)
        except AdapterError as error:
            if not isinstance(error.__cause__, ModuleNotFoundError):
                raise
            found.append((name, "not installed", "no", "", f"{TAKES} {error.__cause__.name}"))
            continue
        version = column.info["version"]
        here = "no" if version == "not installed" else "yes"
        what = said_by(type(getattr(column, "adapter", column)))
        found.append((name, version, here, areas_of(filter(column.has, operations())), what))
    return found


def said_by(adapter: type) -> str:
    """The first line of its own words: the module's where it has one to itself."""
    own = adapter.__module__.startswith("tokenspec.columns.")
    words = inspect.getmodule(adapter).__doc__ if own else adapter.__doc__
    return (words or "").strip().partition("\n")[0]


def foreign() -> list[Sequence[str]]:
    """The columns with an environment of their own."""
    from tokenspec.adapters.environment import is_made
    from tokenspec.adapters.foreign import foreign_columns

    return [
        (
            name,
            column.version,
            "yes" if is_made(column) else "no",
            areas_of(column.description.operations),
            f"{column.description.what}; {column.needs}",
        )
        for name, column in foreign_columns().items()
    ]


def not_obtainable() -> list[Sequence[str]]:
    """What was tried and cannot run here, with the command that failed."""
    from tokenspec.adapters.foreign import not_obtainable

    return [(one.name, one.version, f"{one.said} ({one.command})") for one in not_obtainable()]


@columns.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "every", is_flag=True, help="All of them.")
def make(names: tuple[str, ...], every: bool) -> None:
    """Make the environments of columns, in the user's cache; NAME is a column, or the folder of one.

    What is made already is left alone. All that a column needs is pinned, and comes through your own pip or npm.

    Example: tokenspec columns make huggingface-jinja
    """
    from tokenspec.adapters.environment import NotMakeable
    from tokenspec.adapters.environment import make as made
    from tokenspec.adapters.foreign import foreign_column, foreign_columns

    if bool(names) == every:
        raise UsageError("name columns, or all: tokenspec columns make --all. See: tokenspec columns list")
    failed: list[NotMakeable] = []
    with screen(stderr=True).status("making") as status:
        for name in names or foreign_columns():
            column = foreign_column(name)
            if column is None:
                raise UnknownName("column with an environment of its own", name, foreign_columns())
            try:
                folder: Path = made(column, status.update)
            except NotMakeable as error:
                failed.append(error)
                say(f"tokenspec: {error}", err=True)
                continue
            say(f"{name}: {folder}")
    if failed:
        raise SystemExit(NotMakeable.exit_code)


columns.add_command(latest)
