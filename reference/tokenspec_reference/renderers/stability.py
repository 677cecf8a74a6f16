"""Is a format append-only? Witness conversations, each the known way in which some template is not.

The property is about full renders without generation prompt: the text of a conversation that ends in an assistant turn
is a prefix of the text with more messages. Control tokens end the turns, so what holds for the text holds for the ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tokenspec_reference.errors import InvalidMessages, TemplateRejects

Message = dict[str, Any]

_ASK: Message = {"role": "user", "content": "Ask."}
_ASK_MORE: Message = {"role": "user", "content": "Ask more."}  # templates look for the last question by its value
_CALL: Message = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}],
}
_TOOL = {"type": "function", "function": {"name": "f", "description": "F.", "parameters": {"type": "object"}}}
_RESULT: Message = {"role": "tool", "tool_call_id": "call00001", "content": "1"}
_ANSWER: Message = {"role": "assistant", "content": "Answer."}
_THOUGHT = {"reasoning_content": "Because."}

WITNESSES: dict[str, list[Message]] = {
    "plain": [_ASK, _ANSWER, _ASK_MORE, _ANSWER],
    "thought then user": [_ASK, {**_ANSWER, **_THOUGHT}, _ASK_MORE, {**_ANSWER, **_THOUGHT}],
    "tool loop": [_ASK, _CALL, _RESULT, _ANSWER, _ASK_MORE, _ANSWER],
    "thought in a tool loop": [_ASK, {**_CALL, **_THOUGHT}, _RESULT, {**_ANSWER, **_THOUGHT}, _ASK_MORE, _ANSWER],
}
"""Conversations by the hazard they show."""


def first_unstable(text_of: Callable[[list[Message], list[Any] | None], str]) -> str | None:
    """Name of the first witness on which the property fails; None when it holds on all the template accepts.

    ``text_of`` renders messages and the tools offered (where there are calls) without generation prompt.
    """
    for name, messages in WITNESSES.items():
        tools = [_TOOL] if any("tool_calls" in message for message in messages) else None
        for spelled in (messages, _with_json_text(messages)):
            try:
                whole = text_of(spelled, tools)
                parts = [
                    text_of(spelled[: k + 1], tools)
                    for k, message in enumerate(spelled)
                    if message["role"] == "assistant"
                ]
            except (TemplateRejects, InvalidMessages):
                continue
            if not all(whole.startswith(part) for part in parts):
                return name
            break
    return None


def _with_json_text(messages: list[Message]) -> list[Message]:
    """The same conversation with arguments as JSON text, which some templates insist on."""

    def spelled(call: Any) -> Any:
        function = {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}
        return {**call, "function": function}

    return [{**m, "tool_calls": [spelled(c) for c in m["tool_calls"]]} if "tool_calls" in m else m for m in messages]
