"""What was given in a conversation and stands nowhere in the text that an implementation made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec.areas.template_engine.oracle.inputs import REASONING_KEYS


def vanished(text: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """Contents, reasonings, calls, their arguments and tools that have no place in ``text``, each in words."""
    given = [*(pair for index, message in enumerate(messages) for pair in of_message(index, message)), *of_tools(tools)]
    return [what for what, said in given if said.strip() and not stands_in(said.strip(), text)]


def stands_in(said: str, text: str) -> bool:
    """As it is, or as JSON writes it between quotes."""
    return said in text or any(json.dumps(said, ensure_ascii=plain)[1:-1] in text for plain in (False, True))


def of_message(index: int, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What one message gives: what it is called, and its text."""
    name = f"message {index} ({message['role']})"
    content = message.get("content")
    if isinstance(content, str):
        yield f"the content of {name}", content
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield f"part {number} of {name}", part["text"]
    thought = next((message[key] for key in REASONING_KEYS if isinstance(message.get(key), str)), "")
    yield f"the reasoning of {name}", thought
    for number, call in enumerate(message.get("tool_calls") or ()):
        function = call.get("function") or call
        yield f"call {number} of {name}", str(function.get("name") or "")
        arguments = function.get("arguments")
        for key, value in arguments.items() if isinstance(arguments, Mapping) else ():
            yield f"the argument {key} of call {number} of {name}", value if isinstance(value, str) else ""


def of_tools(tools: Sequence[Mapping[str, Any]] | None) -> Iterator[tuple[str, str]]:
    """The tools that are offered, by name."""
    for tool in tools or ():
        name = str((tool.get("function") or tool).get("name") or "")
        yield f"the tool {name}", name
