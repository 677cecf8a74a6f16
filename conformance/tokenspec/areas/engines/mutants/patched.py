"""How a broken engine is made: the reference with names of its modules replaced, or with its request or answer edited."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter

PACKAGE = "tokenspec_reference.engines."
Request = dict[str, Any]
Result = dict[str, Any]
TINY = ("toy-bpe",)
Replacements = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class Patched(ReferenceAdapter):
    """The reference while ``replacements`` (dotted name below the engines package -> object) are in force."""

    def __init__(
        self,
        replacements: Replacements,
        before: Callable[[Request], None] | None,
        after: Callable[[Request, Result], None] | None,
    ) -> None:
        """Without replacements and edits this is the unmutated twin."""
        super().__init__()
        self.replacements, self.before, self.after = replacements, before, after

    def segment(self, request: Request) -> Result:
        """Edit, segment under the replacements, edit."""
        given = copy.deepcopy(request)
        if self.before is not None:
            self.before(given)
        replacements = self.replacements() if callable(self.replacements) else self.replacements
        with contextlib.ExitStack() as stack:
            for name, value in replacements.items():
                stack.enter_context(mock.patch(PACKAGE + name, value))
            result = super().segment(given)
        if self.after is not None:
            self.after(request, result)
        return result


def mutant(
    id_: str,
    breaks: str,
    note: str,
    replacements: Replacements | None = None,
    *,
    before: Callable[[Request], None] | None = None,
    after: Callable[[Request, Result], None] | None = None,
    rows: tuple[str, ...] = ("-",),
) -> Mutant:
    """One mutant, on the tables unless it breaks what only a model shows (``rows=TINY``).

    Replacements that need the reference's classes are built by a function when the mutant runs.
    """
    return Mutant(
        id=f"engines-{id_}",
        area="engines",
        breaks=tuple(breaks.split()),
        note=note,
        make=lambda: Patched(replacements or {}, before, after),
        rows=rows,
    )
