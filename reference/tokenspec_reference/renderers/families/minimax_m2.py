r"""MiniMax-M2: a system block always, XML calls, reasoning kept only after the last user message.

Wire::

    ]~!b[]~b]system\n{system or model_identity}[\nCurrent date: ..][\nCurrent location: ..][\n\n# Tools ...][e~[\n
    ]~b]user\n{text}[e~[\n
    ]~b]ai\n[<think>\n{reasoning}\n</think>\n\n]{content}[\n<minimax:tool_call>\n
        (<invoke name="{name}">\n(<parameter name="{key}">{value}</parameter>\n)*</invoke>\n)*
        </minimax:tool_call>][e~[\n
    ]~b]tool[\n<response>{text}</response>]+[e~[\n

Quirks: the prompt ends in ``<think>\n``, so a history turn that keeps its reasoning is sampled after that tag; a tool
result is refused unless an assistant message with calls came before it; with nothing but calls the body of a turn
starts with a newline that merges with the one of the opener (one scaffold token).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.glm4_5 import arguments_of, visible
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing.call_formats import MINIMAX_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import (
    OUTSIDE,
    Block,
    Segment,
    assistant,
    block,
    body,
    joined,
    quoted,
    scaffold,
)
from tokenspec_reference.renderers.template_values import (
    function_of,
    is_defined,
    member,
    printed,
    refuse,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

DEFAULT_IDENTITY = "You are a helpful assistant."
TOOLS_HEADER = (
    "\n\n# Tools\nYou may call one or more tools to assist with the user query.\n"
    "Here are the tools available in JSONSchema format:\n\n<tools>\n"
)
CALL_FORMAT = (
    "</tools>\n\nWhen making tool calls, use XML format to invoke tools and pass parameters:\n"
    '\n<minimax:tool_call>\n<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
    '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>'
)


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    has_system = chat.turns[0].role == "system"
    opener, closer = scaffold("]~b]system\n"), scaffold("[e~[\n")
    yield block(OUTSIDE, scaffold("]~!b["))
    yield block(0 if has_system else OUTSIDE, opener, *_system(chat), *_tools(chat), closer)
    has_called = False
    for turn in chat.turns:
        if turn.role == "assistant":
            reply = _reply(turn, is_current=turn.index > chat.last_user)
            yield assistant(turn.index, "]~b]ai\n", (*reply, scaffold("[e~[")), "\n")
            has_called = bool(turn.get("tool_calls"))
        elif turn.role == "tool":
            if not has_called:
                refuse("Message has tool role, but there was no previous assistant message with a tool call!")
            yield block(turn.index, *_tool_result(chat, turn))
        elif turn.role == "user":
            yield block(turn.index, scaffold("]~b]user\n"), *visible(turn.content), closer)


def _system(chat: Chat) -> Iterator[Segment]:
    first = chat.turns[0]
    is_system = first.role == "system"
    if is_system and first.content:
        yield from visible(first.content)
    else:
        identity = chat.option("model_identity")
        yield from (quoted(str(identity)),) if is_defined(identity) else (scaffold(DEFAULT_IDENTITY),)
    for name, label in (("current_date", "\nCurrent date: "), ("current_location", "\nCurrent location: ")):
        if is_system and first.get(name):
            yield from (scaffold(label), quoted(text_of(first.get(name))))


def _tools(chat: Chat) -> Iterator[Segment]:
    if chat.tools:
        yield scaffold(TOOLS_HEADER)
        for tool in chat.tools:
            yield from (scaffold("<tool>"), quoted(tojson(member(tool, "function"))), scaffold("</tool>\n"))
        yield scaffold(CALL_FORMAT)


def _reply(turn: Turn, *, is_current: bool) -> Iterator[Segment]:
    reasoning, content = _split_reasoning(turn)
    if reasoning and is_current:
        yield from (scaffold("<think>\n"), body(reasoning), scaffold("\n</think>\n\n"))
    yield body(content)
    calls = turn.get("tool_calls")
    if calls:
        yield scaffold("\n<minimax:tool_call>\n")
        for call in calls:
            chosen = function_of(call)
            yield from (scaffold('<invoke name="'), body(text_of(member(chosen, "name"))), scaffold('">\n'))
            for key, value in arguments_of(chosen):
                yield from (scaffold('<parameter name="'), body(key), scaffold('">'))
                yield from (body(value), scaffold("</parameter>\n"))
            yield scaffold("</invoke>\n")
        yield scaffold("</minimax:tool_call>")


def _split_reasoning(turn: Turn) -> tuple[str, str]:
    content, given = joined(visible(turn.content)), turn.get("reasoning_content")
    if isinstance(given, str):
        return given, content
    if "</think>" not in content:
        return "", content
    parts = content.split("</think>")
    return parts[0].strip("\n").split("<think>")[-1].strip("\n"), parts[-1].strip("\n")


def _tool_result(chat: Chat, turn: Turn) -> Iterator[Segment]:
    if chat.starts_results(turn):
        yield scaffold("]~b]tool")
    if isinstance(turn.content, str):
        yield from (scaffold("\n<response>"), body(turn.content), scaffold("</response>"))
    else:
        for entry in turn.content:
            yield scaffold("\n<response>")
            yield from _result(entry)
            yield scaffold("\n</response>")
    if chat.ends_results(turn):
        yield scaffold("[e~[\n")


def _result(entry: Any) -> Iterator[Segment]:
    """The output of a result, else the text of a text part, else the entry itself."""
    output, text = member(entry, "output"), member(entry, "text")
    if is_defined(output):
        return printed(output)
    is_text = member(entry, "type") == "text" and is_defined(text)
    return printed(text) if is_text else printed(entry, is_part=True)


FAMILY = Family(
    segments=segments,
    generation_prompt=always("]~b]ai\n<think>\n"),
    stop_tokens=("[e~[",),
    response=ResponseFormat(ThoughtFormat(), MINIMAX_CALLS),
    straddle="overlap",
)
