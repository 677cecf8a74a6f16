r"""Qwen2.5: ChatML with a default system prompt and JSON tool calls.

Wire::

    <|im_start|>system\n{system or default}[tools]<|im_end|>\n
    <|im_start|>user\n{content}<|im_end|>\n
    <|im_start|>assistant\n{content}[\n<tool_call>\n{json}\n</tool_call>]*<|im_end|>\n
    <|im_start|>user[\n<tool_response>\n{content}\n</tool_response>]+<|im_end|>\n

Quirks: arguments given as a JSON string are quoted once more; an assistant turn with calls and no content has no
newline of its own between the role and the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec_reference.renderers.families.qwen_tools import json_call, tool_result, tools_block
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing.call_formats import JSON_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import function_of, is_defined, printed, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

DEFAULT_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield _preamble(chat)
    for turn in chat.turns:
        if turn.role == "user" or (turn.role == "system" and turn.index > 0):
            opener, content = scaffold(f"<|im_start|>{turn.role}\n"), body(text_of(turn.content))
            yield block(turn.index, opener, content, scaffold("<|im_end|>\n"))
        elif turn.role == "assistant" and not turn.get("tool_calls"):
            reply = (body(text_of(turn.content)), scaffold("<|im_end|>"))
            yield assistant(turn.index, "<|im_start|>assistant\n", reply, "\n")
        elif turn.role == "assistant":
            yield assistant(turn.index, "<|im_start|>assistant\n", _reply_with_calls(turn), "\n")
        elif turn.role == "tool":
            yield tool_result(chat, turn, printed(turn.content))


def _preamble(chat: Chat) -> Block:
    first = chat.turns[0]
    has_system = first.role == "system"
    if not has_system:
        system: tuple[Segment, ...] = (scaffold(DEFAULT_SYSTEM),)
    elif chat.tools:
        system = tuple(printed(first.content))
    else:
        system = (body(text_of(first.content)),)
    tools = (scaffold("\n\n"), *tools_block(chat.tools)) if chat.tools else ()
    opener, closer = scaffold("<|im_start|>system\n"), scaffold("<|im_end|>\n")
    return block(0 if has_system else OUTSIDE, opener, *system, *tools, closer)


def _reply_with_calls(turn: Turn) -> Iterator[Segment]:
    """The newline of the opener is followed by content or, without content, directly by the first call."""
    if turn.content:
        yield body(text_of(turn.content))
        yield scaffold("\n")
    for position, call in enumerate(turn.get("tool_calls")):
        yield scaffold("\n" if position else "")
        yield from json_call(function_of(call, is_defined), quote_strings=True)
    yield scaffold("<|im_end|>")


FAMILY = Family(
    segments=segments,
    generation_prompt=always("<|im_start|>assistant\n"),
    stop_tokens=("<|im_end|>", "<|endoftext|>"),
    response=ResponseFormat(calls=JSON_CALLS),
)
