"""What a template sees: the caller's values with an origin on every leaf.

Containers stay plain ``dict`` and ``list`` (the sandbox and the type tests of a template must not notice anything); the
table remembers by identity which message a container belongs to and where the leaves sit that cannot be subclassed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .provenance import DERIVED, Origin, Tracked, runs_of


class TrackedInt(int):
    """An ``int`` that knows its origin; arithmetic gives plain numbers, whose text is derived."""

    _tokenspec_origin: int


class TrackedFloat(float):
    """A ``float`` that knows its origin."""

    _tokenspec_origin: int


class ValueTable:
    """Origins of one render, and the containers they live in (kept alive, so that identities stay unique)."""

    def __init__(self) -> None:
        """Start with the two origins that every render has: scaffold and derived."""
        self.origins: list[Origin] = [Origin(-1, ()), Origin(-1, ("derived",))]
        self._messages: dict[int, int] = {}
        self._scalars: dict[tuple[int, Any], int] = {}
        self._alive: list[Any] = []

    def origin(self, message: int, path: tuple[str | int, ...], *, key: bool = False) -> int:
        """Number of a new origin."""
        self.origins.append(Origin(message, path, key))
        return len(self.origins) - 1

    def scalar(self, container: Any, key: Any) -> int:
        """Origin of the True, False or None at ``container[key]``; derived when the template made the container."""
        return self._scalars.get((id(container), key), DERIVED)

    def track(self, value: Any, message: int, path: tuple[str | int, ...]) -> Any:
        """A copy of a plain JSON value whose leaves are tracked."""
        kind = type(value)
        if kind is str:
            return Tracked.from_origin(value, self.origin(message, path))
        if kind is dict:
            tracked = {
                self._key(key, message, (*path, key)): self.track(item, message, (*path, key))
                for key, item in value.items()
            }
            return self._register(tracked, tracked.items(), message, path)
        if kind is list or kind is tuple:
            items = kind(self.track(item, message, (*path, k)) for k, item in enumerate(value))
            return self._register(items, enumerate(items), message, path)
        if kind is int or kind is float:
            number = TrackedInt(value) if kind is int else TrackedFloat(value)
            number._tokenspec_origin = self.origin(message, path)
            return number
        return value

    def _key(self, key: str, message: int, path: tuple[str | int, ...]) -> str:
        return Tracked.from_origin(key, self.origin(message, path, key=True))

    def _register(self, container: Any, items: Any, message: int, path: tuple[str | int, ...]) -> Any:
        self._alive.append(container)
        self._messages[id(container)] = message
        for key, item in items:
            if item is None or item is True or item is False:
                self._scalars[id(container), str.__str__(key) if isinstance(key, str) else key] = self.origin(
                    message, (*path, key)
                )
        return container

    def message_of(self, value: Any) -> int:
        """The message a value was taken from, -1 when it was taken from none."""
        if isinstance(value, str):
            return next(
                (self.origins[o].message for _, o in runs_of(value) if self.origins[o].message >= 0), -1
            )
        if isinstance(value, (list, dict)):
            return self._messages.get(id(value), -1)
        if isinstance(value, tuple):
            return next((owner for owner in map(self.message_of, value) if owner >= 0), -1)
        if isinstance(value, (TrackedInt, TrackedFloat)):
            return self.origins[value._tokenspec_origin].message
        return -1


def is_container(value: Any) -> bool:
    """Lists, tuples and mappings."""
    return isinstance(value, (list, tuple, Mapping))
