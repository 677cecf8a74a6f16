"""Half of a surrogate pair: a text of Python or JSON can hold it, but it cannot be written as UTF-8."""

from __future__ import annotations


def has_lone_surrogate(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, so that it cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
