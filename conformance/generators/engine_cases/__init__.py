"""The engines corpus: tables, tiny models, refusals, rules, fusion and agreement."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.model import Case

from .formula import all_formula
from .others import all_others
from .refused import all_refused
from .scripted import all_scripted


def all_cases() -> Iterator[Case]:
    """Every case of the area."""
    yield from all_scripted()
    yield from all_refused()
    yield from all_others()
    yield from all_formula()
