"""Replies of no use: as many as are allowed, of every unit, over all chunks or in each chunk; and one more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.units import UNITS, recorded
from tokenspec.store.records import Case

FACT, PLAN = (f'{{"label": "{label}"}}' for label in ("Fact", "Plan"))
ASKED: dict[str, tuple[str, str, int, list[str], list[str], dict[str, Any]]] = {
    "argument": ("ENG-104", "max_retry", 30, UNITS[:2], [FACT, PLAN], {}),
    "unit-groups": ("ENG-107", "max_retry", 30, UNITS[:6], ["[[0, 1], [2, 3]]", "[[0], [1, 2, 3]]"], {"chunk_size": 4}),
    "offsets": (
        "ENG-108",
        "max_retries_per_chunk",
        10,
        ["0123456789" * 6],
        ["[[0, 12], [12, 30]]", "[[0, 9], [9, 30]]"],
        {"chunk_size": 30},
    ),
}
"""Per engine what it keeps, the option and its default, units, the two replies that are of use, other options."""


def cases() -> Iterator[Case]:
    """By default, and with the option given."""
    for engine, (requires, option, default, units, (first, second), given) in ASKED.items():
        for slug, allowed, told in (("default", default, {}), ("given", 2, {option: 2}), ("none", 0, {option: 0})):
            further = 0 if engine == "unit-groups" else allowed
            before = [*[""] * allowed, first, *[""] * further]
            parameters = {**given, **told}
            yield recorded(
                f"unit-{engine}-patience-{slug}",
                "As many replies of no use as are allowed.",
                f"ENG-106 {requires}",
                engine,
                units,
                {"replies": [*before, second]},
                **parameters,
            )
            yield recorded(
                f"unit-{engine}-impatience-{slug}",
                "One more, behind a reply of use.",
                "ENG-106",
                engine,
                units,
                {"replies": [*before, "", second]},
                **parameters,
                refused=("unusable-reply", "/model"),
            )


CASES = tuple(cases())
