"""How a fast-forward mutant is made: the reference with an edit before its work, inside it, or after."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter

Request = dict[str, Any]
Result = dict[str, Any]
Before = Callable[[Request], None]
After = Callable[[Request, Result], None]


class Edited(ReferenceAdapter):
    """The reference with an edit of the request, of a name inside it, or of the result."""

    def __init__(self, before: Before | None, after: After | None, replaced: Sequence[tuple[Any, str, Any]]) -> None:
        """Any of the three may be absent; without all of them this is the unmutated twin."""
        super().__init__()
        self.before, self.after, self.replaced = before, after, replaced

    def fast_forward(self, request: Request) -> Result:
        """Edit, answer with parts replaced, edit."""
        given = copy.deepcopy(request)
        if self.before is not None:
            self.before(given)
        with _patched(self.replaced):
            result = super().fast_forward(given)
        if self.after is not None:
            self.after(request, result)
        return result


@contextmanager
def _patched(replaced: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    if not replaced:
        yield
        return
    owner, name, value = replaced[0]
    with patch.object(owner, name, value), _patched(replaced[1:]):
        yield


def mutant(
    id_: str,
    breaks: str,
    note: str,
    *replaced: tuple[Any, str, Any],
    before: Before | None = None,
    after: After | None = None,
    rows: tuple[str, ...] = ("toy-bpe", "-"),
) -> Mutant:
    """One mutant; ``breaks`` lists requirement ids."""
    return Mutant(
        f"fast-forward-{id_}",
        "fast-forward",
        tuple(breaks.split()),
        note,
        lambda: Edited(before, after, replaced),
        rows,
    )


def answers(result: Result, request: Request, mode: str | None = None) -> Iterator[tuple[Request, Result]]:
    """Queries with their answers."""
    for query, answer in zip(request["queries"], result["answers"], strict=True):
        if mode is None or query.get("mode", "llguidance") == mode:
            yield query, answer


def schemas_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, the outer ones first."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inner in list(value.values() if isinstance(value, dict) else value):
            yield from schemas_in(inner)
