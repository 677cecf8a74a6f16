r"""GLM-4.5: role markers with newlines, no turn closer, plain-text tool wraps.

Wire::

    [gMASK]<sop>[<|system|>\n# Tools ... </tool_call>]
    <|system|>\n{text}
    <|user|>\n{text}[/nothink]
    <|assistant|>\n<think>{reasoning}</think>[\n{content}](\n<tool_call>{name}\n(<arg_key>..\n<arg_value>..\n)*</tool_call>)*
    <|observation|>[\n<tool_response>\n{text}\n</tool_response>]+

Quirks: nothing closes a turn, the next turn's marker does. The marker after an assistant turn (``<|user|>`` or
``<|observation|>``) is what the model emits to stop, so it belongs to the assistant, sampled; a final turn has none.
The prompt ends with the bare ``<|assistant|>``, so the newline after it is sampled. Reasoning is written only after the
last user message. ``enable_thinking=False`` appends ``/nothink`` to user texts that do not end with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined, UndefinedError

from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.call_formats import KEY_VALUE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import (
    OUTSIDE,
    Block,
    Segment,
    block,
    body,
    joined,
    quoted,
    scaffold,
)
from tokenspec_reference.renderers.template_values import (
    cut_thought,
    function_of,
    is_defined,
    is_iterable,
    member,
    printed,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

TOOLS_HEADER = (
    "<|system|>\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
CALL_FORMAT = (
    "</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
    "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>"
)
STOPS = ("<|user|>", "<|observation|>")


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("[gMASK]<sop>"))
    if chat.tools:
        signatures = [part for tool in chat.tools for part in (quoted(tojson(tool)), scaffold("\n"))]
        yield block(OUTSIDE, scaffold(TOOLS_HEADER), *signatures, scaffold(CALL_FORMAT))
    yield from close_by_next_marker(_turns(chat))


def close_by_next_marker(blocks: Iterator[Block]) -> Iterator[Block]:
    """Move the marker that opens a turn to the assistant turn before it: it is the stop token the model emitted."""
    held: Block | None = None
    for current in blocks:
        if held is not None and current.opener and current.opener[0].text in STOPS:
            marker, *rest = current.opener
            yield held._replace(sampled=(*held.sampled, marker))
            current = current._replace(opener=tuple(rest))  # noqa: PLW2901 - the same turn without its marker
            held = None
        elif held is not None:
            yield held
            held = None
        if current.sampled:
            held = current
        else:
            yield current
    if held is not None:
        yield held


def generation_prompt(chat: Chat) -> str:
    """The bare assistant marker, with an empty think block when thinking is switched off."""
    return "<|assistant|>" + ("" if chat.enabled("enable_thinking", default=True) else "\n<think></think>")


def _turns(chat: Chat) -> Iterator[Block]:
    for turn in chat.turns:
        if turn.role == "user":
            content = list(visible(turn.content))
            silent = not chat.enabled("enable_thinking", default=True) and not joined(content).endswith("/nothink")
            yield block(
                turn.index, scaffold("<|user|>"), scaffold("\n"), *content, scaffold("/nothink" if silent else "")
            )
        elif turn.role == "assistant":
            reply = _reply(turn, is_current=turn.index > chat.last_user)
            yield Block(turn.index, (scaffold("<|assistant|>"),), tuple(reply))
        elif turn.role == "tool":
            yield block(turn.index, *tool_result(chat, turn, newline="\n"))
        elif turn.role == "system":
            yield block(turn.index, scaffold("<|system|>\n"), *visible(turn.content))


def visible(content: Any) -> Iterator[Segment]:
    """The text of a content: itself, its text parts, or its printed value."""
    if isinstance(content, str):
        yield body(content)
    elif is_iterable(content) and not isinstance(content, Mapping):
        for part in content:
            if isinstance(part, Mapping) and member(part, "type") == "text":
                yield from printed(member(part, "text"))
            elif isinstance(part, str):
                yield body(part)
    else:
        yield from printed(content)


def _reply(turn: Turn, *, is_current: bool) -> Iterator[Segment]:
    reasoning, content = split_reasoning(turn)
    yield from (scaffold("\n<think>"), body(reasoning.strip() if is_current else ""), scaffold("</think>"))
    if content.strip():
        yield from (scaffold("\n"), body(content.strip()))
    for call in turn.get("tool_calls") or ():
        chosen = function_of(call)
        yield from (scaffold("\n<tool_call>"), body(text_of(member(chosen, "name"))), scaffold("\n"))
        for key, value in arguments_of(chosen):
            yield from (scaffold("<arg_key>"), body(key), scaffold("</arg_key>\n<arg_value>"))
            yield from (body(value), scaffold("</arg_value>\n"))
        yield scaffold("</tool_call>")


def split_reasoning(turn: Turn) -> tuple[str, str]:
    """Reasoning from its own field, else cut out of the visible content."""
    content, given = joined(visible(turn.content)), turn.get("reasoning_content")
    if isinstance(given, str):
        return given, content
    return cut_thought(content) if "</think>" in content else ("", content)


def arguments_of(call: Any) -> Iterator[tuple[str, str]]:
    """Key and printed value of each argument; arguments have to be a mapping."""
    arguments = member(call, "arguments")
    if not isinstance(arguments, Mapping):
        raise UndefinedError("arguments have no items(); pass a mapping, not a JSON string")
    for key, value in arguments.items():
        yield key, value if isinstance(value, str) else tojson(value)


def tool_result(chat: Chat, turn: Turn, *, newline: str) -> Iterator[Segment]:
    """A result, or a list of them, which always has a marker of its own; ``newline`` stands around the tags."""
    opener, closer = scaffold(f"{newline}<tool_response>{newline}"), scaffold(f"{newline}</tool_response>")
    if not isinstance(turn.content, str) or chat.starts_results(turn):
        yield scaffold("<|observation|>")
    if isinstance(turn.content, str):
        yield from (opener, body(turn.content), closer)
        return
    for entry in turn.content:
        yield from (opener, *_result_entry(turn.content, entry), closer)


def _result_entry(content: Any, entry: Any) -> Iterator[Segment]:
    """One entry of a list of results; a mapping in its place is iterated, so its keys are printed."""
    output = member(entry, "output") if isinstance(entry, Mapping) else Undefined()
    if isinstance(content, Mapping):
        yield quoted(entry)
    else:
        yield from printed(output) if is_defined(output) else printed(entry, is_part=True)


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=("<|endoftext|>", "<|user|>", "<|observation|>"),
    closes_by_next_marker=True,
    response=ResponseFormat(
        ThoughtFormat(after_open="", before_close="", after_close="\n"), replace(KEY_VALUE_CALLS, separator="\n")
    ),
)
