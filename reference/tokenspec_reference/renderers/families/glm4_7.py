r"""GLM-4.7, GLM-4.7-Flash, GLM-5 and GLM-5.1: GLM-4.5 without newlines, the prompt opens the think block.

Wire::

    [gMASK]<sop>[<|system|>\n# Tools ... </tool_call>]
    <|system|>{text}
    <|user|>{text}
    <|assistant|>(<think>{reasoning}</think> | </think>){content}
        (<tool_call>{name}(<arg_key>..</arg_key><arg_value>..</arg_value>)*</tool_call>)*
    <|observation|>[<tool_response>{text}</tool_response>]+

Quirks: as in GLM-4.5 the marker of the next turn is the stop token of the assistant turn before it. A turn without
reasoning starts with a lone ``</think>``. ``clear_thinking=False`` keeps reasoning of all turns. Missing content is
empty, content None (under hf4) is printed as ``None``. ``enable_thinking=False`` closes the prompt's think block.

Revision ``5.1``: reasoning is not trimmed and may be empty after the last user message (``<think></think>``); tool
schemas are unwrapped and lose ``defer_loading`` and ``strict``, deferred tools are left out until a result refers to
them by ``tool_reference`` parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from jinja2 import UndefinedError

from tokenspec_reference.renderers.families.glm4_5 import (
    TOOLS_HEADER,
    arguments_of,
    close_by_next_marker,
    split_reasoning,
    tool_result,
    visible,
)
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import KEY_VALUE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, block, body, joined, quoted, scaffold
from tokenspec_reference.renderers.template_values import function_of, item, member, text_of, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

CALL_FORMAT = (
    "</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>"
    "<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>"
)


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("[gMASK]<sop>"))
    if chat.tools:
        yield block(OUTSIDE, scaffold(TOOLS_HEADER), *_signatures(chat, revision), scaffold(CALL_FORMAT))
    yield from close_by_next_marker(_turns(chat, revision))


def generation_prompt(chat: Chat) -> str:
    """The assistant marker and an open think block, or the close marker when thinking is switched off."""
    return "<|assistant|>" + ("<think>" if _thinks(chat) else "</think>")


def _thinks(chat: Chat) -> bool:
    return chat.enabled("enable_thinking", default=True)


def _turns(chat: Chat, revision: str) -> Iterator[Block]:
    for turn in chat.turns:
        if turn.role == "user":
            yield block(turn.index, scaffold("<|user|>"), *visible(turn.content))
        elif turn.role == "assistant":
            reply = _reply(chat, turn, revision)
            yield Block(turn.index, (scaffold("<|assistant|>"),), tuple(reply))
        elif turn.role == "tool" and revision == "5.1":
            yield block(turn.index, *_tool_result_5_1(chat, turn))
        elif turn.role == "tool":
            yield block(turn.index, *tool_result(chat, turn, newline=""))
        elif turn.role == "system":
            yield block(turn.index, scaffold("<|system|>"), *visible(turn.content))


def _reply(chat: Chat, turn: Turn, revision: str) -> Iterator[Segment]:
    keeps_all = not chat.enabled("clear_thinking", default=True)
    reasoning, content = _reasoning_5_1(chat, turn) if revision == "5.1" else _nonempty(split_reasoning(turn))
    if reasoning is not None and (keeps_all or turn.index > chat.last_user):
        yield from (scaffold("<think>"), body(reasoning), scaffold("</think>"))
    else:
        yield scaffold("</think>")
    yield body(content.strip())
    yield from calls_of(turn)


def calls_of(turn: Turn) -> Iterator[Segment]:
    """Calls of an assistant turn: names, and keys and values in tags."""
    for call in turn.get("tool_calls") or ():
        chosen = function_of(call)
        yield from (scaffold("<tool_call>"), body(text_of(member(chosen, "name"))))
        for key, value in arguments_of(chosen):
            yield from (scaffold("<arg_key>"), body(key), scaffold("</arg_key><arg_value>"))
            yield from (body(value), scaffold("</arg_value>"))
        yield scaffold("</tool_call>")


def _nonempty(split: tuple[str, str]) -> tuple[str | None, str]:
    """Up to GLM-5 empty reasoning counts as none."""
    reasoning, content = split
    return (reasoning.strip() if reasoning else None), content


def _reasoning_5_1(chat: Chat, turn: Turn) -> tuple[str | None, str]:
    """GLM-5.1: reasoning as given or cut out untrimmed, else empty where the round is a thinking one, else none."""
    content, given = joined(visible(turn.content)), turn.get("reasoning_content")
    if isinstance(given, str):
        return given, content
    if "</think>" in content:
        parts = content.split("</think>")
        return parts[0].split("<think>")[-1], parts[-1]
    is_current = turn.index > chat.last_user and _thinks(chat)
    is_thinking_round = turn.index < chat.last_user and _round_has_reasoning(chat, turn)
    return ("" if is_current or is_thinking_round else None), content


def _round_has_reasoning(chat: Chat, turn: Turn) -> bool:
    """Whether an assistant turn after the same user message carries reasoning."""
    user = max((other.index for other in chat.turns[: turn.index] if other.role == "user"), default=-1)
    following = next((other.index for other in chat.turns[turn.index :] if other.role == "user"), len(chat.turns))
    return user >= 0 and any(
        other.role == "assistant" and isinstance(other.get("reasoning_content"), str)
        for other in chat.turns[user:following]
    )


def _signatures(chat: Chat, revision: str) -> Iterator[Segment]:
    if revision == "5.1":
        yield from shown_signatures(chat)
        return
    for tool in chat.tools or ():
        yield from (quoted(tojson(tool)), scaffold("\n"))


def shown_signatures(chat: Chat) -> Iterator[Segment]:
    """Since GLM-5.1: the schema of every tool that is not deferred, a line each."""
    for tool in chat.tools or ():
        if not member(unwrapped(tool), "defer_loading"):
            yield from (quoted(schema(unwrapped(tool))), scaffold("\n"))


def unwrapped(tool: Any) -> Any:
    """A tool without its ``function`` envelope."""
    return tool.get("function", tool)


def schema(tool: Any) -> str:
    """The JSON of a tool without what says how it is loaded."""
    if not isinstance(tool, Mapping):
        raise UndefinedError("a tool has no items(); pass a mapping")
    shown = {key: value for key, value in tool.items() if key not in ("defer_loading", "strict")}
    return "{" + ", ".join(f'"{key}": {tojson(value)}' for key, value in shown.items()) + "}"


def _tool_result_5_1(chat: Chat, turn: Turn) -> Iterator[Segment]:
    content = turn.content
    if chat.starts_results(turn):
        yield scaffold("<|observation|>")
    if isinstance(content, (list, tuple)) and content and member(item(content, 0), "type") == "tool_reference":
        yield scaffold("<tool_response><tools>\n")
        for reference in content:
            for tool in chat.tools if chat.tools is not None else _no_tools():
                if member(unwrapped(tool), "name") == member(reference, "name"):
                    yield from (quoted(schema(unwrapped(tool))), scaffold("\n"))
        yield scaffold("</tools></tool_response>")
    else:
        yield scaffold("<tool_response>")
        yield from visible(content)
        yield scaffold("</tool_response>")


def _no_tools() -> list[Any]:
    raise UndefinedError("a tool_reference needs tools")


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=generation_prompt,
        stop_tokens=("<|endoftext|>", "<|user|>", "<|observation|>"),
        closes_by_next_marker=True,
        response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), KEY_VALUE_CALLS),
    )


FAMILY = Revisions(_family, markers=(("5.1", "defer_loading"), ("4.7", "")))
