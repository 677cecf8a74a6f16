r"""Nemotron-3 and Nemotron-3.5: ChatML with XML tools spelled out tag by tag and a think block in every turn.

Wire::

    <|im_start|>system\n{system}[\n\n][# Tools ... </IMPORTANT>]<|im_end|>\n
    <|im_start|>user\n{printed content}<|im_end|>\n
    <|im_start|>assistant\n(<think>\n{reasoning}\n</think>\n | <think></think>){content}<|im_end|>\n
    <|im_start|>assistant\n{as above}\n(<tool_call>\n<function={name}>\n(<parameter={key}>\n{value}\n</parameter>\n)*
        </function>\n</tool_call>\n)*<|im_end|>\n
    <|im_start|>user\n(<tool_response>\n{printed content}\n</tool_response>\n)+<|im_end|>\n

Quirks: the system block is always there, empty without a system message; thinking of turns before the last user message
is cut to an empty block unless ``truncate_history_thinking=False``; a turn with calls ends in a newline before the
closer; values that are no containers are printed in Python's spelling; the prompt opens ``<think>\n``, or writes
``<think></think>`` with ``enable_thinking=False``.

Revisions: ``nano`` is the one above. ``super`` adds a line on the effort to the last user message under
``low_effort=True``, ``ultra`` one under ``medium_effort=True``. ``ultra`` and ``3.5`` write ``</think>`` directly
behind the reasoning and the content directly behind it, and do not trim what follows a past thought in a turn with
calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.qwen3_5 import CALL_INSTRUCTIONS, xml_call
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import XML_CALLS
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
    strip_segments,
)
from tokenspec_reference.renderers.template_values import (
    function_of,
    is_defined,
    is_iterable,
    items,
    member,
    printed,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

NO_THOUGHT = "<think></think>"
EFFORTS = {
    "super": ("low_effort", "\n\n{reasoning effort: low}"),
    "ultra": ("medium_effort", "\n\n{reasoning effort: efficient}"),
}
"""Per revision the keyword that asks for less effort, and what it adds to the last user message."""
GLUED = ("ultra", "3.5")


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    has_system = chat.turns[0].role == "system"
    turns = chat.turns[1:] if has_system else chat.turns
    yield from _preamble(chat, has_system=has_system)
    for turn in turns:
        opener, closer = scaffold(f"<|im_start|>{turn.role}\n"), scaffold("<|im_end|>\n")
        if turn.role == "assistant":
            shortened = chat.enabled("truncate_history_thinking", default=True) and turn.index < chat.last_user
            reply = _reply(turn, shortened=shortened, is_glued=revision in GLUED)
            yield assistant(turn.index, "<|im_start|>assistant\n", (*reply, scaffold("<|im_end|>")), "\n")
        elif turn.role in ("user", "system"):
            asked = scaffold(_effort(chat, revision) if turn.index == chat.last_user else "")
            yield block(turn.index, opener, *printed(turn.content), asked, closer)
        elif turn.role == "tool":
            yield _tool_result(chat, turn, first_index=turns[0].index)
        else:
            role = (scaffold("<|im_start|>"), quoted(turn.role), scaffold("\n"))
            yield block(turn.index, *role, body(text_of(turn.content)), closer)


def generation_prompt(chat: Chat) -> str:
    """The assistant opener and an open think block, or an empty one when thinking is switched off."""
    thinks = chat.enabled("enable_thinking", default=True)
    return "<|im_start|>assistant\n" + ("<think>\n" if thinks else NO_THOUGHT)


def _effort(chat: Chat, revision: str) -> str:
    keyword, line = EFFORTS.get(revision, ("", ""))
    return line if line and chat.enabled(keyword, default=False) else ""


def _preamble(chat: Chat, *, has_system: bool) -> Iterator[Block]:
    system: Any = chat.turns[0].content if has_system else ""
    if is_defined(system) or chat.tools:
        written = (body(text_of(system)),) if is_defined(system) else ()
        separator = scaffold("\n\n" if chat.tools and is_defined(system) and system else "")
        tools = _tools(chat.tools) if chat.tools else ()
        opener, closer = scaffold("<|im_start|>system\n"), scaffold("<|im_end|>\n")
        yield block(0 if has_system else OUTSIDE, opener, *written, separator, *tools, closer)


def _tools(tools: list[Any]) -> Iterator[Segment]:
    yield scaffold("# Tools\n\nYou have access to the following functions:\n\n<tools>")
    for tool in tools:
        yield from _function(function_of(tool, is_defined))
    yield scaffold("\n</tools>" + CALL_INSTRUCTIONS)


def _function(tool: Any) -> Iterator[Segment]:
    yield from (scaffold("\n<function>\n<name>"), quoted(str(member(tool, "name"))), scaffold("</name>"))
    yield from _tag("description", member(tool, "description"))
    yield scaffold("\n<parameters>")
    parameters = member(tool, "parameters")
    if is_defined(parameters):
        properties = member(parameters, "properties")
        for name, fields in items(properties) if isinstance(properties, Mapping) else ():
            yield from (scaffold("\n<parameter>\n<name>"), quoted(name), scaffold("</name>"))
            yield from _tag("type", member(fields, "type"), trims=False)
            yield from _tag("description", member(fields, "description"))
            if is_defined(member(fields, "enum")):
                yield from (scaffold("\n<enum>"), quoted(tojson(member(fields, "enum"))), scaffold("</enum>"))
            yield from _extra_keys(fields, ("name", "type", "description", "enum"))
            yield scaffold("\n</parameter>")
    yield from _extra_keys(parameters, ("type", "properties", "required"))
    if is_defined(parameters) and is_defined(member(parameters, "required")):
        yield from (scaffold("\n<required>"), quoted(tojson(member(parameters, "required"))), scaffold("</required>"))
    yield scaffold("\n</parameters>")
    yield from _extra_keys(tool, ("type", "name", "description", "parameters"))
    yield scaffold("\n</function>")


def _tag(name: str, value: Any, *, trims: bool = True) -> Iterator[Segment]:
    if is_defined(value):
        text = str(value).strip() if trims else str(value)
        yield from (scaffold(f"\n<{name}>"), quoted(text), scaffold(f"</{name}>"))


def _extra_keys(value: Any, handled: tuple[str, ...]) -> Iterator[Segment]:
    """Keys the format does not name, each in a tag of its own."""
    for key, element in items(value) if isinstance(value, Mapping) else ():
        if key not in handled:
            is_container = isinstance(element, (Mapping, list, tuple))
            yield from (scaffold("\n<"), quoted(key), scaffold(">"))
            yield quoted(tojson(element) if is_container else str(element))
            yield from (scaffold("</"), quoted(key), scaffold(">"))


def _reply(turn: Turn, *, shortened: bool, is_glued: bool) -> Iterator[Segment]:
    """Think block and content as one text, trimmed; then the calls."""
    content = _with_thought(turn, is_glued=is_glued)
    calls = turn.get("tool_calls")
    if is_defined(calls) and is_iterable(calls) and calls:
        if not _is_text(turn):
            yield scaffold(NO_THOUGHT)
        else:
            yield from _after_thought(content, trims=not is_glued) if shortened else strip_segments(content)
            yield scaffold("\n")
        for call in calls:
            yield from xml_call(function_of(call, is_defined), as_json=False, prints_name=True)
            yield scaffold("\n")
    elif shortened:
        yield from _shortened(content)
    else:
        yield from strip_segments(content)


def _is_text(turn: Turn) -> bool:
    """Whether the template holds the content as text: reasoning, empty and missing content make it text."""
    reasoning = turn.get("reasoning_content")
    return (isinstance(reasoning, str) and bool(reasoning.strip())) or not turn.content or isinstance(turn.content, str)


def _with_thought(turn: Turn, *, is_glued: bool) -> list[Segment]:
    """The content after its reasoning, or after an empty think block when it has no think tag of its own."""
    content, reasoning = turn.content, turn.get("reasoning_content")
    written = list(printed(content)) if content else []
    if isinstance(reasoning, str) and reasoning.strip():
        close = "</think>" if is_glued else "\n</think>\n"
        return [scaffold("<think>\n"), body(reasoning), scaffold(close), *written]
    text = joined(written)
    if _is_text(turn) and "<think>" not in text and "</think>" not in text:
        return [scaffold(NO_THOUGHT), *written]
    return written


def _after_thought(content: list[Segment], *, trims: bool) -> Iterator[Segment]:
    """A turn with calls before the last user message: an empty block and what follows the last thought."""
    text = joined(content)
    text = text.split("</think>")[-1] if "</think>" in text else text.split("<think>")[0]
    yield from (scaffold(NO_THOUGHT), body(text.strip() if trims else text))


def _shortened(content: list[Segment]) -> Iterator[Segment]:
    """A turn without calls before the last user message: the same, but only where a thought was closed."""
    text = joined(content)
    if "<think>" in text and "</think>" in text:
        yield from strip_segments((scaffold(NO_THOUGHT), body(text.split("</think>")[-1])))
    else:
        yield from strip_segments(content)


def _tool_result(chat: Chat, turn: Turn, *, first_index: int) -> Block:
    """Results in a row share one user turn; the first message of a conversation never opens one."""
    opens = turn.index > first_index and chat.starts_results(turn)
    opener = scaffold(("<|im_start|>user\n" if opens else "") + "<tool_response>\n")
    closer = scaffold("\n</tool_response>\n" + ("<|im_end|>\n" if chat.ends_results(turn) else ""))
    return block(turn.index, opener, *printed(turn.content), closer)


def _family(revision: str) -> Family:
    thought = ThoughtFormat(before_close="", after_close="") if revision in GLUED else ThoughtFormat(after_close="\n")
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=generation_prompt,
        stop_tokens=("<|im_end|>", "</s>"),
        response=ResponseFormat(thought, replace(XML_CALLS, separator="\n")),
    )


FAMILY = Revisions(
    _family,
    markers=(
        ("super", "low_effort"),
        ("ultra", "medium_effort"),
        ("3.5", '.reasoning_content ~ "</think>"'),
        ("nano", ""),
    ),
)
