r"""Qwen3-VL (instruct): Qwen3 without think blocks, with content given as parts.

Wire::

    [<|im_start|>system\n{texts}[\n\n tools]<|im_end|>\n]
    <|im_start|>user\n({text} | [Picture {n}: ]<|vision_start|><|image_pad|><|vision_end|>)*<|im_end|>\n
    <|im_start|>assistant\n{texts}[\n]<tool_call>\n{json}\n</tool_call>*<|im_end|>\n
    <|im_start|>user[\n<tool_response>\n{parts}\n</tool_response>]+<|im_end|>\n

Quirks: one placeholder per image or video (a processor expands it), which is body, while its wrap is scaffold; media in
system and assistant messages vanish; a system message after the first vanishes; whether a newline precedes the first
call depends on the content as given, also when nothing of it was printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.qwen_tools import json_call, tool_result, tools_block
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.media.qwen import QWEN3_VL_MEDIA
from tokenspec_reference.renderers.parsing.call_formats import JSON_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import function_of, member, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    media = MediaCount(add_vision_id=bool(chat.option("add_vision_id")))
    yield from _preamble(chat)
    for turn in chat.turns:
        if turn.role == "user":
            opener, closer = scaffold("<|im_start|>user\n"), scaffold("<|im_end|>\n")
            yield block(turn.index, opener, *media.parts(turn.content), closer)
        elif turn.role == "assistant":
            yield assistant(turn.index, "<|im_start|>assistant\n", _reply(turn), "\n")
        elif turn.role == "tool":
            yield tool_result(chat, turn, media.parts(turn.content))


class MediaCount:
    """Numbers the pictures and videos of one conversation while their placeholders are written."""

    def __init__(self, *, add_vision_id: bool) -> None:
        """``add_vision_id`` writes ``Picture 1: `` before the first picture, and so on."""
        self.add_vision_id = add_vision_id
        self.seen = {"Picture": 0, "Video": 0}

    def parts(self, content: Any) -> Iterator[Segment]:
        """Text as it is; a list part by part."""
        if isinstance(content, str):
            yield body(content)
            return
        for part in content:
            kind = member(part, "type")
            if kind == "image" or "image" in part or "image_url" in part:
                yield from self.placeholder("Picture", "<|image_pad|>")
            elif kind == "video" or "video" in part:
                yield from self.placeholder("Video", "<|video_pad|>")
            elif "text" in part:
                yield from printed(member(part, "text"))

    def placeholder(self, label: str, pad: str, *, counted: bool = True) -> Iterator[Segment]:
        """One pad token in its wrap. The pad stands for what the caller gave, so it is body, but no caller typed it."""
        self.seen[label] += counted
        if self.add_vision_id:
            yield scaffold(f"{label} {self.seen[label]}: ")
        yield scaffold("<|vision_start|>")
        yield Segment(pad, is_body=True, is_supplied=False)
        yield scaffold("<|vision_end|>")


def _preamble(chat: Chat) -> Iterator[Block]:
    first = chat.turns[0]
    has_system = first.role == "system"
    system = tuple(_texts(first.content)) if has_system else ()
    if chat.tools or has_system:
        separator = scaffold("\n\n" if chat.tools and has_system else "")
        tools = tools_block(chat.tools) if chat.tools else ()
        opener, closer = scaffold("<|im_start|>system\n"), scaffold("<|im_end|>\n")
        yield block(0 if has_system else OUTSIDE, opener, *system, separator, *tools, closer)


def _texts(content: Any) -> Iterator[Segment]:
    """Only the text parts."""
    if isinstance(content, str):
        yield body(content)
        return
    for part in content:
        if "text" in part:
            yield from printed(member(part, "text"))


def _reply(turn: Turn) -> Iterator[Segment]:
    yield from _texts(turn.content)
    for position, call in enumerate(turn.get("tool_calls") or ()):
        yield scaffold("\n" if turn.content or position else "")
        yield from json_call(function_of(call), quote_strings=False)
    yield scaffold("<|im_end|>")


FAMILY = Family(
    segments=segments,
    generation_prompt=always("<|im_start|>assistant\n"),
    stop_tokens=("<|im_end|>", "<|endoftext|>"),
    response=ResponseFormat(calls=JSON_CALLS),
    media=QWEN3_VL_MEDIA,
)
