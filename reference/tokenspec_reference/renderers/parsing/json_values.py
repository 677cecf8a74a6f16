"""JSON as a completion may hold it: the grammar of RFC 8259 and no more, and no input that raises anything else.

Python's own reader takes ``NaN`` and ``Infinity``, makes infinity of ``1e999``, gives up on long integers with another
error, and runs out of stack on nested brackets. A sampler that loops writes all of these.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from tokenspec_reference.surrogates import has_lone_surrogate

MAX_DEPTH = 256
"""How many brackets may be open at once. Deeper values are not read, wherever the reader is called from."""

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_BLANK = re.compile(r"[ \t\n\r]*")


class Unreadable(json.JSONDecodeError):
    """Text in the grammar of JSON (or of Python's reader) whose value is none: a number beyond bounds, half a pair."""


class TooDeep(Unreadable):
    """More than ``MAX_DEPTH`` brackets are open at once."""


def loads(text: str) -> Any:
    """The value that is all of a text.

    Raises:
        Unreadable: it reads as JSON and has no value.
        json.JSONDecodeError: it is no JSON.
    """
    start = _blank_end(text, 0)
    value, end = decode_at(text, start)
    if _blank_end(text, end) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at ``start``, and where it ends.

    Raises:
        Unreadable: it reads as JSON and has no value.
        json.JSONDecodeError: no JSON begins there.
    """
    _check_depth(text, start)
    beyond: list[str] = []

    def constant(name: str) -> None:
        beyond.append(name)

    def number(digits: str) -> float:
        value = float(digits)
        beyond.extend([] if math.isfinite(value) else [digits])
        return value

    def integer(digits: str) -> int:
        try:
            return int(digits)
        except ValueError:  # more digits than Python converts
            beyond.append(digits)
            return 0

    decoder = json.JSONDecoder(parse_constant=constant, parse_float=number, parse_int=integer)
    value, end = decoder.raw_decode(text, start)
    if beyond:
        raise Unreadable(f"no number: {beyond[0][:20]}", text, start)
    if "\\u" in text[start:end] and has_lone_surrogate(json.dumps(value, ensure_ascii=False)):
        raise Unreadable("half of a surrogate pair", text, start)
    return value, end


def _blank_end(text: str, start: int) -> int:
    blank = _BLANK.match(text, start)
    return blank.end() if blank else start


def _check_depth(text: str, start: int) -> None:
    if not text.startswith(("[", "{"), start) or text.count("[", start) + text.count("{", start) <= MAX_DEPTH:
        return
    depth = 0
    for mark in _MARKS.finditer(text, start):
        if mark[0] in "[{":
            depth += 1
        elif mark[0] in "]}":
            depth -= 1
            if depth <= 0:
                return
        if depth > MAX_DEPTH:
            raise TooDeep(f"more than {MAX_DEPTH} brackets are open", text, mark.start())
