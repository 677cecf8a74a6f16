r"""DeepSeek-V3.1: DeepSeek-V3 with a think tag in every turn that answers a user, and calls without a fence.

Wire::

    <｜begin▁of▁sentence｜>{all system texts, joined by blank lines}
    <｜User｜>{content}
    <｜Assistant｜></think>{content}[<｜tool▁calls▁begin｜>
        (<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>)*<｜tool▁calls▁end｜>]<｜end▁of▁sentence｜>
    <｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>

Quirks: only the first assistant turn behind a user message has an opener; behind tool results nothing is written, and
the generation prompt is empty there. History always has ``</think>``, also where ``thinking=True`` makes the prompt end
in ``<think>``; only a message with ``prefix`` has that tag, too. Content up to its first ``</think>`` is lost, but not
behind tool results and not beside calls. An empty list of calls loses the content. Tools are not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.call_formats import DEEPSEEK_BARE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import is_defined, member, printed_token, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

EOS = "<｜end▁of▁sentence｜>"
ASSISTANT = "<｜Assistant｜>"


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, *printed_token(chat.option("bos_token")))
    systems = [turn for turn in chat.turns if turn.role == "system"]
    for position, turn in enumerate(systems):
        yield block(turn.index, scaffold("\n\n" if position else ""), body(text_of(turn.content)))
    before = ""
    for turn in chat.turns:
        if turn.role == "user":
            yield block(turn.index, scaffold("<｜User｜>"), body(text_of(turn.content)))
        elif turn.role == "assistant":
            answers = before == "user"
            reply = (*_head(chat, turn, answers=answers), *_reply(turn, after_tool=before == "tool"))
            yield assistant(turn.index, ASSISTANT if answers else "", reply)._replace(
                prompt=_prompt(chat) if answers else ""
            )
        elif turn.role == "tool":
            opener, closer = scaffold("<｜tool▁output▁begin｜>"), scaffold("<｜tool▁output▁end｜>")
            yield block(turn.index, opener, body(text_of(turn.content)), closer)
        if turn.role in ("user", "assistant", "tool"):
            before = turn.role


def generation_prompt(chat: Chat) -> str:
    """The assistant token and the tag that says whether the model thinks; nothing but behind a user message."""
    known = [turn.role for turn in chat.turns if turn.role in ("user", "assistant", "tool")]
    return _prompt(chat) if known[-1:] == ["user"] else ""


def _prompt(chat: Chat) -> str:
    return ASSISTANT + ("<think>" if _thinks(chat) else "</think>")


def _thinks(chat: Chat) -> bool:
    return chat.enabled("thinking", default=False)


def _has_calls(turn: Turn) -> bool:
    calls = turn.get("tool_calls")
    return is_defined(calls) and calls is not None


def _head(chat: Chat, turn: Turn, *, answers: bool) -> Iterator[Segment]:
    if answers:
        is_open = not _has_calls(turn) and bool(turn.get("prefix")) and _thinks(chat)
        yield scaffold("<think>" if is_open else "</think>")


def _reply(turn: Turn, *, after_tool: bool) -> Iterator[Segment]:
    if not _has_calls(turn):
        content = text_of(turn.content)
        cut = content.split("</think>", 1)[-1]
        yield from (body(content if after_tool else cut), scaffold(EOS))
        return
    for position, call in enumerate(turn.get("tool_calls")):
        function = member(call, "function")
        if not position:
            yield body("" if turn.content is None else text_of(turn.content))
            yield scaffold("<｜tool▁calls▁begin｜>")
        yield from (scaffold("<｜tool▁call▁begin｜>"), body(text_of(member(function, "name"))))
        yield from (scaffold("<｜tool▁sep｜>"), body(text_of(member(function, "arguments"))))
        yield scaffold("<｜tool▁call▁end｜>")
    yield scaffold("<｜tool▁calls▁end｜>" + EOS)


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=(EOS,),
    response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), DEEPSEEK_BARE_CALLS),
)
