"""``tojson`` with provenance. The text is what ``json.dumps`` says; the pieces say where it came from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .printing import agreed
from .provenance import Tracked, concat, parts_of
from .values import number_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .values import ValueTable

_CONSTANTS = {None: "null", True: "true", False: "false"}


def tojson(value: Any, table: ValueTable, **style: Any) -> str:
    """``value | tojson`` as transformers defines it: nothing HTML-escaped, insertion order, non-ASCII as it is.

    ``style`` holds ``ensure_ascii``, ``indent``, ``separators``, ``sort_keys``. Quotes, punctuation and white space are
    scaffold; keys, strings, numbers and constants keep their origin; an escape belongs to the character it stands for.
    """
    text = json.dumps(value, **style)
    return agreed(text, concat(_Layout(table, **style).pieces(value, "\n")))


class _Layout:
    """The layout rules of ``json.dumps``."""

    def __init__(self, table: ValueTable, *, ensure_ascii: Any, indent: Any, separators: Any, sort_keys: Any) -> None:
        dump = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
        self._dump: Callable[[str], str] = dump
        self._indent = " " * indent if isinstance(indent, int) else indent
        comma, colon = separators or ("," if indent is not None else ", ", ": ")
        self._comma: str = comma
        self._colon: str = colon
        self._sort_keys = sort_keys
        self._table = table

    def pieces(self, value: Any, newline: str) -> Iterable[str]:
        """Text of ``value``; ``newline`` is the line break and indentation of the line it starts on."""
        inside = newline if self._indent is None else newline + self._indent
        if isinstance(value, str):
            yield from self._quoted(value)
        elif isinstance(value, dict):
            items = sorted(value.items()) if self._sort_keys else value.items()
            entries = ((*self._key(key), self._colon, *self._item(value, key, item, inside)) for key, item in items)
            yield from self._bracketed("{}", entries, newline, inside)
        elif isinstance(value, (list, tuple)):
            elements = (tuple(self._item(value, index, item, inside)) for index, item in enumerate(value))
            yield from self._bracketed("[]", elements, newline, inside)
        else:
            yield Tracked.from_origin(json.dumps(value), number_origin(value))

    def _bracketed(self, brackets: str, entries: Iterable[tuple[str, ...]], newline: str, inside: str) -> Iterable[str]:
        yield brackets[0]
        empty = True
        for entry in entries:
            yield "" if empty else self._comma
            yield "" if self._indent is None else inside
            yield from entry
            empty = False
        yield "" if empty or self._indent is None else newline
        yield brackets[1]

    def _item(self, container: Any, key: Any, item: Any, newline: str) -> Iterable[str]:
        if item is None or isinstance(item, bool):
            yield Tracked.from_origin(_CONSTANTS[item], self._table.scalar(container, key))
        else:
            yield from self.pieces(item, newline)

    def _key(self, key: Any) -> Iterable[str]:
        if isinstance(key, str):
            return self._quoted(key)
        return ('"', json.dumps(key), '"')

    def _quoted(self, value: str) -> Iterable[str]:
        yield '"'
        for part, origin in parts_of(value):
            yield Tracked.from_origin(self._dump(part)[1:-1], origin)
        yield '"'
