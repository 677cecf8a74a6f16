"""Records as data sets have them, to conversations: OpenAI messages, ShareGPT turns, prompt and completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation.conversation import Conversation
from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.json_text import oddities, parse
from tokenspec_reference.preparation.not_read import unread_columns, unread_tools, unread_weights

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


def conversation_of(
    record: Any, columns: Mapping[str, str] | None = None, speakers: Mapping[str, str] | None = None
) -> Conversation:
    """The conversation in a record.

    A list is a list of messages. An object has ``messages`` (or ``conversations``) in the OpenAI or ShareGPT form, or
    ``prompt`` and ``completion``, texts or lists of messages. ``tools`` may stand beside, also as JSON text.
    ``columns`` maps these names to the record's own, ``speakers`` its roles to those of templates. A message with
    ``weight: 0`` or ``train: false`` is not trained, nor is the prompt of a completion.

    Raises:
        UnknownShape: naming the fields there are.
    """
    names = dict(columns or {})
    odd = tuple(Finding("odd-json", detail) for detail in oddities(record))
    if isinstance(record, list):
        return _with(_spoken(_from_messages(record, None), speakers), odd)
    if not isinstance(record, Mapping):
        raise UnknownShape(f"{type(record).__name__} instead of an object or a list of messages", field="record")
    of_tools = names.get("tools", "tools")
    tools = _tools(record.get(of_tools))
    of_text = {name: _unpacked(value) for name, value in record.items() if isinstance(value, str)}
    odd = (*odd, *(Finding("odd-json", detail) for detail in oddities(of_text)))
    odd = (*odd, *unread_tools(record.get(of_tools), tools))
    if "messages" in names or not {"prompt", "completion"} & set(names):
        wanted = (names["messages"],) if "messages" in names else _MESSAGES
        for name in wanted:
            turns = _unpacked(record.get(name))
            if isinstance(turns, list):
                found = _from_messages(turns, tools, system=record.get("system"))
                read = {of_tools, name} | ({"system"} if len(found.messages) > len(turns) else set())
                return _with(_spoken(found, speakers), (*odd, *unread_columns(record, read)))
    asked, prompt = _first(record, (names["prompt"],) if "prompt" in names else _PROMPTS)
    answered, completion = _first(record, (names["completion"],) if "completion" in names else _COMPLETIONS)
    if prompt is not None and completion is not None:
        found = _from_pair(prompt, completion, tools, context=record.get("input"))
        read = {of_tools, asked, answered} | ({"input"} if isinstance(prompt, str) else set())
        return _with(_spoken(found, speakers), (*odd, *unread_columns(record, read)))
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
    return Conversation(messages, tools, () if all(trained) else trained, tuple(unread_weights(turns)))


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
    return Conversation(found.messages, tools, wanted, found.findings)


def _with(found: Conversation, more: tuple[Finding, ...]) -> Conversation:
    return replace(found, findings=(*found.findings, *more))


def _spoken(found: Conversation, speakers: Mapping[str, str] | None) -> Conversation:
    """The conversation with its roles as ``speakers`` maps them."""
    if not speakers:
        return found
    messages = [
        {**message, "role": speakers[message["role"]]} if message.get("role") in speakers else message
        for message in found.messages
    ]
    return replace(found, messages=messages)


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


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any]:
    """The first of the columns that holds something, with its name."""
    found = ((name, _unpacked(record.get(name))) for name in names)
    return next((one for one in found if one[1] is not None), ("", None))


def _unpacked(value: Any) -> Any:
    """A list that is stored as JSON text, as columns of CSV are; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            found = parse(value)
        except ValueError:
            return value
        return found if isinstance(found, list) and all(isinstance(item, Mapping) for item in found) else value
    return value


def _tools(value: Any) -> list[Any] | None:
    found = _unpacked(value)
    return list(found) if isinstance(found, list) and found else None
