"""From a caller's messages to what a template sees: validation with named fields, then a normalisation.

``hf5`` does what ``apply_chat_template`` of transformers 5.23 does before it renders: message keys whose value is None
are dropped, the reasoning names are aliased, rich values become plain JSON types. ``hf4`` (transformers 4.57) passes
messages through. Nothing else is changed, dropped or reordered in either.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from jinja2 import Undefined

from tokenspec_reference.errors import InvalidMessages

Normalisation = Literal["hf5", "hf4"]

REASONING_NAMES = ("reasoning_content", "thinking", "reasoning")
"""Names a message's reasoning may come under; transformers 5 fills the first from the first that is present."""

FROZEN_CLOCK = datetime(2024, 7, 26, 12, 0)  # noqa: DTZ001 - a wall time, as strftime_now prints it
"""What ``strftime_now`` sees unless the caller passes ``now``: a renderer never reads the wall clock."""

MAX_DEPTH = 64


@dataclass(frozen=True)
class Turn:
    """One caller message. Missing keys are Undefined, as in a template."""

    index: int
    message: Mapping[str, Any]

    @property
    def role(self) -> str:
        """The role; always a string."""
        return str(self.message["role"])

    @property
    def content(self) -> Any:
        """The content as given: text, parts, or Undefined."""
        return self.get("content")

    def get(self, key: str) -> Any:
        """``message.key`` of a template."""
        return self.message.get(key, Undefined(name=key))


@dataclass(frozen=True)
class Chat:
    """A validated conversation with everything a template can read."""

    turns: tuple[Turn, ...]
    tools: list[Any] | None
    options: Mapping[str, Any]
    add_generation_prompt: bool
    now: datetime

    @property
    def last_user(self) -> int:
        """Index of the last user message; -1 without one."""
        return max((turn.index for turn in self.turns if turn.role == "user"), default=-1)

    def starts_results(self, turn: Turn) -> bool:
        """Whether no tool result stands directly before a turn."""
        return turn.index == 0 or self.turns[turn.index - 1].role != "tool"

    def ends_results(self, turn: Turn) -> bool:
        """Whether no tool result follows directly on a turn."""
        return turn.index == len(self.turns) - 1 or self.turns[turn.index + 1].role != "tool"

    def option(self, name: str) -> Any:
        """A template keyword argument; Undefined when it was not passed."""
        return self.options.get(name, Undefined(name=name))

    def enabled(self, name: str, *, default: bool) -> bool:
        """A boolean keyword read as ``name is defined and name`` with a default for "not passed"."""
        value = self.option(name)
        return default if isinstance(value, Undefined) else bool(value)


def build_chat(
    messages: Any,
    *,
    tools: Any = None,
    options: Mapping[str, Any],
    add_generation_prompt: bool,
    normalisation: Normalisation,
    now: datetime = FROZEN_CLOCK,
) -> Chat:
    """Validate and normalise a conversation. The caller's objects are copied, never changed.

    Raises:
        InvalidMessages: names the field, e.g. ``messages[2].content[0]: ...``.
    """
    if not isinstance(messages, (list, tuple)):
        raise InvalidMessages(f"expected a list of messages, got {type(messages).__name__}", field="messages")
    if not messages:
        raise InvalidMessages("the conversation is empty; pass at least one message", field="messages")
    turns = tuple(
        Turn(index, normalise(_message(message, f"messages[{index}]"), normalisation))
        for index, message in enumerate(messages)
    )
    return Chat(
        turns=turns,
        tools=_tools(tools),
        options={name: plain(value, name) for name, value in options.items()},
        add_generation_prompt=add_generation_prompt,
        now=now,
    )


def normalise(message: Mapping[str, Any], normalisation: Normalisation) -> dict[str, Any]:
    """Apply the message-level normalisation of a transformers version."""
    if normalisation == "hf4":
        return dict(message)
    kept = {key: value for key, value in message.items() if value is not None}
    reasoning = next((kept[name] for name in REASONING_NAMES if name in kept), None)
    return kept if reasoning is None else {"thinking": reasoning, **kept, "reasoning_content": reasoning}


