"""Llama's notation: calls are JSON objects without any marker, so they can only stand where the completion begins."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tokenspec_reference.renderers.parsing.call_formats import Attempt, ToolSchemas, called
from tokenspec_reference.renderers.parsing.json_values import decode_at

TAG = "<|python_tag|>"
_AHEAD = re.compile(rf"\s*(?:{re.escape(TAG)})?\s*")
_BETWEEN = re.compile(rf"[\s;]*(?:{re.escape(TAG)})?\s*")
_HEAD = r'\{\s*"name"\s*:\s*"([^"\\]*)"\s*,\s*"parameters"\s*:'
_BEGUN = re.compile(_HEAD)
_NEXT = re.compile(rf"[;\n]\s*(?:{re.escape(TAG)}\s*)?(?={_HEAD})")


@dataclass(frozen=True)
class BareCalls:
    """Calls with their half-open ranges in the text, and where the words behind them begin."""

    calls: list[tuple[int, int, Attempt]]
    words: int


Reader = Callable[[str, ToolSchemas], BareCalls]


def read_bare_calls(text: str, tools: ToolSchemas) -> BareCalls:
    """``{"name": ..., "parameters": ...}``, one or more, with ``;``, line breaks or the tag between them.

    Other JSON is content, and so are words behind the calls. A broken call ends where the next one begins.
    """
    calls: list[tuple[int, int, Attempt]] = []
    position = 0
    while True:
        gap = (_BETWEEN if calls else _AHEAD).match(text, position)
        begin = gap.end() if gap else position
        found = _read_one(text, begin, tools)
        if found is None:
            break
        attempt, position = found
        calls.append((begin, position, attempt))
    if calls and not text[position:].strip("; \t\r\n"):
        position = len(text)
    return BareCalls(calls, position)


def _read_one(text: str, begin: int, tools: ToolSchemas) -> tuple[Attempt, int] | None:
    """The call that begins here, and where it ends; None where none does."""
    try:
        value, end = decode_at(text, begin)
    except json.JSONDecodeError:
        return _read_broken(text, begin)
    if not isinstance(value, Mapping) or "name" not in value or "parameters" not in value:
        return None
    return called(value["name"], value["parameters"], tools), end


def _read_broken(text: str, begin: int) -> tuple[Attempt, int] | None:
    head = _BEGUN.match(text, begin)
    if head is None:
        return None
    following = _NEXT.search(text, head.end())
    end = following.start() if following else len(text)
    is_closed = text[begin:end].rstrip().endswith("}")
    return Attempt(head[1], None, "invalid_json" if is_closed else "unclosed_block"), end
