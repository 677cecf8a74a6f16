r"""Gemma-4's notation read back: ``call:NAME{key:<|"|>text<|"|>,other:[1,true]}``.

The template writes no white space between values and quotes text with a control token. Models also write blanks and
line breaks there, and fall back to JSON strings: both are read. What is neither is no call of this notation.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tokenspec_reference.renderers.parsing.call_formats import Attempt, CallFormat, ToolSchemas
from tokenspec_reference.renderers.parsing.json_values import MAX_DEPTH, Unreadable, decode_at, loads

QUOTE = '<|"|>'
_HEAD = re.compile(r"\s*call:([^{]*)\{", re.DOTALL)
_BLANK = re.compile(r"\s*")
_KEY = re.compile(r"""[^\s:,{}\[\]"'<]+(?:[^\S\n]+[^\s:,{}\[\]"'<]+)*""")
_BARE = re.compile(r"""[^,\]}\["'{<]+""")


class _Malformed(Exception):
    pass


def read_gemma(text: str, tools: ToolSchemas) -> list[Attempt]:
    """One call; keys are bare or quoted, text is quoted, and the rest reads as JSON."""
    head = _HEAD.match(text)
    if not head:
        return [Attempt(None, None, "malformed_structure")]
    name = head[1].strip()
    try:
        arguments, end = _mapping(text, head.end(), 1)
    except _Malformed:
        return [Attempt(name or None, None, "malformed_structure")]
    if not name:
        return [Attempt(None, arguments, "missing_name")]
    return [Attempt(name, arguments, "malformed_structure" if text[end:].strip() else tools.status(name))]


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if text.startswith((QUOTE, '"'), at):
        return _quoted(text, at)
    if depth > MAX_DEPTH:
        raise _Malformed
    if text.startswith("{", at):
        return _mapping(text, at + 1, depth + 1)
    if text.startswith("[", at):
        return _sequence(text, at + 1, depth + 1)
    bare = _BARE.match(text, at)
    written = bare[0].strip() if bare else ""
    if bare is None or not written:
        raise _Malformed
    try:
        return loads(written), bare.end()
    except Unreadable as error:
        raise _Malformed from error
    except ValueError:
        return written, bare.end()


def _quoted(text: str, at: int) -> tuple[str, int]:
    """Text between two of the template's quotes, or in a JSON string."""
    if text.startswith(QUOTE, at):
        end = text.find(QUOTE, at + len(QUOTE))
        if end < 0:
            raise _Malformed
        return text[at + len(QUOTE) : end], end + len(QUOTE)
    try:
        value, end = decode_at(text, at)
    except json.JSONDecodeError as error:
        raise _Malformed from error
    return str(value), end


def _mapping(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _behind_blank(text, at)
    while not text.startswith("}", at):
        if text.startswith((QUOTE, '"'), at):
            key, at = _quoted(text, at)
        elif bare := _KEY.match(text, at):
            key, at = bare[0], bare.end()
        else:
            raise _Malformed
        at = _behind_blank(text, at)
        if not text.startswith(":", at):
            raise _Malformed
        found[key], at = _value(text, _behind_blank(text, at + 1), depth)
        at = _behind_comma(text, at, "}")
    return found, at + 1


def _sequence(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _behind_blank(text, at)
    while not text.startswith("]", at):
        value, at = _value(text, at, depth)
        found.append(value)
        at = _behind_comma(text, at, "]")
    return found, at + 1


def _behind_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _behind_comma(text: str, at: int, close: str) -> int:
    """Where the next entry begins: behind a comma, or at the close."""
    at = _behind_blank(text, at)
    if text.startswith(",", at):
        return _behind_blank(text, at + 1)
    if not text.startswith(close, at):
        raise _Malformed
    return at


GEMMA_CALLS = CallFormat("<|tool_call>", "<tool_call|>", read_gemma)
