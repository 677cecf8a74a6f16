"""What callers wrote into a message: content, reasoning, calls, as plain strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tokenspec_reference.renderers.chat import REASONING_NAMES

_WORD = re.compile(r"\S+")


def content_text(message: Mapping[str, Any]) -> str:
    """The text of a message's content, thoughts in it included; parts of text are joined."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, Mapping) and _has_text(part))
    return ""


def answer_text(message: Mapping[str, Any]) -> str:
    """The content without a thought that is written into it."""
    text = content_text(message)
    return text.rpartition("</think>")[2] if message.get("role") == "assistant" else text


def reasoning_text(message: Mapping[str, Any]) -> str:
    """The reasoning of an assistant's message, from its own field, else from a thought in the content."""
    for name in REASONING_NAMES:
        if isinstance(message.get(name), str):
            return str(message[name])
    head, marker, _ = content_text(message).rpartition("</think>")
    return head.rpartition("<think>")[2] if marker else ""


def calls_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The calls of a message, in the flat form ``{name, arguments}``, with their ``id`` where they have one."""
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    return [
        {"id": call.get("id"), **(inner if isinstance(inner := call.get("function"), Mapping) else call)}
        for call in found
    ]


def strings_of(message: Mapping[str, Any]) -> Iterator[str]:
    """Every text of a message that a template may write."""
    yield content_text(message)
    for name in ("role", "name"):
        if isinstance(message.get(name), str):
            yield message[name]
    for name in REASONING_NAMES:
        if isinstance(message.get(name), str):
            yield message[name]
    for call in calls_of(message):
        yield str(call.get("name", ""))
        arguments = call.get("arguments")
        if arguments:
            yield arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=repr)


def stands_in(text: str, region: str) -> bool:
    """Whether a text was written: as it is without outer white space, escaped, or at least its longest word."""
    wanted = text.strip()
    if wanted in region or json.dumps(wanted, ensure_ascii=False)[1:-1] in region:
        return True
    longest = max(_WORD.findall(wanted), key=len)
    return longest in region


def _has_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str)
