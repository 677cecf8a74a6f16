r"""Llama 3.1 to 3.3: header tokens, trimmed content, one JSON call per turn, a date in every system prompt.

Wire::

    <|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n[Environment: ipython\n]
    Cutting Knowledge Date: December 2023\nToday Date: {date}\n\n[tools]{system}<|eot_id|>
    <|start_header_id|>{role}<|end_header_id|>\n\n[tools]{content}<|eot_id|>
    <|start_header_id|>assistant<|end_header_id|>\n\n{"name": "...", "parameters": {...}}<|eot_id|>
    <|start_header_id|>ipython<|end_header_id|>\n\n{JSON of the content}<|eot_id|>

Quirks: every role is copied into the header; tools go into the first message after the system prompt, whatever its
role; content beside a tool call is lost; a tool result is JSON-quoted, its quotes are scaffold; arguments given as a
JSON string are quoted once more. Revision ``3.2`` takes the date from the clock unless ``date_string`` is given;
revision ``3.1`` (also 3.3) has a fixed date and knows ``builtin_tools``, which end a call with ``<|eom_id|>``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined

from tokenspec_reference.renderers.family import Family, Revisions, always
from tokenspec_reference.renderers.parsing.bare_calls import read_bare_calls
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.segments import (
    OUTSIDE,
    Block,
    Segment,
    assistant,
    block,
    body,
    quoted,
    scaffold,
)
from tokenspec_reference.renderers.template_values import (
    is_defined,
    is_iterable,
    item,
    items,
    json_body,
    member,
    printed,
    printed_token,
    refuse,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokenspec_reference.renderers.chat import Chat, Turn

CALL_FORMAT = (
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.'
    "Do not use variables.\n\n"
)
TOOLS_IN_SYSTEM = (
    "You have access to the following functions. To call a function, please respond with JSON for a function call."
    + CALL_FORMAT
)
TOOLS_IN_USER = (
    "Given the following functions, please respond with a JSON for a function call "
    "with its proper arguments that best answers the given prompt.\n\n" + CALL_FORMAT
)
ASSISTANT = "<|start_header_id|>assistant<|end_header_id|>\n\n"


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    custom_tools = chat.option("custom_tools")
    tools: Any = custom_tools if is_defined(custom_tools) else chat.tools
    in_user = chat.enabled("tools_in_user_message", default=True)
    has_system = chat.turns[0].role == "system"
    turns = chat.turns[1:] if has_system else chat.turns

    yield block(OUTSIDE, *printed_token(chat.option("bos_token")))
    yield block(0 if has_system else OUTSIDE, *_system(chat, tools, in_user=in_user, revision=revision))
    if in_user and tools is not None:
        if not turns:
            refuse("Cannot put tools in the first user message when there's no first user message!")
        first, turns = turns[0], turns[1:]
        header = scaffold("<|start_header_id|>user<|end_header_id|>\n\n" + TOOLS_IN_USER)
        yield block(first.index, header, *_tools(tools), *trimmed(first.content), scaffold("<|eot_id|>"))
    for turn in turns:
        if "tool_calls" in turn.message and turn.role == "assistant":
            yield assistant(turn.index, ASSISTANT, _call(chat, turn, revision))
        elif "tool_calls" in turn.message:
            yield block(turn.index, scaffold(ASSISTANT), *_call(chat, turn, revision))
        elif turn.role in ("tool", "ipython"):
            header = scaffold("<|start_header_id|>ipython<|end_header_id|>\n\n")
            yield block(turn.index, header, *_tool_content(turn.content), scaffold("<|eot_id|>"))
        elif turn.role == "assistant":
            yield assistant(turn.index, ASSISTANT, (*trimmed(turn.content), scaffold("<|eot_id|>")))
        else:
            header, closer = scaffold("<|start_header_id|>"), scaffold("<|end_header_id|>\n\n")
            content = trimmed(turn.content)
            yield block(turn.index, header, quoted(turn.role), closer, *content, scaffold("<|eot_id|>"))


def trimmed(value: Any) -> Iterator[Segment]:
    """``value | trim`` as a body: any value is printed first, so only a text's outer whitespace is lost."""
    return printed(value.strip() if isinstance(value, str) else value)


def _system(chat: Chat, tools: Any, *, in_user: bool, revision: str) -> Iterator[Segment]:
    builtin = chat.option("builtin_tools") if revision == "3.1" else Undefined()
    yield scaffold("<|start_header_id|>system<|end_header_id|>\n\n")
    if tools is not None or is_defined(builtin):
        yield scaffold("Environment: ipython\n")
    if is_defined(builtin):
        names = ", ".join(str(name) for name in builtin if name != "code_interpreter")
        yield from (scaffold("Tools: "), quoted(names), scaffold("\n\n"))
    yield scaffold("Cutting Knowledge Date: December 2023\nToday Date: ")
    yield quoted(_date(chat, revision))
    yield scaffold("\n\n")
    if tools is not None and not in_user:
        yield scaffold(TOOLS_IN_SYSTEM)
        yield from _tools(tools)
    if chat.turns[0].role == "system":
        yield from trimmed(chat.turns[0].content)
    yield scaffold("<|eot_id|>")


def _date(chat: Chat, revision: str) -> str:
    given = chat.option("date_string")
    if is_defined(given):
        return text_of(given)
    return "26 Jul 2024" if revision == "3.1" else chat.now.strftime("%d %b %Y")


def _tools(tools: Sequence[Any]) -> Iterator[Segment]:
    for tool in tools:
        yield quoted(tojson(tool, indent=4))
        yield scaffold("\n\n")


def _call(chat: Chat, turn: Turn, revision: str) -> Iterator[Segment]:
    """Exactly one call; content beside it is not written."""
    calls = turn.get("tool_calls")
    if len(list(calls)) != 1:
        refuse("This model only supports single tool-calls at once!")
    call = member(item(calls, 0), "function")
    builtin = chat.option("builtin_tools") if revision == "3.1" else Undefined()
    name = member(call, "name")
    if name in builtin:  # nothing is in what is undefined
        yield scaffold("<|python_tag|>")
        yield body(text_of(name))
        yield scaffold(".call(")
        for position, (key, value) in enumerate(items(member(call, "arguments"))):
            yield scaffold(", " if position else "")
            yield from (body(key), scaffold('="'), body(text_of(value)), scaffold('"'))
        yield scaffold(")")
    else:
        yield scaffold('{"name": "')
        yield body(text_of(name))
        yield scaffold('", "parameters": ')
        yield body(tojson(member(call, "arguments")))
        yield scaffold("}")
    yield scaffold("<|eom_id|>" if is_defined(builtin) else "<|eot_id|>")


def _tool_content(content: Any) -> Iterator[Segment]:
    return json_body(content) if is_iterable(content) else printed(content)


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=always(ASSISTANT),
        stop_tokens=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        response=ResponseFormat(bare_calls=read_bare_calls),
    )


FAMILY = Revisions(_family, markers=(("3.1", "builtin_tools"), ("3.2", "")))
