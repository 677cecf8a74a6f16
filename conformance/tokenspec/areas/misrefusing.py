"""Broken refusals of any area: the right inputs are refused, for another reason or at another place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.errors import TokenSpecError

Edit = Callable[[TokenSpecError], None]


class Misrefusing(ReferenceAdapter):
    """The reference with one edit of every refusal of one operation."""

    def __init__(self, operation: str, edit: Edit) -> None:
        """``edit`` changes the error that is on its way."""
        super().__init__()
        answer = getattr(super(), operation)

        def edited(request: dict[str, Any]) -> Any:
            try:
                return answer(request)
            except TokenSpecError as error:
                edit(error)
                raise

        setattr(self, operation, edited)


def misrefusing(area: str, operation: str, slug: str, breaks: str, note: str, edit: Edit) -> Mutant:
    """A mutant of an area."""
    return Mutant(f"{area}-{slug}", area, tuple(breaks.split()), note, lambda: Misrefusing(operation, edit))


def coded(code: str) -> Edit:
    """Every refusal has this code."""

    def edit(error: TokenSpecError) -> None:
        error.rejection_code = code

    return edit


def placing(change: Callable[[str], str]) -> Edit:
    """The place of every refusal is changed."""

    def edit(error: TokenSpecError) -> None:
        error.rejection_place = change(error.rejection_place)

    return edit
