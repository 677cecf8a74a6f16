"""Records as data sets have them, to conversations: OpenAI messages, ShareGPT turns, prompt and completion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation.conversation import Conversation

SHAREGPT_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function_response": "tool",
    "observation": "tool",
}
"""What ShareGPT's ``from`` is called in chat templates. Other names are kept, and the template decides."""

FIELDS = ("messages", "tools", "prompt", "completion")
"""What a column can be said to hold."""

_MESSAGES = ("messages", "conversations", "conversation")
_COMPLETIONS = ("completion", "response", "output", "answer")
_PROMPTS = ("prompt", "instruction", "question")


class UnknownShape(TokenSpecError):
    """The record is no conversation in a known shape."""

    rejection_code = "unknown-shape"


def conversation_of(record: Any, columns: Mapping[str, str] | None = None) -> Conversation:
    """The conversation in a record.

    A list is a list of messages. An object has ``messages`` (or ``conversations``) in the OpenAI or ShareGPT form, or
    ``prompt`` and ``completion``, texts or lists of messages. ``tools`` may stand beside, also as JSON text.
    ``columns`` maps these names to the record's own. A message with ``weight: 0`` or ``train: false`` is not trained,
    nor is the prompt of a completion.

    Raises:
        UnknownShape: naming the fields there are.
    """
    names = dict(columns or {})
    if isinstance(record, list):
        return _from_messages(record, None)
    if not isinstance(record, Mapping):
        raise UnknownShape(f"{type(record).__name__} instead of an object or a list of messages", field="record")
    tools = _tools(record.get(names.get("tools", "tools")))
    if "messages" in names or not {"prompt", "completion"} & set(names):
        wanted = (names["messages"],) if "messages" in names else _MESSAGES
        for name in wanted:
            turns = _unpacked(record.get(name))
            if isinstance(turns, list):
                return _from_messages(turns, tools, system=record.get("system"))
    prompt = _first(record, (names["prompt"],) if "prompt" in names else _PROMPTS)
    completion = _first(record, (names["completion"],) if "completion" in names else _COMPLETIONS)
    if prompt is not None and completion is not None:
        return _from_pair(prompt, completion, tools, context=record.get("input"))
    raise UnknownShape(
        f"no conversation among the fields {', '.join(map(str, record)) or '(none)'}; "
        f"name them with --column, for example --column messages=NAME",
        field="record",
    )


def _from_messages(turns: list[Any], tools: list[Any] | None, system: Any = None) -> Conversation:
    trained = tuple(_may_train(turn) for turn in turns)
    messages = [_message(turn, index) for index, turn in enumerate(turns)]
    if isinstance(system, str) and system and not (messages and messages[0].get("role") == "system"):
        messages, trained = [{"role": "system", "content": system}, *messages], (True, *trained)
    return Conversation(messages, tools, () if all(trained) else trained)


def _from_pair(prompt: Any, completion: Any, tools: list[Any] | None, context: Any) -> Conversation:
    if isinstance(prompt, str):
        asked = f"{prompt}\n\n{context}" if isinstance(context, str) and context else prompt
        prompt = [{"role": "user", "content": asked}]
    if isinstance(completion, str):
        completion = [{"role": "assistant", "content": completion}]
    if not isinstance(prompt, list) or not isinstance(completion, list):
        raise UnknownShape("prompt and completion are texts or lists of messages", field="prompt")
    found = _from_messages([*prompt, *completion], tools)
    wanted = tuple(index >= len(prompt) and found.may_train(index) for index in range(len(found.messages)))
    return Conversation(found.messages, tools, wanted)


def _message(turn: Any, index: int) -> dict[str, Any]:
    if not isinstance(turn, Mapping):
        raise UnknownShape(f"{type(turn).__name__} instead of a message", field=f"messages[{index}]")
    if "role" not in turn and "from" in turn:
        speaker = turn["from"]
        rest = {key: value for key, value in turn.items() if key not in {"from", "value", "weight", "train"}}
        return {"role": SHAREGPT_ROLES.get(str(speaker), str(speaker)), "content": turn.get("value"), **rest}
    kept = {key: value for key, value in turn.items() if key not in {"weight", "train"} and value is not None}
    return kept if "content" in kept or "content" not in turn else {**kept, "content": None}


def _may_train(turn: Any) -> bool:
    if not isinstance(turn, Mapping):
        return True
    return bool(turn.get("weight", 1) != 0 and turn.get("train") is not False)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((found for name in names if (found := _unpacked(record.get(name))) is not None), None)


def _unpacked(value: Any) -> Any:
    """A list that is stored as JSON text, as columns of CSV are; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            found = json.loads(value)
        except ValueError:
            return value
        return found if isinstance(found, list) and all(isinstance(item, Mapping) for item in found) else value
    return value


def _tools(value: Any) -> list[Any] | None:
    found = _unpacked(value)
    return list(found) if isinstance(found, list) and found else None
