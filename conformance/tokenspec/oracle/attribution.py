"""Who owns each character of a rendered text, found without looking into the template.

Change one string of one message (every letter to its neighbour, lengths kept), render again, and the characters that
changed are that string's. White space and punctuation around them are told apart from scaffold by leaving them out and
counting what the text loses. What cannot be decided this way is reported, never guessed.
"""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

Render = Callable[[list[Any]], str]
Path = tuple[str | int, ...]
MARKUP = re.compile(r"<[^<>\n]{1,40}>|\[/?[A-Z_]{2,20}\]|\{[{%].*?[%}]\}|[〈<][|｜][^<>\n]{1,40}[|｜][〉>]")


class Undecidable(Exception):
    """Ownership of some characters cannot be told by differences; the message says why."""


@dataclass
class Owners:
    """Per character of the text: the message index that owns it as body, or None.

    ``strings`` are the half-open character ranges of each body string, by path.
    """

    text: str
    owner: list[int | None]
    strings: dict[Path, list[tuple[int, int]]] = field(default_factory=dict)


def neighbour(character: str) -> str:
    """Another character of the same kind (letter for letter, digit for digit), or the same one when there is none."""
    category = unicodedata.category(character)
    if category not in {"Lu", "Ll", "Lo", "Nd", "So"}:
        return character
    for step in (1, -1, 2, -2):
        code = ord(character) + step
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            continue
        other = chr(code)
        plain = unicodedata.normalize("NFC", other) == other and len(other.encode()) == len(character.encode())
        cased = len(other.upper()) == len(character.upper()) and len(other.lower()) == len(character.lower())
        if unicodedata.category(other) == category and plain and cased:
            return other
    return character


def shifted(text: str) -> str:
    """The text with every letter, digit and symbol outside markup replaced by its neighbour."""
    markup = {index for match in MARKUP.finditer(text) for index in range(*match.span())}
    return "".join(character if index in markup else neighbour(character) for index, character in enumerate(text))


def body_strings(messages: list[Any]) -> Iterator[tuple[int, Path]]:
    """The paths of all caller strings that a template may print as body."""

    def leaves(value: object, path: Path) -> Iterator[Path]:
        if isinstance(value, str):
            yield path
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from leaves(item, (*path, key))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from leaves(item, (*path, index))

    for index, message in enumerate(messages):
        for key in ("content", "reasoning_content", "reasoning", "thinking"):
            value = message.get(key)
            if isinstance(value, str):
                yield index, (index, key)
            elif isinstance(value, list):
                for number, part in enumerate(value):
                    if isinstance(part, dict) and isinstance(part.get("text"), str):
                        yield index, (index, key, number, "text")
        calls = message.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            nested = isinstance(call, dict) and bool(call.get("function"))
            function = call["function"] if nested else call
            if not isinstance(function, dict):
                continue
            prefix: Path = (index, "tool_calls", number, *(("function",) if nested else ()))
            for key in ("name", "arguments"):
                for path in leaves(function.get(key), (*prefix, key)):
                    yield index, path


def get_at(messages: list[Any], path: Path) -> str:
    """The string at a path."""
    value: Any = messages
    for key in path:
        value = value[key]
    return str(value)


def with_string(messages: list[Any], path: Path, text: str) -> list[Any]:
    """A copy of the conversation with one string replaced."""
    changed = copy.deepcopy(messages)
    target: Any = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = text
    return changed


def attribute(messages: list[Any], render: Render) -> Owners:
    """Attribute every body character of ``render(messages)``.

    Raises:
        Undecidable: a string changes the length or the branch of the template, so differences do not show its place.
    """
    text = render(messages)
    found = Owners(text, [None] * len(text))
    for index, path in body_strings(messages):
        if _is_copy_of_earlier(messages, path):
            continue
        try:
            ranges = locate(text, messages, path, render)
        except Undecidable:
            if messages[index].get("role") != "assistant" or MARKUP.search(get_at(messages, path)):
                raise
            ranges = []  # an assistant's turn is known by its opener and stop token; its exact body is not needed
        found.strings[path] = ranges
        for start, end in ranges:
            for position in range(start, end):
                if found.owner[position] not in (None, index):
                    raise Undecidable(f"character {position} changes with messages {found.owner[position]} and {index}")
                found.owner[position] = index
    return found


def _is_copy_of_earlier(messages: list[Any], path: Path) -> bool:
    """``transformers`` aliases the reasoning fields: the first one present is the one a template reads."""
    if len(path) != 2 or path[1] not in {"reasoning", "thinking"}:
        return False
    message = messages[int(path[0])]
    order = ("reasoning_content", "thinking", "reasoning")
    return any(message.get(key) is not None for key in order[: order.index(str(path[1]))])


