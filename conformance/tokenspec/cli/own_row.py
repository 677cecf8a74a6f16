"""``--row FOLDER``: a model of the user's own among the rows of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tokenspec.cli.screen import screen
from tokenspec.errors import UsageError
from tokenspec.verdict import given_as


def is_own(row: str) -> bool:
    """Whether ``--row`` names a folder or a model of the hub: no id of a row has a slash, or is a dot."""
    return "/" in row or row in {".", ".."}


@contextmanager
def own_rows(rows: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The ids of rows, one of which may be the user's own; it is one within the block.

    Raises:
        UsageError: two are.
    """
    own = [row for row in rows if is_own(row)]
    if not own:
        yield rows
        return
    if len(own) > 1:
        raise UsageError(f"--row {own[1]}: one model of your own a run")
    from tokenspec.addition.own import own_row

    with ExitStack() as stack:
        with screen(stderr=True).status(f"reading {own[0]}") as status:

            def step(what: str, done: int, total: int) -> None:
                status.update(f"{what} {done}/{total}" if total > 1 else what)

            name = stack.enter_context(own_row(own[0], step))
        stack.enter_context(given_as({name: own[0]}))
        yield tuple(name if row == own[0] else row for row in rows)
