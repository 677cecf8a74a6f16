r"""Laguna-S-2.1 and Laguna-XS-2.1: tags that hug their text, a think block in every turn or in none.

Wire::

    〈|EOS|〉[<system>{system}[\n\n][### Tools\n\n ...</available_tools>]</system>\n]
    <user>{content}</user>\n
    <assistant>(<think>{reasoning}</think> | </think>){content}
        (<tool_call>{name}(<arg_key>{key}</arg_key><arg_value>{value}</arg_value>)*</tool_call>)*</assistant>\n
    <tool_response>{content}</tool_response>\n

Quirks: with thinking the system block is there even when it is empty, and turns without reasoning have an empty think
block; without, no reasoning is written at all; content that is no text is empty; nothing is trimmed but the end of the
system text, which takes the place of a default one. Revision ``s-2.1`` thinks unless told otherwise and keeps
reasoning under ``preserve_thinking=True``; ``xs-2.1`` thinks only when told to, and no package carries its template.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.glm4_5 import arguments_of
from tokenspec_reference.renderers.families.laguna_xs_2 import DEFAULT_SYSTEM, given_reasoning
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import KEY_VALUE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import member, text_of, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

TOOLS_HEADER = (
    "### Tools\n\nYou may call functions to assist with the user query.\n"
    "All available function signatures are listed below:\n<available_tools>\n"
)


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("〈|EOS|〉"))
    has_system = chat.turns[0].role == "system"
    yield from _header(chat, revision, has_system=has_system)
    keeps_thoughts = revision == "s-2.1" and chat.enabled("preserve_thinking", default=False)
    for turn in chat.turns[1:] if has_system else chat.turns:
        content = turn.content if isinstance(turn.content, str) else ""
        if turn.role == "assistant":
            reply = _reply(turn, content, shows_thought=keeps_thoughts or _thinks(chat, revision))
            yield assistant(turn.index, "<assistant>", reply, "\n")
        elif turn.role in ("user", "system", "tool"):
            tag = "tool_response" if turn.role == "tool" else turn.role
            yield block(turn.index, scaffold(f"<{tag}>"), body(content), scaffold(f"</{tag}>\n"))


def generation_prompt(chat: Chat, revision: str) -> str:
    """The assistant opener and the tag that says whether the model thinks."""
    return "<assistant>" + ("<think>" if _thinks(chat, revision) else "</think>")


def _thinks(chat: Chat, revision: str) -> bool:
    return chat.enabled("enable_thinking", default=revision == "s-2.1")


def _header(chat: Chat, revision: str, *, has_system: bool) -> Iterator[Block]:
    system: Any = chat.turns[0].content if has_system else DEFAULT_SYSTEM
    is_written = bool(system) and bool(text_of(system).strip())
    if is_written or chat.tools or _thinks(chat, revision):
        text = text_of(system).rstrip() if is_written else ""
        written = body(text) if has_system else scaffold(text)
        separator = scaffold("\n\n" if is_written and chat.tools else "")
        tools = _tools(chat.tools) if chat.tools else ()
        owner = 0 if has_system else OUTSIDE
        yield block(owner, scaffold("<system>"), written, separator, *tools, scaffold("</system>\n"))


def _tools(tools: list[Any]) -> Iterator[Segment]:
    yield scaffold(TOOLS_HEADER)
    for tool in tools:
        yield from (quoted(tojson(tool)), scaffold("\n"))
    yield scaffold("</available_tools>")


def _reply(turn: Turn, content: str, *, shows_thought: bool) -> Iterator[Segment]:
    if shows_thought:
        yield from (scaffold("<think>"), body(given_reasoning(turn)))
    yield from (scaffold("</think>"), body(content))
    for call in turn.get("tool_calls") or ():
        function = member(call, "function")
        yield from (scaffold("<tool_call>"), body(text_of(member(function, "name"))))
        for key, value in arguments_of(function):
            yield from (scaffold("<arg_key>"), body(key), scaffold("</arg_key><arg_value>"))
            yield from (body(value), scaffold("</arg_value>"))
        yield scaffold("</tool_call>")
    yield scaffold("</assistant>")


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=partial(generation_prompt, revision=revision),
        stop_tokens=("</assistant>", "〈|EOS|〉"),
        response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), KEY_VALUE_CALLS),
    )


FAMILY = Revisions(_family, markers=(("s-2.1", "preserve_thinking"), ("xs-2.1", "")))
