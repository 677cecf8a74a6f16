"""How values become text: what ``{{ value }}`` and ``~`` print, with provenance.

Each printer first asks Python for the plain text, then rebuilds it from tracked pieces. Where the two differ, the plain
text wins and its characters are marked derived: the text is never at risk, and attribution is never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .provenance import Tracked, concat, derived, parts_of, runs_of
from .safe import SafeText
from .values import number_origin

if TYPE_CHECKING:
    from .values import ValueTable


def text_of(value: Any, table: ValueTable) -> str:
    """``str(value)`` as a template prints it."""
    if isinstance(value, Tracked):
        return value.unmarked()
    if isinstance(value, str):
        return value if type(value) is str else derived(value)
    text = str(value)
    if isinstance(value, (list, tuple, Mapping)):
        return agreed(text, concat(repr_pieces(value, table)))
    return Tracked.from_origin(text, number_origin(value)) if text else text


def agreed(text: str, tracked: str) -> str:
    """``tracked`` if it says ``text``, else ``text`` as derived."""
    return tracked if str.__eq__(text, tracked) else derived(text)


def repr_pieces(value: Any, table: ValueTable) -> Iterable[str]:
    """``repr(value)``: quotes, punctuation and white space are scaffold, keys and values keep their origin."""
    if isinstance(value, SafeText):
        yield from ("Markup(", *_quoted(value), ")")
    elif isinstance(value, str):
        yield from _quoted(value)
    elif isinstance(value, Mapping):
        yield "{"
        for index, (key, item) in enumerate(value.items()):
            yield ", " if index else ""
            yield from repr_pieces(key, table)
            yield ": "
            yield from _item(value, key, item, table)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "[" if isinstance(value, list) else "("
        for index, item in enumerate(value):
            yield ", " if index else ""
            yield from _item(value, index, item, table)
        yield "]" if isinstance(value, list) else ",)" if len(value) == 1 else ")"
    else:
        yield Tracked.from_origin(repr(value), number_origin(value))


def _item(container: Any, key: Any, item: Any, table: ValueTable) -> Iterable[str]:
    """True, False and None cannot be subclassed: their origin is their place in the container."""
    if item is None or isinstance(item, bool):
        yield Tracked.from_origin(repr(item), table.scalar(container, key))
    else:
        yield from repr_pieces(item, table)


def _quoted(value: str) -> Iterable[str]:
    """``repr`` of a string: the quote is chosen by the whole string, so runs are measured inside it."""
    text = str.__repr__(value)
    quote, inner = text[0], text[1:-1]
    yield quote
    if len(runs_of(value)) == 1:
        yield Tracked.from_origin(inner, runs_of(value)[0][1])
    else:
        position = 0
        for part, origin in parts_of(value):
            end = position + sum(_repr_width(character, quote) for character in part)
            yield Tracked.from_origin(inner[position:end], origin)
            position = end
    yield quote


def _repr_width(character: str, quote: str) -> int:
    if character in "'\"":
        return 2 if character == quote else 1
    return len(repr(character)) - 2
