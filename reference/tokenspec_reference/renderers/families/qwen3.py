r"""Qwen3: ChatML with JSON tool calls and a think block that history loses.

Wire::

    [<|im_start|>system\n{system}[\n\n tools]<|im_end|>\n]
    <|im_start|>user\n{content}<|im_end|>\n
    <|im_start|>assistant\n[<think>\n{reasoning}\n</think>\n\n]{content}[\n]<tool_call>\n{json}\n</tool_call>*<|im_end|>\n
    <|im_start|>user[\n<tool_response>\n{content}\n</tool_response>]+<|im_end|>\n

Quirks: the think block is written only after the last user query, and there always for the final turn (also empty) and
otherwise only with reasoning. A user message shaped like a tool response is no query. Reasoning is also cut out of
content: the text after the *last* ``</think>`` is the content, the text after the last ``<think>`` before the *first*
``</think>`` is the reasoning. ``enable_thinking=False`` only adds an empty think block to the generation prompt.

Revisions of the template: ``2025-04`` needs text content; ``guarded`` renders other content as empty;
``instruct-2507`` is guarded and writes no think blocks at all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.qwen_tools import json_call, tool_result, tools_block
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import JSON_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import cut_thought, function_of, is_defined, printed, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    yield from _preamble(chat)
    last_query = _last_query(chat, revision)
    for turn in chat.turns:
        content = _content(turn, revision)
        if turn.role == "user" or (turn.role == "system" and turn.index > 0):
            opener, closer = scaffold(f"<|im_start|>{turn.role}\n"), scaffold("<|im_end|>\n")
            yield block(turn.index, opener, body(text_of(content)), closer)
        elif turn.role == "assistant":
            reply = _reply(chat, turn, content, last_query, revision)
            yield assistant(turn.index, "<|im_start|>assistant\n", reply, "\n")
        elif turn.role == "tool":
            yield tool_result(chat, turn, printed(content))


def generation_prompt(chat: Chat, revision: str) -> str:
    """The assistant opener, with a closed think block when thinking is switched off."""
    thinks = revision == "instruct-2507" or chat.option("enable_thinking") is not False
    return "<|im_start|>assistant\n" + ("" if thinks else "<think>\n\n</think>\n\n")


def _preamble(chat: Chat) -> Iterator[Block]:
    first = chat.turns[0]
    has_system = first.role == "system"
    system = (body(text_of(first.content)),) if has_system else ()
    if chat.tools:
        separator = (scaffold("\n\n"),) if has_system else ()
        inside: tuple[Segment, ...] = (*system, *separator, *tools_block(chat.tools))
    else:
        inside = system
    if chat.tools or has_system:
        opener, closer = scaffold("<|im_start|>system\n"), scaffold("<|im_end|>\n")
        yield block(0 if has_system else OUTSIDE, opener, *inside, closer)


def _content(turn: Turn, revision: str) -> Any:
    """Content as given, or empty for anything but text in the guarded revisions."""
    return turn.content if revision == "2025-04" or isinstance(turn.content, str) else ""


def _last_query(chat: Chat, revision: str) -> int:
    """Index of the last user message that is no tool response in disguise; the last index when there is none."""
    for turn in reversed(chat.turns):
        if turn.role == "user" and (revision == "2025-04" or isinstance(turn.content, str)):
            content = text_of(turn.content)
            if not (content.startswith("<tool_response>") and content.endswith("</tool_response>")):
                return turn.index
    return len(chat.turns) - 1


def _reply(chat: Chat, turn: Turn, content: Any, last_query: int, revision: str) -> Iterator[Segment]:
    reasoning: Any = ""
    if revision != "instruct-2507":
        reasoning, content = _split_reasoning(turn, content, revision)
        is_last = turn.index == len(chat.turns) - 1
        if turn.index > last_query and (is_last or reasoning):
            yield scaffold("<think>\n")
            yield body(text_of(reasoning).strip("\n"))
            yield scaffold("\n</think>\n\n")
            yield body(text_of(content).lstrip("\n"))
        else:
            yield body(text_of(content))
    else:
        yield body(text_of(content))
    for position, call in enumerate(turn.get("tool_calls") or ()):
        yield scaffold("\n" if content or position else "")
        yield from json_call(function_of(call), quote_strings=False)
    yield scaffold("<|im_end|>")


def _split_reasoning(turn: Turn, content: Any, revision: str) -> tuple[Any, Any]:
    """Reasoning from its own field, else cut out of the content."""
    given = turn.get("reasoning_content")
    if isinstance(given, str) if revision == "guarded" else is_defined(given) and given is not None:
        return given, content
    return cut_thought(text_of(content)) if "</think>" in content else ("", content)


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=partial(generation_prompt, revision=revision),
        stop_tokens=("<|im_end|>", "<|endoftext|>"),
        response=ResponseFormat(ThoughtFormat(), JSON_CALLS),
    )


FAMILY = Revisions(
    _family,
    markers=(
        ("guarded", "message.reasoning_content is string"),
        ("2025-04", "reasoning_content"),
        ("instruct-2507", "message.content is string"),
        ("2025-04", ""),
    ),
)
