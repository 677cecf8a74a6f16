"""The fast-forward corpus, in families by slug."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import generated, published, small, special, targeted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.model import Case


def all_cases() -> Iterator[Case]:
    """Every case."""
    for family in (published, targeted, special, small, generated):
        yield from family.cases()
