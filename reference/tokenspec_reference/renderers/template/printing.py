"""How values become text: what ``{{ value }}``, ``~``, ``%`` and ``format`` print, with provenance.

Each printer first asks Python for the plain text, then rebuilds it from tracked pieces. Where the two differ (an exotic
conversion) the plain text wins and its characters are marked derived: text is never at risk, attribution is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .provenance import DERIVED, Tracked, concat, derived, runs_of
from .values import TrackedFloat, TrackedInt, ValueTable

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?[hlL]?(?P<type>.)",
    re.DOTALL,
)


def text_of(value: Any, table: ValueTable) -> str:
    """``str(value)`` as the template prints it."""
    if isinstance(value, str):
        return value.unmarked() if isinstance(value, Tracked) else _plain_or_derived(value)
    text = str(value)
    if isinstance(value, (TrackedInt, TrackedFloat)):
        return Tracked.from_origin(text, value._tokenspec_origin)
    if isinstance(value, (list, tuple, Mapping)):
        return agreed(text, concat(_repr_pieces(value, table)), value)
    if not text:
        return text  # an undefined variable
    return derived(text)


def _plain_or_derived(value: str) -> str:
    """A template constant is itself; ``Markup`` was computed by a filter that nobody followed."""
    return value if type(value) is str else derived(value)


def agreed(text: str, tracked: str, *sources: Any) -> str:
    """``tracked`` if it says ``text``, else ``text`` with what can be said about it."""
    if str.__eq__(text, tracked):
        return tracked
    return derived(text, *(source for source in sources if isinstance(source, str)))


def repr_pieces_of_text(value: str) -> Iterable[str]:
    """``repr`` of one string: quotes and escapes follow the whole string, so runs are measured inside it."""
    text = str.__repr__(value)
    runs = runs_of(value)
    quote, inner = text[0], text[1:-1]
    yield quote
    if len(runs) == 1:
        yield Tracked.from_origin(inner, runs[0][1])
    else:
        position = source = 0
        for length, origin in runs:
            part = str.__getitem__(value, slice(source, source + length))
            size = sum(_repr_width(character, quote) for character in part)
            yield Tracked.from_origin(inner[position : position + size], origin)
            position, source = position + size, source + length
    yield quote


def _repr_width(character: str, quote: str) -> int:
    if character in "'\"":
        return 2 if character == quote else 1
    return len(repr(character)) - 2


def _repr_pieces(value: Any, table: ValueTable) -> Iterable[str]:
    if isinstance(value, str):
        yield from repr_pieces_of_text(value)
    elif isinstance(value, (TrackedInt, TrackedFloat)):
        yield Tracked.from_origin(repr(value), value._tokenspec_origin)
    elif isinstance(value, Mapping):
        yield "{"
        for index, (key, item) in enumerate(value.items()):
            yield ", " if index else ""
            yield from _repr_pieces(key, table)
            yield ": "
            yield from _item_pieces(value, key, item, table)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "[" if isinstance(value, list) else "("
        for index, item in enumerate(value):
            yield ", " if index else ""
            yield from _item_pieces(value, index, item, table)
        yield "]" if isinstance(value, list) else ",)" if len(value) == 1 else ")"
    else:
        yield derived(repr(value))


def _item_pieces(container: Any, key: Any, item: Any, table: ValueTable) -> Iterable[str]:
    """True, False and None cannot be subclassed; their origin is their place in the container."""
    if item is None or isinstance(item, bool):
        yield Tracked.from_origin(repr(item), table.scalar(container, key))
    else:
        yield from _repr_pieces(item, table)


def percent(template: str, arguments: Any, table: ValueTable) -> str:
    """``template % arguments``."""
    text = str.__str__(template) % arguments
    values = list(arguments) if isinstance(arguments, tuple) else [arguments]
    pieces: list[str] = []
    position = 0
    for match in _PERCENT.finditer(template):
        pieces.append(template[position : match.start()])
        position = match.end()
        if match["type"] == "%":
            pieces.append(template[match.end() - 1 : match.end()])
            continue
        options = [values.pop(0) for part in (match["width"], match["precision"]) if part == "*"]
        value = arguments[match["key"]] if match["key"] is not None else values.pop(0)
        pieces.append(_converted(match, options, value, table))
    pieces.append(template[position:])
    return agreed(text, concat(pieces), template, *_texts(arguments))


def _converted(match: re.Match[str], options: list[Any], value: Any, table: ValueTable) -> str:
    specification = "%" + match.group()[len(f"({match['key']})") + 1 if match["key"] is not None else 1 :]
    shown = specification % (*options, value)
    source = text_of(value, table) if match["type"] == "s" else concat(_repr_pieces(value, table))
    return padded(source, shown)


def padded(source: str, shown: str) -> str:
    """``shown`` is ``source`` padded or cut; anything else is derived."""
    if str.__eq__(source, shown):
        return source
    tracked = source if isinstance(source, Tracked) else Tracked.of(source, runs_of(source))
    return tracked.padded_as(shown)


def _texts(arguments: Any) -> Sequence[Any]:
    if isinstance(arguments, Mapping):
        return tuple(arguments.values())
    return arguments if isinstance(arguments, tuple) else (arguments,)


__all__ = ["DERIVED", "agreed", "padded", "percent", "repr_pieces_of_text", "text_of"]
