r"""Hy3: one text of all system messages, a think block in every turn, calls and results in lists of tags.

Every marker ends in ``:opensource``, which is left out here.

Wire::

    <｜hy_begin_of_sentence｜>{all system texts}[[\n\n]# Tools ... </tool_calls>]
        <｜reasoning_mode｜>reasoning_effort:{effort}
    <｜hy_User｜>{text}
    <｜hy_Assistant｜><think>{reasoning}</think>{text}[<tool_calls>\n(<tool_call>{name}<tool_sep>\n
        (<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n)*</tool_call>\n)*</tool_calls>]<｜hy_eos｜>
    <tool_responses>\n(<tool_response>\n{text}\n</tool_response>\n)+</tool_responses>

Quirks: an answer that ends the conversation has no ``<｜hy_eos｜>`` unless ``is_training=True``, so nothing stops it;
one with calls has. Reasoning is kept where there are tools, under ``preserved_thinking=True`` and behind the last user
message. The opener of a list of results is written once, and again only behind another turn with calls.
``reasoning_effort`` is ``no_think`` (the prompt closes the thought), ``low`` or ``high`` (it opens one).
Behind an assistant message the prompt is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.glm4_5 import arguments_of, visible
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.call_formats import HY3_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import (
    is_defined,
    member,
    refuse,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

ASSISTANT = "<｜hy_Assistant:opensource｜>"
EOS = "<｜hy_eos:opensource｜>"
OPEN, CLOSE = "<think:opensource>", "</think:opensource>"
CALL_FORMAT = (
    "\n</tools>\n\nFor function call returns, you should first print <tool_calls:opensource>\n"
    "For each function call, you should return object like:\n"
    "<tool_call:opensource>{function-name}<tool_sep:opensource>\n"
    "<arg_key:opensource>{arg-key-1}</arg_key:opensource>\n<arg_value:opensource>{arg-value-1}</arg_value:opensource>\n"
    "<arg_key:opensource>{arg-key-2}</arg_key:opensource>\n<arg_value:opensource>{arg-value-2}</arg_value:opensource>\n"
    "...\n</tool_call:opensource>\nAt the end of function call returns, you should print </tool_calls:opensource>"
)


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("<｜hy_begin_of_sentence:opensource｜>"))
    yield from _header(chat)
    in_results, opens_results = False, True
    for turn in chat.turns:
        if turn.role in ("user", "assistant") and in_results:
            yield block(turn.index, scaffold("</tool_responses:opensource>"))
            in_results = False
        if turn.role == "user":
            yield block(turn.index, scaffold("<｜hy_User:opensource｜>"), *_visible(turn.content))
        elif turn.role == "assistant":
            opens_results = opens_results or bool(turn.get("tool_calls"))
            yield assistant(turn.index, ASSISTANT, _reply(chat, turn))._replace(prompt=_prompt(chat))
        elif turn.role == "tool":
            opener = scaffold("<tool_responses:opensource>\n" if opens_results else "")
            wrap = scaffold("<tool_response:opensource>\n"), scaffold("\n</tool_response:opensource>\n")
            yield block(turn.index, opener, wrap[0], *_visible(turn.content), wrap[1])
            in_results, opens_results = True, False
    if in_results:
        yield block(OUTSIDE, scaffold("</tool_responses:opensource>"))


def generation_prompt(chat: Chat) -> str:
    """The assistant opener and a think block, open where the model is to think; nothing behind an assistant message."""
    return "" if chat.turns[-1].role == "assistant" else _prompt(chat)


def _prompt(chat: Chat) -> str:
    """What is prompted behind others than the assistant: nothing where a call is tried again."""
    if _tries_again(chat):
        return ""
    return ASSISTANT + OPEN + (CLOSE if _effort(chat) == "no_think" else "")


def _tries_again(chat: Chat) -> bool:
    return bool(chat.option("fallback_strategy") == "reasoning_toolcall_retry")


def _effort(chat: Chat) -> str:
    effort = chat.option("reasoning_effort")
    effort = effort if is_defined(effort) else "no_think"
    if effort not in ("high", "low", "no_think"):
        refuse(f"reasoning_effort error : {effort}, should be no_think/low/high")
    return "high" if _tries_again(chat) else str(effort)


def _header(chat: Chat) -> Iterator[Block]:
    """All system texts as one, each its message's own; tools and effort go with the last of them."""
    written, owner = False, OUTSIDE
    for turn in chat.turns:
        if turn.role == "system":
            text = tuple(_visible(turn.content))
            written = written or any(segment.text for segment in text)
            owner = turn.index
            yield block(owner, *text)
    if chat.tools:
        yield block(owner, scaffold("\n\n" if written else ""), *_tools(chat.tools))
    yield block(owner, scaffold("<｜reasoning_mode:opensource｜>reasoning_effort:" + _effort(chat)))


def _tools(tools: list[Any]) -> Iterator[Segment]:
    yield scaffold("# Tools\n\nYou may call one or more functions to assist with the user query.")
    yield scaffold("\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n")
    for position, tool in enumerate(tools):
        yield from (scaffold("\n" if position else ""), quoted(tojson(tool)))
    yield scaffold(CALL_FORMAT)


def _visible(content: Any) -> Iterator[Segment]:
    """The text of a content; nothing where there is none."""
    return visible(content) if content is not None else iter(())


def _reply(chat: Chat, turn: Turn) -> Iterator[Segment]:
    calls, is_last = turn.get("tool_calls"), turn.index == len(chat.turns) - 1
    is_training = chat.enabled("is_training", default=False)
    if is_last and not calls and chat.enabled("raw_last_assistant", default=False):
        yield from _visible(turn.content)
        return
    yield from (scaffold(OPEN), body(_reasoning(chat, turn, is_training=is_training)), scaffold(CLOSE))
    yield from _visible(turn.content)
    if calls:
        yield scaffold("<tool_calls:opensource>\n")
        for call in calls:
            yield from _call(member(call, "function"))
        yield scaffold("</tool_calls:opensource>" + EOS)
    elif not is_last or is_training:
        yield scaffold(EOS)


def _reasoning(chat: Chat, turn: Turn, *, is_training: bool) -> str:
    is_kept = chat.enabled("preserved_thinking", default=bool(chat.tools)) or turn.index > chat.last_user
    given = (turn.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in given if isinstance(text, str)), "") if is_kept or is_training else ""


def _call(function: Any) -> Iterator[Segment]:
    yield from (scaffold("<tool_call:opensource>"), body(text_of(member(function, "name"))))
    yield scaffold("<tool_sep:opensource>\n")
    for key, value in arguments_of(function):
        yield from (scaffold("<arg_key:opensource>"), body(key), scaffold("</arg_key:opensource>\n"))
        yield from (scaffold("<arg_value:opensource>"), body(value), scaffold("</arg_value:opensource>\n"))
    yield scaffold("</tool_call:opensource>\n")


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=(EOS,),
    response=ResponseFormat(ThoughtFormat(OPEN, CLOSE, after_open="", before_close="", after_close=""), HY3_CALLS),
)
