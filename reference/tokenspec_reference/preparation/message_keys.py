"""Keys of messages that neither a reader of data sets nor the template reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.not_read import INPUTS, MASKS, MEDIA, MEDIA_COLUMNS, WEIGHTS, is_empty
from tokenspec_reference.renderers.chat import REASONING_NAMES
from tokenspec_reference.renderers.template.fields import fields

READ = frozenset(
    {*("role", "content", "tool_calls", "tool_call_id", "from", "value"), *REASONING_NAMES, *WEIGHTS, *MASKS}
)
"""Keys that every renderer reads, that join a result to its call, or of which the reader of the record has spoken."""

BY_HAND = frozenset({"tools", "response_format", "tool_responses", "prefix"})
"""Keys that the families without a template read."""

CALLS = frozenset({"function_call", "function_calls", "tool_call", "calls"})
"""Other names of calls. ``function_call`` is what OpenAI's interface had before ``tool_calls``."""

SAID = frozenset({"refusal", "thought", "thoughts", "thinking_content", "analysis", "text", "prefix"})
"""Names of what a message says beside its content."""


def unread_keys(template: Any, messages: Sequence[Any]) -> Iterator[Finding]:
    """One finding for each key of messages that nothing reads, by what a data set means with it.

    ``unread-call``, ``media-not-expanded``, ``ignored-input`` or ``unknown-column``. ``template``: the chat template;
    empty or None where a family is written by hand and has none. Keys without a value are left out.
    """
    told: set[str] = set()
    for message in messages:
        for name in message.keys() - READ - told if isinstance(message, Mapping) else ():
            if not is_empty(message[name]) and not _is_result_name(message, name) and not _is_read(template, name):
                told.add(name)
    for name in sorted(told, key=str):
        yield Finding(_code(name), f"the key {name} of messages is not read")


def said_in(message: Mapping[str, Any]) -> list[str]:
    """The texts that a message holds under names of its own beside the content."""
    return [message[name] for name in sorted(SAID & message.keys()) if isinstance(message[name], str)]


def _is_result_name(message: Mapping[str, Any], name: str) -> bool:
    """Whether this is the name of the tool whose result this is, which its call says as well."""
    return name == "name" and message.get("role") in {"tool", "function"}


def _is_read(template: Any, name: str) -> bool:
    if not isinstance(template, str) or not template:
        return name in BY_HAND
    try:
        known = fields(template)
    except TokenSpecError:
        return True  # a template that cannot be parsed is a finding of its own
    return known is None or name in known


def _code(name: str) -> str:
    if name in CALLS:
        return "unread-call"
    if name in MEDIA or name in MEDIA_COLUMNS:
        return "media-not-expanded"
    return "ignored-input" if name in INPUTS or name in SAID else "unknown-column"
