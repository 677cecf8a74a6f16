r"""Laguna-XS.2 and Laguna-M.1: tags on lines of their own, every reasoning kept, a default system prompt.

Wire::

    〈|EOS|〉[<system>\n[\n{system}][\n\n### Tools\n\n ...]\n</system>\n]
    <user>\n{content}\n</user>\n
    <assistant>\n([<think>\n{reasoning}\n]</think>\n)[{content}\n](<tool_call>{name}\n(<arg_key>{key}</arg_key>\n
        <arg_value>{value}</arg_value>\n)*</tool_call>\n)*</assistant>\n
    <tool_response>\n{content}\n</tool_response>\n

Quirks: content that is no text is empty; an empty system message switches the default off; the prompt ends in
``<think>`` or ``</think>`` and the history of a turn without reasoning starts with the latter;
``render_assistant_messages_raw=True`` copies the content between prompt and closer verbatim. Revision ``m.1`` has no
default.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.glm4_5 import arguments_of
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import KEY_VALUE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import cut_thought, member, text_of, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

DEFAULT_SYSTEM = (
    "You are a helpful, conversationally-fluent assistant made by Poolside. "
    "You are here to be helpful to users through natural language conversations."
)
TOOLS_HEADER = (
    "\n\n### Tools\n\nYou may call functions to assist with the user query.\n"
    "All available function signatures are listed below:\n<available_tools>\n"
)
CALL_SHAPE = (
    "with function name and arguments within '<tool_call>' and '</tool_call>' tags, like here:\n{thought}"
    "<tool_call>function-name\n<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n</tool_call>"
)
SILENT_FORMAT = (
    "</available_tools>\n\nFor each function call, return an unescaped XML-like object " + CALL_SHAPE.format(thought="")
)
THINKING_FORMAT = (
    "</available_tools>\n\nWrap your thinking in '<think>', '</think>' tags, followed by a function call. "
    "For each function call, return an unescaped XML-like object "
    + CALL_SHAPE.format(thought="<think> your thoughts here </think>\n")
)


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("〈|EOS|〉"))
    yield from _header(chat, DEFAULT_SYSTEM if revision == "xs.2" else "")
    for turn in chat.turns:
        content = turn.content if isinstance(turn.content, str) else ""
        if turn.role == "assistant" and chat.enabled("render_assistant_messages_raw", default=False):
            yield assistant(turn.index, "<assistant>\n", _raw(chat, content), "\n")
        elif turn.role == "assistant":
            yield assistant(turn.index, "<assistant>\n", _reply(turn, content), "\n")
        elif turn.role in ("user", "system") and (turn.role == "user" or turn.index):
            opener, closer = scaffold(f"<{turn.role}>\n"), scaffold(f"\n</{turn.role}>\n")
            yield block(turn.index, opener, body(content), closer)
        elif turn.role == "tool":
            yield block(turn.index, scaffold("<tool_response>\n"), body(content), scaffold("\n</tool_response>\n"))


def generation_prompt(chat: Chat) -> str:
    """The assistant opener and the tag that says whether the model thinks."""
    return "<assistant>\n" + ("<think>" if _thinks(chat) else "</think>")


def _thinks(chat: Chat) -> bool:
    return chat.enabled("enable_thinking", default=False)


def _header(chat: Chat, default: str) -> Iterator[Block]:
    first = chat.turns[0]
    has_system = first.role == "system"
    system: Any = first.content if has_system else default
    is_written = bool(system) and bool(text_of(system).strip())
    if is_written or chat.tools:
        owner = 0 if has_system else OUTSIDE
        text = text_of(system).rstrip() if is_written else ""
        written = (scaffold("\n"), body(text) if has_system else scaffold(text)) if is_written else ()
        yield block(owner, scaffold("<system>\n"), *written, *_tools(chat), scaffold("\n</system>\n"))


def _tools(chat: Chat) -> Iterator[Segment]:
    if chat.tools:
        yield scaffold(TOOLS_HEADER)
        for tool in chat.tools:
            yield from (quoted(tojson(tool)), scaffold("\n"))
        yield scaffold(THINKING_FORMAT if _thinks(chat) else SILENT_FORMAT)


def _reply(turn: Turn, content: str) -> Iterator[Segment]:
    reasoning = given_reasoning(turn)
    if "</think>" in content:
        thought, content = cut_thought(content)
        reasoning = reasoning or thought
    if reasoning:
        yield from (scaffold("<think>\n"), body(reasoning.strip()), scaffold("\n"))
    yield scaffold("</think>\n")
    if content.strip():
        yield from (body(content.strip()), scaffold("\n"))
    for call in turn.get("tool_calls") or ():
        function = member(call, "function")
        yield from (scaffold("<tool_call>"), body(text_of(member(function, "name"))), scaffold("\n"))
        for key, value in arguments_of(function):
            yield from (scaffold("<arg_key>"), body(key), scaffold("</arg_key>\n<arg_value>"))
            yield from (body(value), scaffold("</arg_value>\n"))
        yield scaffold("</tool_call>\n")
    yield scaffold("</assistant>")


def given_reasoning(turn: Turn) -> str:
    """``reasoning`` of a turn, else its ``reasoning_content``; empty where neither is text."""
    names = ("reasoning", "reasoning_content")
    return next((turn.get(name) for name in names if isinstance(turn.get(name), str)), "")


def _raw(chat: Chat, content: str) -> Iterator[Segment]:
    tag = "<think>" if _thinks(chat) else "</think>"
    yield scaffold("" if content.startswith(tag) else tag)
    if content.endswith("</assistant>\n"):
        yield body(content.removesuffix("\n"))
        yield scaffold("\n")
    else:
        yield body(content)
        yield scaffold("" if content.endswith("</assistant>") else "\n</assistant>")


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=generation_prompt,
        stop_tokens=("</assistant>", "〈|EOS|〉"),
        response=ResponseFormat(
            ThoughtFormat(after_close="\n"), replace(KEY_VALUE_CALLS, separator="\n"), after_content="\n"
        ),
    )


FAMILY = Revisions(_family, markers=(("xs.2", "made by Poolside"), ("m.1", "")))
