"""Parameter checks shared by the engines: every refusal names the parameter and its range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter


def finite(value: Any, field: str) -> float:
    """A finite real number.

    Raises:
        InvalidParameter: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidParameter(f"expected a finite number, got {value!r}", field=field)
    return float(value)


def percentage(value: Any, field: str) -> float:
    """A number in [0, 100].

    Raises:
        InvalidParameter: anything else.
    """
    number = finite(value, field)
    if not 0 <= number <= 100:
        raise InvalidParameter(f"{value!r} is outside [0, 100]", field=field)
    return number


def positive(value: Any, field: str) -> int:
    """An integer of at least 1.

    Raises:
        InvalidParameter: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidParameter(f"expected an integer >= 1, got {value!r}", field=field)
    return value


def text(value: Any, field: str) -> str:
    """A string.

    Raises:
        InvalidParameter: anything else.
    """
    if not isinstance(value, str):
        raise InvalidParameter(f"expected a string, got {type(value).__name__}", field=field)
    return value


def one_of(value: Any, allowed: Sequence[str], field: str) -> None:
    """Refuse what is none of the given words.

    Raises:
        InvalidParameter: anything else; lists the words.
    """
    if value not in allowed:
        raise InvalidParameter(f"{value!r} is not one of {', '.join(allowed)}", field=field)