def locate(text: str, messages: list[Any], path: Path, render: Render) -> list[tuple[int, int]]:
    """The ranges of ``text`` that hold the string at ``path``."""
    string = get_at(messages, path)
    if string == "":
        return []
    other = shifted(string)
    if other == string:
        return _locate_unshiftable(text, messages, path, render)
    again = _render_or_undecidable(render, with_string(messages, path, other), path)
    if len(again) != len(text):
        raise Undecidable(f"{_name(path)} changes the length of the text when its letters change")
    changed = [position for position in range(len(text)) if text[position] != again[position]]
    if not changed:
        return []
    core = _cover(text, again, string, other, changed, path)
    lead = _kept_margin(text, messages, path, render, leading=True)
    tail = _kept_margin(text, messages, path, render, leading=False)
    return _join_escapes(
        text, string, [_extend(text, string, start, at, length, lead, tail) for start, at, length in core]
    )


def _cover(
    text: str, again: str, string: str, other: str, changed: list[int], path: Path
) -> list[tuple[int, int, int]]:
    """Cover the changed positions with copies of the string's parts: (start in text, start in string, length)."""
    pieces: list[tuple[int, int, int]] = []
    shiftable = [at for at in range(len(string)) if string[at] != other[at]]
    position_in = iter(changed)
    done = -1
    cursor = 0
    for position in position_in:
        if position < done:
            continue
        candidates = [at for at in shiftable if string[at] == text[position] and other[at] == again[position]]
        if not candidates:
            raise Undecidable(f"{_name(path)} is printed transformed at character {position}")

        def run(at: int, start: int = position) -> int:
            length = 0
            while (
                start + length < len(text)
                and at + length < len(string)
                and text[start + length] == string[at + length]
                and again[start + length] == other[at + length]
            ):
                length += 1
            return length

        following = [at for at in candidates if at >= cursor] or candidates
        best = max(following, key=lambda at: (run(at), -at))
        length = run(best)
        last = max(at for at in shiftable if best <= at < best + length)
        length = last - best + 1
        pieces.append((position, best, length))
        done, cursor = position + length, best + length
    return pieces


def _kept_margin(text: str, messages: list[Any], path: Path, render: Render, *, leading: bool) -> int:
    """How many of the unshiftable characters at an end of the string the template keeps (it may strip them)."""
    string = get_at(messages, path)
    white = takewhile(str.isspace, string if leading else reversed(string))
    margin = len(list(white))
    if margin == 0:
        return 0
    shorter = string[margin:] if leading else string[: len(string) - margin]
    kept = len(text) - len(_render_or_undecidable(render, with_string(messages, path, shorter), path))
    if not 0 <= kept <= margin:
        raise Undecidable(f"white space at an end of {_name(path)} changes the text by {kept} characters")
    return kept


def _extend(text: str, string: str, start: int, at: int, length: int, lead: int, tail: int) -> tuple[int, int]:
    """Grow a covered run over the punctuation and kept white space of the string around it."""
    stripped_left = len(string) - len(string.lstrip())
    stripped_right = len(string) - len(string.rstrip())
    first = stripped_left - lead
    last = len(string) - stripped_right + tail
    end, stop = start + length, at + length
    while at > first and (printed := _printed_before(text, start, string[at - 1])):
        start, at = start - printed, at - 1
    while stop < last and (printed := _printed_after(text, end, string[stop])):
        end, stop = end + printed, stop + 1
    return start, end


def _printed_before(text: str, position: int, character: str) -> int:
    """How many characters before ``position`` print this character, itself or as its JSON escape; 0 for none."""
    forms = (json.dumps(character)[1:-1], character)
    return next((len(form) for form in forms if text.endswith(form, 0, position)), 0)


def _printed_after(text: str, position: int, character: str) -> int:
    """How many characters from ``position`` on print this character, itself or as its JSON escape; 0 for none."""
    return next((len(form) for form in (character, json.dumps(character)[1:-1]) if text.startswith(form, position)), 0)


def _join_escapes(text: str, string: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbouring runs whose gap is the JSON escape of something in the string."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            continue
        if joined:
            gap = text[joined[-1][1] : start]
            if "\\" in gap and gap in json.dumps(string, ensure_ascii=False):
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    return joined


def _locate_unshiftable(text: str, messages: list[Any], path: Path, render: Render) -> list[tuple[int, int]]:
    """A string of white space, punctuation or markup only: found by putting a letter in its place, and nothing."""
    string = get_at(messages, path)
    without = _render_or_undecidable(render, with_string(messages, path, ""), path)
    if without == text:
        return []
    letter = _render_or_undecidable(render, with_string(messages, path, "q"), path)
    start = next((at for at in range(min(len(letter), len(without))) if letter[at] != without[at]), len(without))
    kept = len(text) - len(without)
    part = text[start : start + max(kept, 0)]
    if part and part in string and text == without[:start] + part + without[start:]:
        return [(start, start + kept)]
    raise Undecidable(f"{_name(path)} has no letter to change, and leaving it out changes more than its place")


def _render_or_undecidable(render: Render, messages: list[Any], path: Path) -> str:
    try:
        return render(messages)
    except Exception as error:
        raise Undecidable(f"the template refuses a variation of {_name(path)}") from error


def _name(path: Path) -> str:
    """``messages[2].content``."""
    return "messages" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
