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
    string = get_at(messages, path)
    asked = [_own(text, messages, path, at, render) for at in range(len(string))]
    known = {place for places in asked if isinstance(places, set) for place in places}
    near = 2 * len(string)
    around = range(min(known, default=0) - near, max(known, default=-1) + 1 + near)
    found = [one if isinstance(one, set) else set() if _within(one, around) else None for one in asked]
    _beside(text, string, found, range(1, len(string)), before=-1)
    _beside(text, string, found, range(len(string) - 2, -1, -1), before=1)
    for at, places in enumerate(found):
        if places is None:
            raise Undecidable(f"{string[at]!r}, character {at} of {path}, decides about other text than its own")
    return list(_runs(sorted({place for places in found if places for place in places})))


def _within(one: range, around: range) -> bool:
    return around.start <= one.start and one.stop <= around.stop


def _beside(text: str, string: str, found: list[set[int] | None], order: range, *, before: int) -> None:
    """Place characters that could not be asked for: where the one ``before`` stands once, they stand beside it."""
    for at in order:
        beside = found[at + before]
        if found[at] is None and beside is not None and len(beside) == 1:
            place = min(beside) - before
            found[at] = {place} if text[place : place + 1] == string[at] else None


def _own(text: str, messages: list[Any], path: Path, at: int, render: Render) -> set[int] | range:
    """The positions in the text of one character of a string; or what others in its place change, if that is more.

    It is more where it is longer than the string. Such a character decides about other text where that reaches further
    than twice the string's length beyond what is known of it.
    """
    string = get_at(messages, path)
    images, found, kept, changed = _images(string[at]), set[int](), False, range(0)
    for other in _others(string[at]):
        again = _render(render, with_string(messages, path, string[:at] + other + string[at + 1 :]))
        if again is None:
            continue
        if len(again) != len(text):
            changed = max(changed, _changed(text, again), key=len)
            continue
        kept = True
        for position in (place for place, pair in enumerate(zip(text, again, strict=True)) if pair[0] != pair[1]):
            found |= _image_around(text, position, images)
    if kept:
        return found
    return _left_out(text, messages, path, at, render, images) or (changed if len(changed) > len(string) else set())


def _changed(text: str, other: str) -> range:
    """From the first to the last character of a text that is another one in ``other``."""
    before, behind = _alike(text, other), _alike(text[::-1], other[::-1])
    return range(before, len(text) - min(behind, len(text) - before, len(other) - before))


def _alike(text: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))


def _left_out(text: str, messages: list[Any], path: Path, at: int, render: Render, images: set[str]) -> set[int]:
    """The same where no other keeps the length of the text: what is gone with the character, where it is its image."""
    string = get_at(messages, path)
    shorter = _render(render, with_string(messages, path, string[:at] + string[at + 1 :]))
    if shorter is None or len(shorter) >= len(text):
        return set()
    place, size = _alike(text, shorter), len(text) - len(shorter)
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
    in_json = {json.dumps(character), json.dumps(character, ensure_ascii=False)}
    quoted = {*in_json, repr(character), ascii(character), f"'\\{character}'"}
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
