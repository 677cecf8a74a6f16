"""The smallest input that still shows a difference, found by hypothesis's shrinker.

The input is taken apart into pieces that may be missing: items of lists, entries of objects, runs of characters. Each
is one yes or no; hypothesis starts from all of them and turns as many into no as it can.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from tokenspec.errors import UsageError

PIECES = 24
"""Of one text in one round; the next round cuts what is left finer."""

ROUNDS = 6
NEVER_LEFT_OUT = frozenset({"role", "type", "task", "profile"})
"""Entries without which an object is another kind of object."""

Fails = Callable[[Any], bool]
Asks = Callable[[], bool]


def smallest(value: Any, fails: Fails, *, seconds: float) -> Any:
    """A JSON value made of ``value`` by leaving pieces out, for which ``fails`` still holds.

    Args:
        value: what is known to fail.
        fails: whether the difference is there; asked about many values, some of them no valid input.
        seconds: after so many nothing smaller is looked for.

    Raises:
        UsageError: hypothesis is not installed.
    """
    end = time.monotonic() + seconds
    for _ in range(ROUNDS):
        found = one_round(value, fails, end)
        if found == value:
            break
        value = found
    return value


def one_round(value: Any, fails: Fails, end: float) -> Any:
    """What one run of the shrinker leaves of a value."""
    try:
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis import strategies as st
        from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
        from hypothesis.errors import NoSuchExample
    except ModuleNotFoundError as error:
        raise UsageError(
            f"shrinking needs {error.name}. Run: pip install 'tokenspec[pytest]', or keep the input: --seconds 0"
        ) from error

    asked: list[bool] = []

    def count() -> bool:
        asked.append(True)
        return True

    without_some(value, count)
    known, key = InMemoryExampleDatabase(), b"the whole value"
    # One answer too many: what is stored and replayed to the letter is taken for shrunk already.
    known.save(key, choices_to_bytes([*asked, True]))

    @st.composite
    def parts(draw: Callable[[st.SearchStrategy[bool]], bool]) -> Any:
        return without_some(value, lambda: draw(st.booleans()))

    answers: dict[str, bool] = {}

    def still_fails(candidate: Any) -> bool:
        """Asked twice, it says the same: what was found before the time ran out still fails behind it."""
        written = json.dumps(candidate)
        if written not in answers:
            answers[written] = time.monotonic() < end and fails(candidate)
        return answers[written]

    quiet = settings(
        database=known,
        deadline=None,
        derandomize=False,
        phases=[Phase.reuse, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(parts(), still_fails, settings=quiet, database_key=key)
    except NoSuchExample:
        return value


def without_some(value: Any, kept: Asks) -> Any:
    """The value without the pieces that ``kept`` says no to; it is asked in a fixed order."""
    if isinstance(value, list):
        return [without_some(item, kept) for item in value if kept()]
    if isinstance(value, dict):
        return {
            key: without_some(item, kept) if isinstance(item, str | list | dict) and key not in NEVER_LEFT_OUT else item
            for key, item in value.items()
            if key in NEVER_LEFT_OUT or kept()
        }
    if isinstance(value, str):
        size = max(1, -(-len(value) // PIECES))
        return "".join(value[at : at + size] for at in range(0, len(value), size) if kept())
    return value
