"""What is worked out once for a model or a tokenizer and used until it changes; neither is kept alive by it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Found = TypeVar("Found")
_found: weakref.WeakKeyDictionary[Any, dict[str, tuple[Hashable, Any]]] = weakref.WeakKeyDictionary()


def remembered(owner: Any, what: str, state: Hashable, find: Callable[[], Found]) -> Found:
    """What ``find`` gave when ``owner`` was last in this ``state``; its result must not refer to ``owner``."""
    try:
        known = _found.setdefault(owner, {})
    except TypeError:  # neither hash nor weak reference
        return find()
    if what not in known or known[what][0] != state:
        known[what] = state, find()
    result: Found = known[what][1]
    return result


def state_of(weights: list[Any]) -> Hashable:
    """Changes when a tensor is replaced, moved, or written to in place (but through ``.data``)."""
    versions = (-1 if weight.is_inference() else weight._version for weight in weights)  # noqa: SLF001 - the one counter
    return tuple((weight.data_ptr(), version) for weight, version in zip(weights, versions, strict=True))


def forget() -> None:
    """Begin anew; for measurements."""
    _found.clear()
