"""What a template sees: the caller's values with an origin on every leaf.

Containers stay plain ``dict`` and ``list``: the sandbox and the type tests of a template must not notice anything. The
table remembers by identity which message a container belongs to, and where the leaves sit that cannot be subclassed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .limits import printed_size, size_of_measured
from .provenance import DERIVED, Origin, Tracked, runs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Path = tuple[str | int, ...]


class TrackedInt(int):
    """An ``int`` that knows its origin. Arithmetic gives plain numbers, whose text is derived."""

    _tokenspec_origin: int


class TrackedFloat(float):
    """A ``float`` that knows its origin."""

    _tokenspec_origin: int


def number_origin(value: Any) -> int:
    """Origin of a number; of a plain number (computed by the template) derived."""
    if isinstance(value, (TrackedInt, TrackedFloat)):
        return value._tokenspec_origin  # noqa: SLF001 - this function is the accessor
    return DERIVED


class ValueTable:
    """Origins of one render, by the identities of the containers they live in.

    What a render is given lives as long as its variables.
    """

    def __init__(self) -> None:
        """Start with the two origins every render has: scaffold and derived."""
        self.origins: list[Origin] = [Origin(-1, ()), Origin(-1, (), computed=True)]
        self._messages: dict[int, int] = {}
        self._whole: set[int] = set()
        self._scalars: dict[tuple[int, Any], int] = {}
        self.sizes: dict[int, int] = {}

    def origin(self, message: int, path: Path, *, key: bool = False, computed: bool = False) -> int:
        """Number of a new origin."""
        self.origins.append(Origin(message, path, key, computed))
        return len(self.origins) - 1

    def scalar(self, container: Any, key: Any) -> int:
        """Origin of the True, False or None at ``container[key]``; derived in a container the template made."""
        return self._scalars.get((id(container), key), DERIVED)

    def track(self, value: Any, message: int, path: Path) -> Any:
        """A copy of a plain JSON value whose leaves are tracked."""
        kind = type(value)
        if kind is str:
            return Tracked.from_origin(value, self.origin(message, path))
        if kind is dict:
            tracked = {
                Tracked.from_origin(key, self.origin(message, (*path, key), key=True)): self.track(
                    item, message, (*path, key)
                )
                for key, item in value.items()
            }
            return self._register(tracked, tracked.items(), message, path)
        if kind is list or kind is tuple:
            items = kind(self.track(item, message, (*path, k)) for k, item in enumerate(value))
            return self._register(items, enumerate(items), message, path)
        if kind is int or kind is float:
            number = TrackedInt(value) if kind is int else TrackedFloat(value)
            number._tokenspec_origin = self.origin(message, path)  # noqa: SLF001 - set where it is made
            return number
        return value

    def _register(self, container: Any, items: Iterable[tuple[Any, Any]], message: int, path: Path) -> Any:
        self.sizes[id(container)] = size_of_measured(container, self.sizes)
        self._messages[id(container)] = message
        if not path:
            self._whole.add(id(container))
        for key, item in items:
            if item is None or item is True or item is False:
                self._scalars[id(container), key] = self.origin(message, (*path, key))
        return container

    def measure(self, container: Any) -> None:
        """Know the size of a container from now on: nothing in a template can change it."""
        self.sizes[id(container)] = printed_size(container, self.sizes)

    def is_message(self, value: Any) -> bool:
        """Whether a value is a whole message, no part of one."""
        return id(value) in self._whole

    def message_of(self, value: Any) -> int:
        """The message a value was taken from; -1 when it was taken from none."""
        if isinstance(value, str):
            return next((self.origins[o].message for _, o in runs_of(value) if self.origins[o].message >= 0), -1)
        if isinstance(value, (list, dict)):
            return self._messages.get(id(value), -1)
        if isinstance(value, tuple):
            return next((owner for owner in map(self.message_of, value) if owner >= 0), -1)
        return -1
