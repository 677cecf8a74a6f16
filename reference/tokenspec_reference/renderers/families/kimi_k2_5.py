r"""Kimi-K2.5 and K2.6: named roles, a think block in every assistant turn, media parts.

Wire::

    [<|im_system|>tool_declare<|im_middle|>{tools_ts_str or compact JSON}<|im_end|>]
    <|im_user|>{name or role}<|im_middle|>{parts}<|im_end|>
    <|im_assistant|>{name or role}<|im_middle|><think>{reasoning}</think>{parts}[<|tool_calls_section_begin|>
        (<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>)*<|tool_calls_section_end|>]<|im_end|>
    <|im_system|>{name or role}<|im_middle|>## Return of {tool_call_id}\n{parts}<|im_end|>

Quirks: up to the last assistant message without calls reasoning is dropped (an empty block stays); arguments given as
text are copied verbatim; the prompt ends in ``<think>`` (``<think></think>`` with ``thinking=False``), so that tag is
never sampled; every role but user and assistant is written as a system role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.kimi_k2 import as_quoted
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.media.kimi import KIMI_K2_5_MEDIA
from tokenspec_reference.renderers.parsing.call_formats import KIMI_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import member, printed, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

MARKERS = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    if chat.tools:
        written = chat.option("tools_ts_str")
        declared = written or tojson(chat.tools, separators=(",", ":"))
        declare = scaffold("<|im_system|>tool_declare<|im_middle|>")
        yield block(OUTSIDE, declare, quoted(str(declared)), scaffold("<|im_end|>"))
    last_plain = max((t.index for t in chat.turns if t.role == "assistant" and not t.get("tool_calls")), default=-1)
    for turn in chat.turns:
        opener = (scaffold(MARKERS.get(turn.role, "<|im_system|>")), *_role_name(turn), scaffold("<|im_middle|>"))
        closer = scaffold("<|im_end|>")
        if turn.role == "assistant":
            reply = _reply(chat, turn, keeps_reasoning=turn.index > last_plain)
            yield Block(turn.index, opener, (*reply, closer))
        elif turn.role == "tool":
            heading = (scaffold("## Return of "), *as_quoted(turn.get("tool_call_id")), scaffold("\n"))
            yield block(turn.index, *opener, *heading, *_parts(turn), closer)
        else:
            yield block(turn.index, *opener, *_parts(turn), closer)


def generation_prompt(chat: Chat) -> str:
    """The assistant opener and an open think block, or an empty one with ``thinking=False``."""
    return "<|im_assistant|>assistant<|im_middle|>" + ("<think>" if _thinks(chat) else "<think></think>")


def _thinks(chat: Chat) -> bool:
    return chat.option("thinking") is not False


def _role_name(turn: Turn) -> Iterator[Segment]:
    return as_quoted(turn.message.get("name") or turn.role)


def _reply(chat: Chat, turn: Turn, *, keeps_reasoning: bool) -> Iterator[Segment]:
    yield scaffold("<think>")
    if keeps_reasoning and _thinks(chat):
        yield from printed(turn.message.get("reasoning_content", ""))
    yield scaffold("</think>")
    yield from _parts(turn)
    if turn.get("tool_calls"):
        yield scaffold("<|tool_calls_section_begin|>")
        for call in turn.get("tool_calls"):
            arguments = member(member(call, "function"), "arguments")
            yield scaffold("<|tool_call_begin|>")
            yield from printed(member(call, "id"))
            yield scaffold("<|tool_call_argument_begin|>")
            yield body(arguments if isinstance(arguments, str) else tojson(arguments))
            yield scaffold("<|tool_call_end|>")
        yield scaffold("<|tool_calls_section_end|>")


def _parts(turn: Turn) -> Iterator[Segment]:
    """Text, or a list part by part; an image or video is a placeholder in its wrap and a newline."""
    content: Any = turn.message.get("content")
    if isinstance(content, str):
        yield body(content)
    elif content is not None:
        for part in content:
            kind = member(part, "type")
            if kind in ("image", "image_url"):
                yield scaffold("<|media_begin|>image<|media_content|>")
                yield Segment("<|media_pad|>", is_body=True, is_supplied=False)
                yield scaffold("<|media_end|>\n")
            elif kind in ("video", "video_url"):
                yield Segment("<|kimi_k25_video_placeholder|>", is_body=True, is_supplied=False)
                yield scaffold("\n")
            else:
                yield from printed(member(part, "text"))


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=("<|im_end|>", "[EOS]"),
    response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), KIMI_CALLS),
    media=KIMI_K2_5_MEDIA,
)
