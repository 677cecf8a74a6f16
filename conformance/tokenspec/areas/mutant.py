"""Deliberately broken implementations. Each must be caught by a check that cites what it breaks.

A module of this package exports ``MUTANTS: tuple[Mutant, ...]``. A mutant is an ordinary adapter, usually the
reference with one small edit. ``tokenspec mutants`` runs the unmutated ``twin`` first: it must pass everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One broken implementation.

    Attributes:
        id: stable name, ``render-drop-bos``.
        area: whose cases it runs on.
        breaks: requirement ids of which at least one must be cited by a failing check.
        note: the one edit, in words.
        make: builds the adapter.
        rows: row keys to run on; empty means the toy rows and ``-``.
    """

    id: str
    area: str
    breaks: tuple[str, ...]
    note: str
    make: Callable[[], object]
    rows: tuple[str, ...] = ()
