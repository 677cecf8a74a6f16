r"""Gemma-4's notation read back: ``call:NAME{key:<|"|>text<|"|>,other:[1,true]}``."""

from __future__ import annotations

import json
import re
from typing import Any

from tokenspec_reference.renderers.parsing.call_formats import Attempt, CallFormat, ToolSchemas

QUOTE = '<|"|>'
_HEAD = re.compile(r"\s*call:([^{]*)\{", re.DOTALL)
_BARE = re.compile(r"[^,\]}]+")


class _Malformed(Exception):
    pass


def read_gemma(text: str, tools: ToolSchemas) -> list[Attempt]:
    """One call; keys are bare, text is quoted with a control token, the rest reads as JSON."""
    head = _HEAD.match(text)
    if not head:
        return [Attempt(None, None, "malformed_structure")]
    name = head[1].strip()
    try:
        arguments, end = _mapping(text, head.end())
    except _Malformed:
        return [Attempt(name or None, None, "malformed_structure")]
    if not name:
        return [Attempt(None, arguments, "missing_name")]
    return [Attempt(name, arguments, "malformed_structure" if text[end:].strip() else tools.status(name))]


def _value(text: str, at: int) -> tuple[Any, int]:
    if text.startswith(QUOTE, at):
        end = text.find(QUOTE, at + len(QUOTE))
        if end < 0:
            raise _Malformed
        return text[at + len(QUOTE) : end], end + len(QUOTE)
    if text.startswith("{", at):
        return _mapping(text, at + 1)
    if text.startswith("[", at):
        return _sequence(text, at + 1)
    bare = _BARE.match(text, at)
    if not bare:
        raise _Malformed
    try:
        return json.loads(bare[0]), bare.end()
    except ValueError:
        return bare[0], bare.end()


def _mapping(text: str, at: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while not text.startswith("}", at):
        colon = text.find(":", at)
        if colon < 0:
            raise _Malformed
        key = text[at:colon]
        if key.startswith(QUOTE):
            close = text.find(QUOTE, at + len(QUOTE))
            if close < 0:
                raise _Malformed
            key, colon = text[at + len(QUOTE) : close], close + len(QUOTE)
        found[key], at = _value(text, colon + 1)
        if text.startswith(",", at):
            at += 1
        elif not text.startswith("}", at):
            raise _Malformed
    return found, at + 1


def _sequence(text: str, at: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while not text.startswith("]", at):
        value, at = _value(text, at)
        found.append(value)
        if text.startswith(",", at):
            at += 1
        elif not text.startswith("]", at):
            raise _Malformed
    return found, at + 1


GEMMA_CALLS = CallFormat("<|tool_call>", "<tool_call|>", read_gemma)
