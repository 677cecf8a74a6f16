"""JSON as data sets have it: what Python reads and no other reader agrees on is told."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any


class Repeated(dict[str, Any]):
    """An object that had a key twice; the last value won. ``keys_given`` are the keys that stood there again."""

    keys_given: tuple[str, ...] = ()


def parse(text: str) -> Any:
    """The value of a JSON text; objects with repeated keys are :class:`Repeated`.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    again = [name for name, _ in pairs if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    marked = Repeated(found)
    marked.keys_given = tuple(dict.fromkeys(again))
    return marked


def oddities(value: Any) -> Iterator[str]:
    """NaN, infinities and repeated keys of a value, each with its place."""
    left: list[tuple[str, Any]] = [("", value)]
    while left:
        path, item = left.pop()
        if isinstance(item, float) and not math.isfinite(item):
            yield f"{path or 'the record'} is {item}, which is no JSON"
        elif isinstance(item, dict):
            if isinstance(item, Repeated):
                yield f"{path or 'the record'} has the key {', '.join(map(repr, item.keys_given))} twice"
            left.extend((f"{path}.{name}" if path else str(name), inner) for name, inner in item.items())
        elif isinstance(item, list):
            left.extend((f"{path}[{index}]", inner) for index, inner in enumerate(item))
