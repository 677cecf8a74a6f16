"""``tojson`` with provenance. The text is what ``json.dumps`` says; the pieces say where it came from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .printing import agreed
from .provenance import Tracked, concat, runs_of
from .values import TrackedFloat, TrackedInt, ValueTable

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONSTANTS = {None: "null", True: "true", False: "false"}


def tojson(
    value: Any,
    table: ValueTable,
    ensure_ascii: Any = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: Any = False,
) -> str:
    """``value | tojson`` as transformers defines it (nothing HTML-escaped, insertion order, non-ASCII as it is).

    Quotes, punctuation and white space are scaffold; keys, strings, numbers and constants keep their origin; an escape
    belongs to the character it stands for.
    """
    text = json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
    style = _Style(bool(ensure_ascii), indent, separators, bool(sort_keys), table)
    return agreed(text, concat(style.pieces(value, "\n")), value)


class _Style:
    def __init__(
        self, ensure_ascii: bool, indent: Any, separators: Any, sort_keys: bool, table: ValueTable
    ) -> None:
        self.dump = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
        self.indent = " " * indent if isinstance(indent, int) else indent
        self.comma, self.colon = separators or (", " if indent is None else ",", ": ")
        self.sort_keys = sort_keys
        self.table = table

    def pieces(self, value: Any, newline: str) -> Iterable[str]:
        """Text of ``value``; ``newline`` is the line break and indentation of the line it starts on."""
        if isinstance(value, str):
            yield from self._quoted(value)
        elif isinstance(value, (TrackedInt, TrackedFloat)):
            yield Tracked.from_origin(json.dumps(value), value._tokenspec_origin)
        elif isinstance(value, dict):
            items = sorted(value.items()) if self.sort_keys else value.items()
            entries = (
                (*self._key(key), self.colon, *self._item(value, key, item, self._deeper(newline)))
                for key, item in items
            )
            yield from self._bracketed("{", "}", entries, newline)
        elif isinstance(value, (list, tuple)):
            elements = (
                tuple(self._item(value, index, item, self._deeper(newline)))
                for index, item in enumerate(value)
            )
            yield from self._bracketed("[", "]", elements, newline)
        else:
            yield json.dumps(value)

    def _bracketed(
        self, opening: str, closing: str, entries: Iterable[tuple[str, ...]], newline: str
    ) -> Iterable[str]:
        yield opening
        first = True
        for entry in entries:
            if not first:
                yield self.comma
            if self.indent is not None:
                yield self._deeper(newline)
            yield from entry
            first = False
        if not first and self.indent is not None:
            yield newline
        yield closing

    def _deeper(self, newline: str) -> str:
        return newline if self.indent is None else newline + self.indent

    def _item(self, container: Any, key: Any, item: Any, newline: str) -> Iterable[str]:
        if item is None or isinstance(item, bool):
            yield Tracked.from_origin(_CONSTANTS[item], self.table.scalar(container, key))
        else:
            yield from self.pieces(item, newline)

    def _key(self, key: Any) -> Iterable[str]:
        if isinstance(key, str):
            return self._quoted(key)
        text = _CONSTANTS[key] if key is None or isinstance(key, bool) else json.dumps(key)
        return ('"', text, '"')

    def _quoted(self, value: str) -> Iterable[str]:
        yield '"'
        position = 0
        for length, origin in runs_of(value):
            part = str.__getitem__(value, slice(position, position + length))
            yield Tracked.from_origin(self.dump(part)[1:-1], origin)
            position += length
        yield '"'
