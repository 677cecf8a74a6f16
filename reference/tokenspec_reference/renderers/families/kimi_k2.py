r"""Kimi-K2: role markers without newlines, numbered call ids.

Wire::

    [<|im_system|>tool_declare<|im_middle|>{JSON of the tools}<|im_end|>]
    [<|im_system|>system<|im_middle|>You are a helpful assistant<|im_end|>]
    <|im_user|>user<|im_middle|>{parts}<|im_end|>
    <|im_assistant|>assistant<|im_middle|>{content}[<|tool_calls_section_begin|>
        (<|tool_call_begin|>functions.{name}:{i}<|tool_call_argument_begin|>{JSON}<|tool_call_end|>)*<|tool_calls_section_end|>]<|im_end|>
    <|im_system|>tool<|im_middle|>## Return of {tool_call_id}\n{content}<|im_end|>

Quirks: the ``\n`` of a tool result is the two characters backslash and n; call ids are renumbered from 0 in every
message, whatever the caller passed, while results print the caller's id; arguments given as a JSON string are quoted
once more; unknown roles are written without any opener; reasoning is not written. A parser reads the name of a call
from an id ``functions.NAME:NUMBER`` or ``NAME:NUMBER``; a call with another id (``functions_f_3``, ``3``) is
``missing_name``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing.call_formats import KIMI_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import member, printed, text_of, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

OPENERS = {
    "system": "<|im_system|>system<|im_middle|>",
    "user": "<|im_user|>user<|im_middle|>",
    "assistant": "<|im_assistant|>assistant<|im_middle|>",
    "tool": "<|im_system|>tool<|im_middle|>",
}
DEFAULT_SYSTEM = OPENERS["system"] + "You are a helpful assistant<|im_end|>"


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    if chat.tools:
        declare = scaffold("<|im_system|>tool_declare<|im_middle|>")
        yield block(OUTSIDE, declare, quoted(tojson(chat.tools)), scaffold("<|im_end|>"))
    if chat.turns[0].role != "system":
        yield block(OUTSIDE, scaffold(DEFAULT_SYSTEM))
    for turn in chat.turns:
        opener, closer = OPENERS.get(turn.role, ""), scaffold("<|im_end|>")
        if turn.role == "assistant":
            reply = _reply(turn) if turn.get("tool_calls") else _parts(turn.content)
            yield assistant(turn.index, opener, (*reply, closer))
        elif turn.role == "tool":
            heading = (scaffold("## Return of "), *as_quoted(turn.get("tool_call_id")), scaffold("\\n"))
            yield block(turn.index, scaffold(opener), *heading, *printed(turn.content), closer)
        else:
            yield block(turn.index, scaffold(opener), *_parts(turn.content), closer)


def _reply(turn: Turn) -> Iterator[Segment]:
    if turn.content:
        yield from printed(turn.content)
    yield scaffold("<|tool_calls_section_begin|>")
    for position, call in enumerate(turn.get("tool_calls")):
        function = member(call, "function")
        yield scaffold("<|tool_call_begin|>functions.")
        yield body(text_of(member(function, "name")))
        yield scaffold(f":{position}<|tool_call_argument_begin|>")
        yield body(tojson(member(function, "arguments")))
        yield scaffold("<|tool_call_end|>")
    yield scaffold("<|tool_calls_section_end|>")


def _parts(content: Any) -> Iterator[Segment]:
    """Text, or a list part by part; an image is one pad in its wrap and a newline."""
    if isinstance(content, str):
        yield body(content)
    elif content is not None:
        for part in content:
            if member(part, "type") == "image" or "image" in part or "image_url" in part:
                yield scaffold("<|media_start|>image<|media_content|>")
                yield Segment("<|media_pad|>", is_body=True, is_supplied=False)
                yield scaffold("<|media_end|>\n")
            else:
                yield from printed(member(part, "text"))


def as_quoted(value: Any) -> Iterator[Segment]:
    """``{{ value }}`` outside a body."""
    return (quoted(segment.text) for segment in printed(value))


FAMILY = Family(
    segments=segments,
    generation_prompt=always(OPENERS["assistant"]),
    stop_tokens=("<|im_end|>", "[EOS]"),
    response=ResponseFormat(calls=KIMI_CALLS),
)
