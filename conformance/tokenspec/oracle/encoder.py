"""A publisher's encoder in the place of a chat template: the module that its row pins, asked as its documents say.

transformers prepares the messages as it does for a template, and arguments that are a mapping are handed over as the
JSON text that the encoder asks for. An encoder knows no generation prompt: it writes one behind
every conversation that asks. Where none is wanted an empty system message follows; DeepSeek-V4 then writes none,
DeepSeek-V3.2 writes one behind every message that asks, whatever follows. Options that it does not know change nothing.
"""

from __future__ import annotations

import copy
import json
from functools import lru_cache
from inspect import signature
from types import ModuleType
from typing import Any

from tokenspec.models import Row

PREPARED = "{{ [messages, tools] | tojson }}"
OPTIONS = {"drop_thinking", "reasoning_effort"}
NOTHING = {"role": "system", "content": ""}


def text(row: Row, messages: list[Any], tools: list[Any] | None, options: dict[str, Any]) -> str:
    """The text of a conversation. What the encoder raises passes through."""
    written: str = row.tokenizer.apply_chat_template(
        copy.deepcopy(messages), tools=copy.deepcopy(tools), tokenize=False, chat_template=PREPARED
    )
    conversation, offered = json.loads(written)
    for message in conversation:
        for call in message.get("tool_calls") or ():
            in_json(call)
    if offered:
        conversation = with_tools(conversation, offered)
    if not options.get("add_generation_prompt"):
        conversation.append(NOTHING)
    encode = module_of(row.written_by).encode_messages
    known = {name: options[name] for name in OPTIONS & options.keys() & signature(encode).parameters.keys()}
    mode = "thinking" if options.get("enable_thinking") else "chat"
    encoded: str = encode(conversation, thinking_mode=mode, **known)
    return encoded


def in_json(call: Any) -> None:
    """Write the arguments of a call as JSON text, where they are a mapping."""
    function = call.get("function") if isinstance(call, dict) else None
    if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
        function["arguments"] = json.dumps(function["arguments"], ensure_ascii=False)


def with_tools(messages: list[Any], tools: list[Any]) -> list[Any]:
    """The tools on the first developer's message, else the first system message, else an empty one in front."""
    for role in ("developer", "system"):
        for position, message in enumerate(messages):
            if message["role"] == role:
                return [*messages[:position], {**message, "tools": tools}, *messages[position + 1 :]]
    return [{**NOTHING, "tools": tools}, *messages]


@lru_cache(maxsize=2)
def module_of(source: str) -> ModuleType:
    """The encoder as a module; its source was checked against the row's sha256."""
    module = ModuleType("encoder")
    exec(compile(source, "encoder", "exec"), module.__dict__)  # noqa: S102 - pinned by the row
    return module
