"""What callers wrote into a message: content, reasoning, calls, as plain strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tokenspec_reference.preparation.not_read import is_media
from tokenspec_reference.renderers.chat import REASONING_NAMES

_WORD = re.compile(r"\S+")
_MARKER = re.compile(r"</?[\w|｜/▁-]{1,40}>")


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


def other_texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Of content that is no text: what each part says, or all of it where it is no list. Media parts say nothing."""
    content = message.get("content")
    for part in content if isinstance(content, list) else (content,):
        is_part_of_text = isinstance(content, list) and isinstance(part, Mapping) and _has_text(part)
        is_text = isinstance(content, str) or is_part_of_text
        if not is_text and not (isinstance(part, Mapping) and is_media(part)):
            yield " ".join(_leaves(part))


def _leaves(value: Any) -> Iterator[str]:
    """Texts and numbers in a value, without the type of a part; a list of lists of any depth is walked by a stack."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += [inner for name, inner in reversed(list(one.items())) if name != "type"]
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
        elif one is not None:
            yield str(one)


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
    yield from other_texts(message)
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
    """Whether a text was written: as it is without outer white space, escaped, or at least its longest word.

    Of ``<think>`` and ``<|im_end|>`` nothing counts, so that ``hi`` does not stand in ``<think>``.
    """
    wanted = text.strip()
    region = region if "<" in wanted else _MARKER.sub("", region)
    if wanted in region or json.dumps(wanted, ensure_ascii=False)[1:-1] in region:
        return True
    longest = max(_WORD.findall(wanted), key=len)
    return longest in region


def _has_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str)