def plain(value: Any, path: str, _parents: tuple[int, ...] = ()) -> Any:
    """Rebuild ``value`` from plain JSON types, or say which field cannot be.

    Raises:
        InvalidMessages: lone surrogates, cycles, non-string keys, and values that are no JSON (outside media keys).
    """
    if value is None or isinstance(value, (int, float)):
        return _plain_scalar(value)
    if isinstance(value, str):
        return _plain_text(value, path)
    if id(value) in _parents:
        raise InvalidMessages("the value contains itself; pass a tree, not a cycle", field=path)
    if len(_parents) >= MAX_DEPTH:
        raise InvalidMessages(f"nested deeper than {MAX_DEPTH} levels", field=path)
    parents = (*_parents, id(value))
    if isinstance(value, Mapping):
        return {_key(key, path): _entry(key, element, path, parents) for key, element in value.items()}
    if isinstance(value, list):
        return [plain(element, f"{path}[{k}]", parents) for k, element in enumerate(value)]
    if isinstance(value, tuple):
        return tuple(plain(element, f"{path}[{k}]", parents) for k, element in enumerate(value))
    return plain(_unwrap(value, path), path, parents)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def _plain_text(value: str, path: str) -> str:
    text = str.__str__(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidMessages(
            f"lone surrogate U+{ord(text[error.start]):04X} at character {error.start}; decode the text as UTF-8",
            field=path,
        ) from None
    return text


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise InvalidMessages(f"keys must be text, got {key!r} ({type(key).__name__})", field=path)
    return _plain_text(key, f"{path} key")


def _entry(key: str, value: Any, path: str, parents: tuple[int, ...]) -> Any:
    return f"<{type(value).__name__}>" if _is_opaque(key, value) else plain(value, f"{path}.{key}", parents)


def _is_opaque(key: str, value: Any) -> bool:
    """Whether it is a picture, video or sound as any object: a template tests its presence, never its value."""
    media = ("image", "image_url", "video", "video_url", "audio", "input_audio", "path", "url")
    return key in media and not _is_json(value)


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, Mapping, list, tuple))


def _unwrap(value: Any, path: str) -> Any:
    """Rich values that transformers flattens: dataclasses, pydantic models, numpy scalars."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: getattr(value, entry.name) for entry in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump()
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return value.item()
    raise InvalidMessages(
        f"{type(value).__name__} is not a JSON value; pass text, numbers, booleans, lists or dicts", field=path
    )


def _message(message: Any, path: str) -> Mapping[str, Any]:
    value = plain(message, path)
    if not isinstance(value, Mapping):
        raise InvalidMessages(f"expected a message (a dict), got {type(message).__name__}", field=path)
    role = value.get("role")
    if not isinstance(role, str):
        raise InvalidMessages(f"expected a role name, got {role!r}", field=f"{path}.role")
    return value


def _tools(tools: Any) -> list[Any] | None:
    if tools is None:
        return None
    if not isinstance(tools, (list, tuple)):
        raise InvalidMessages(f"expected a list of tool schemas, got {type(tools).__name__}", field="tools")
    return [_tool(tool, f"tools[{k}]") for k, tool in enumerate(tools)]


def _tool(tool: Any, path: str) -> Any:
    if isinstance(tool, Mapping):
        return plain(tool, path)
    if isinstance(tool, Callable):  # type: ignore[arg-type]
        from transformers.utils import get_json_schema

        try:
            schema = get_json_schema(tool)
        except Exception as error:
            raise InvalidMessages(
                f"the function has no schema: {error}. Give it type hints and a docstring, or pass a JSON schema",
                field=path,
            ) from error
        return plain(schema, path)
    raise InvalidMessages(f"expected a JSON schema (a dict) or a function, got {type(tool).__name__}", field=path)


def tool_names(turns: tuple[Turn, ...]) -> list[str | None]:
    """Per message, the tool a ``tool`` message answers: its ``name``, else the call with its ``tool_call_id``."""
    called: dict[Any, str] = {}
    for turn in turns:
        calls = turn.message.get("tool_calls") if turn.role == "assistant" else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, Mapping):
                function = call.get("function") or call
                name = function.get("name") if isinstance(function, Mapping) else None
                if isinstance(call.get("id"), str) and isinstance(name, str):
                    called[call["id"]] = name
    return [_answered(turn, called) if turn.role == "tool" else None for turn in turns]


def _answered(turn: Turn, called: Mapping[Any, str]) -> str | None:
    name = turn.message.get("name")
    if isinstance(name, str) and name:
        return name
    identifier = turn.message.get("tool_call_id")
    return called.get(identifier) if isinstance(identifier, str) else None
