"""Who owns each character of a text that a template changes on its way: one character of a string at a time.

``attribution`` finds strings that are printed as they are. A template that changes their case, cuts, sorts, pads or
escapes them is asked about each character by itself: another one of its kind stands in its place, and the characters of
the text that change with it *and are an image of it* (itself, its other cases, an escape of it) are its own. An image
is asked for because a character may also decide about text that is not its own, as a comma does that is split at.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from tokenspec.oracle.attribution import (
    Owners,
    Path,
    Render,
    Undecidable,
    body_strings,
    get_at,
    neighbour,
    with_string,
)

KINDS = (" \u2003_", "\n\t\r", ".,:;!?-_+/()[]{}|*#%<>&'\"\\", "ßŉ")
"""Characters that stand in for each other, among them others of the same length in every escape and every case."""


def attribute_by_character(messages: list[Any], render: Render) -> Owners:
    """Attribute every body character of ``render(messages)``.

    Raises:
        Undecidable: a character belongs to two messages, or no other of its kind keeps the length of the text.
    """
    text = render(messages)
    found = Owners(text, [None] * len(text))
    for index, path in body_strings(messages):
        found.strings[path] = printed_of(text, messages, path, render)
        for position in (at for start, end in found.strings[path] for at in range(start, end)):
            if found.owner[position] not in (None, index):
                raise Undecidable(f"character {position} changes with messages {found.owner[position]} and {index}")
            found.owner[position] = index
    return found


def printed_of(text: str, messages: list[Any], path: Path, render: Render) -> list[tuple[int, int]]:
    """The ranges of ``text`` that hold characters of the string at ``path``, in any order.

    Raises:
        Undecidable: as above.
    """
    size = len(get_at(messages, path))
    return list(_runs(sorted({place for at in range(size) for place in _own(text, messages, path, at, render)})))


def _own(text: str, messages: list[Any], path: Path, at: int, render: Render) -> set[int]:
    """The positions in the text of one character of a string; none where the template takes no other in its place."""
    string = get_at(messages, path)
    images, found, kept = _images(string[at]), set[int](), False
    for other in _others(string[at]):
        again = _render(render, with_string(messages, path, string[:at] + other + string[at + 1 :]))
        if again is None or len(again) != len(text):
            continue
        kept = True
        for position in (place for place, pair in enumerate(zip(text, again, strict=True)) if pair[0] != pair[1]):
            found |= _image_around(text, position, images)
    return found if kept else _left_out(text, messages, path, at, render, images)


def _left_out(text: str, messages: list[Any], path: Path, at: int, render: Render, images: set[str]) -> set[int]:
    """The same where no other keeps the length of the text: what is gone with the character, where it is its image."""
    string = get_at(messages, path)
    shorter = _render(render, with_string(messages, path, string[:at] + string[at + 1 :]))
    if shorter is None or len(shorter) >= len(text):
        return set()
    same = takewhile(lambda pair: pair[0] == pair[1], zip(text, shorter, strict=False))
    place, size = sum(1 for _ in same), len(text) - len(shorter)
    if text[:place] + text[place + size :] != shorter or text[place : place + size] not in images:
        return set()
    if text[place - 1 : place] == text[place] or text[place + size : place + size + 1] == text[place]:
        raise Undecidable(f"{string[at]!r}, character {at} of {path}, is printed beside another one")
    return set(range(place, place + size))


def _others(character: str) -> Iterator[str]:
    """What may stand in the place of a character: others of its kind."""
    for kind in KINDS:
        if character in kind:
            yield from (other for other in kind if other != character)
    if (other := neighbour(character)) != character:
        yield other


def _images(character: str) -> set[str]:
    """How a character may be written: itself, its other cases, its escapes in JSON, Python and markup."""
    quoted = {json.dumps(character), json.dumps(character, ensure_ascii=False), repr(character), f"'\\{character}'"}
    markup = html.escape(character).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    written = {character, markup, *(form[1:-1] for form in quoted)}
    return {change(form) for form in written for change in (str, str.upper, str.lower, str.title, str.casefold)}


def _image_around(text: str, position: int, images: set[str]) -> set[int]:
    """The positions of the longest image that stands over a position."""
    for image in sorted(images, key=len, reverse=True):
        for start in range(max(0, position - len(image) + 1), position + 1):
            if text.startswith(image, start):
                return set(range(start, start + len(image)))
    return set()


def _render(render: Render, messages: list[Any]) -> str | None:
    try:
        return render(messages)
    except Exception:  # noqa: BLE001 - whatever a template raises: it does not take this character
        return None


def _runs(positions: list[int]) -> Iterator[tuple[int, int]]:
    """Half-open runs of neighbouring positions."""
    start = None
    for place, position in enumerate(positions):
        start = position if start is None else start
        if place + 1 == len(positions) or positions[place + 1] != position + 1:
            yield start, position + 1
            start = None
