"""Conversations whose words are found again in any text: every caller string stands there once."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "where"}}},
    },
}


def _user(content: Any) -> Message:
    return {"role": "user", "content": content}


def _assistant(content: Any, **more: Any) -> Message:
    return {"role": "assistant", "content": content, **more}


def _result(content: str, id_: str = "call00001") -> Message:
    return {"role": "tool", "content": content, "name": "get_weather", "tool_call_id": id_}


def _call(city: str, id_: str = "call00001") -> Message:
    return {"id": id_, "type": "function", "function": {"name": "get_weather", "arguments": {"city": city}}}


SYSTEM = {"role": "system", "content": "Behave like Lemurs"}
FIRST = [_user("Quokka one"), _assistant("Walrus two")]
SECOND = [_user("Ferret three"), _assistant("Zebra four")]
THIRD = [_user("Otter five"), _assistant("Panda six")]
PARTS = [{"type": "thinking", "thinking": "Badger hmm"}, {"type": "text", "text": "Walrus two"}]

CONVERSATIONS: dict[str, list[Message]] = {
    "one": FIRST,
    "two": [*FIRST, *SECOND],
    "system": [SYSTEM, *FIRST, *SECOND],
    "open": [*FIRST, *SECOND, *THIRD, _user("Lynx seven")],
    "reasoning": [
        _user("Quokka one"),
        _assistant("Walrus two", reasoning_content="Badger hmm"),
        _user("Ferret three"),
        _assistant("Zebra four", reasoning_content="Heron hm"),
    ],
    "inline": [
        _user("Quokka one"),
        _assistant("<think>\nBadger hmm\n</think>\n\nWalrus two"),
        _user("Ferret three"),
        _assistant("<think>\nHeron hm\n</think>\n\nZebra four"),
    ],
    "parts": [_user("Quokka one"), _assistant(PARTS), *SECOND],
    "empty": [_user("Quokka one"), _assistant(""), *SECOND],
    "space": [
        _user("\nQuokka one "),
        _assistant("\n\nWalrus two\n"),
        _user("  Ferret three"),
        _assistant(" Zebra four "),
    ],
    "call": [
        _user("Quokka one"),
        _assistant("", tool_calls=[_call("Jaipur")]),
        _result("Ferret 21"),
        _assistant("Zebra four"),
    ],
    "call-beside": [
        SYSTEM,
        _user("Quokka one"),
        _assistant("Walrus two", tool_calls=[_call("Jaipur")]),
        _result("Ferret 21"),
        _assistant("Zebra four"),
        *THIRD,
    ],
    "parallel": [
        _user("Quokka one"),
        _assistant("", tool_calls=[_call("Jaipur"), _call("Bogota", "call00002")]),
        _result("Ferret 21"),
        _result("Badger 22", "call00002"),
        _assistant("Zebra four"),
    ],
    "rounds": [
        _user("Quokka one"),
        _assistant("", tool_calls=[_call("Jaipur")], reasoning_content="Badger hmm"),
        _result("Ferret 21"),
        _assistant("", tool_calls=[_call("Bogota", "call00002")]),
        _result("Heron 22", "call00002"),
        _assistant("Zebra four"),
    ],
}


def tools_for(messages: list[Message]) -> list[Any] | None:
    """The tools a conversation with calls offers."""
    return [TOOL] if any("tool_calls" in message for message in messages) else None


def with_text_arguments(messages: list[Message]) -> list[Message]:
    """The same with the arguments of calls as JSON text, as the wire of the OpenAI API has them."""
    return [
        {**message, "tool_calls": list(map(_as_text, message["tool_calls"]))} if "tool_calls" in message else message
        for message in messages
    ]


def _as_text(call: Message) -> Message:
    function = call["function"]
    return {**call, "function": {**function, "arguments": json.dumps(function["arguments"])}}


def words_of(message: Message) -> list[str]:
    """What a message says, in pieces that a template prints as they are."""
    content = message["content"]
    if isinstance(content, list):
        texts = [text for part in content for key, text in part.items() if key != "type"]
    else:
        texts = content.replace("</think>", "<think>").split("<think>")
    texts = [message.get("reasoning_content", ""), *texts]
    for call in message.get("tool_calls", ()):
        arguments = call["function"]["arguments"]
        texts += (json.loads(arguments) if isinstance(arguments, str) else arguments).values()
    return [text.strip() for text in texts if text.strip()]
