r"""gpt-oss: the harmony format, as its chat template writes it.

Wire::

    <|start|>system<|message|>{identity}\nKnowledge cutoff: 2024-06\nCurrent date: {date}\n\nReasoning: {effort}\n\n
        [# Tools\n\n{builtin tools}]# Valid channels: ...<|end|>
    [<|start|>developer<|message|>[# Instructions\n\n{system}\n\n][# Tools\n\n{namespace}]<|end|>]
    <|start|>user<|message|>{content}<|end|>
    <|start|>assistant[<|channel|>analysis<|message|>{thinking}<|end|><|start|>assistant]
        <|channel|>final<|message|>{content}(<|end|> | <|return|>)
    <|start|>assistant[...] to=functions.{name}<|channel|>commentary json<|message|>{JSON}<|call|>
    <|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{JSON of the content}<|end|>

Quirks: the prompt is ``<|start|>assistant``, so everything after the first one of a turn is sampled, also the
``<|start|>assistant`` between analysis and call; only the final turn of a conversation ends in ``<|return|>``, and only
without a generation prompt; analysis is written there and beside calls that no final message follows; only the first
call of a message is written; arguments given as a JSON string are quoted once more; a tool result is JSON-quoted and
refused without a call before it; other roles vanish. The date comes from the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.gpt_oss_tools import builtin_tools, tool_namespace
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing.harmony import parse_harmony
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import (
    function_of,
    is_defined,
    item,
    json_body,
    member,
    printed,
    refuse,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

ASSISTANT = "<|start|>assistant"
ANALYSIS, FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("<|start|>system<|message|>"), *_system(chat), scaffold("<|end|>"))
    has_developer = chat.turns[0].role in ("system", "developer")
    yield from _developer(chat, has_developer=has_developer)
    called: str | None = None
    for turn in chat.turns:
        if turn.role == "assistant":
            _refuse_channel_tags(turn)
            if "tool_calls" in turn.message:
                call = _first_call(turn)
                yield assistant(turn.index, ASSISTANT, _call(turn, call, keeps=not _final_follows(chat, turn)))
                called = text_of(member(call, "name"))
            elif turn.index == len(chat.turns) - 1 and not chat.add_generation_prompt:
                yield assistant(turn.index, ASSISTANT, (*_last_analysis(turn), *_final(turn, "<|return|>")))
            else:
                yield assistant(turn.index, ASSISTANT, _final(turn, "<|end|>"))
                called = None
        elif turn.role == "tool":
            if called is None:
                refuse("Message has tool role, but there was no previous assistant message with a tool call!")
            opener = (scaffold("<|start|>functions."), quoted(called))
            header = scaffold(" to=assistant<|channel|>commentary<|message|>")
            yield block(turn.index, *opener, header, *json_body(turn.content), scaffold("<|end|>"))
        elif turn.role == "user":
            opener_, closer = scaffold("<|start|>user<|message|>"), scaffold("<|end|>")
            yield block(turn.index, opener_, body(text_of(turn.content)), closer)


def _system(chat: Chat) -> Iterator[Segment]:
    identity, effort, builtin = (chat.option(name) for name in ("model_identity", "reasoning_effort", "builtin_tools"))
    if is_defined(identity):
        yield quoted(text_of(identity))
    else:
        yield scaffold("You are ChatGPT, a large language model trained by OpenAI.")
    yield scaffold(f"\nKnowledge cutoff: 2024-06\nCurrent date: {chat.now:%Y-%m-%d}\n\nReasoning: ")
    yield quoted(text_of(effort)) if is_defined(effort) else scaffold("medium")
    yield scaffold("\n\n")
    if builtin:
        yield scaffold(
            "# Tools\n\n" + builtin_tools(browser="browser" in list(builtin), python="python" in list(builtin))
        )
    yield scaffold("# Valid channels: analysis, commentary, final. Channel must be included for every message.")
    if chat.tools:
        yield scaffold("\nCalls to these tools must go to the commentary channel: 'functions'.")


def _developer(chat: Chat, *, has_developer: bool) -> Iterator[Block]:
    instructions: Any = chat.turns[0].content if has_developer else ""
    if instructions or chat.tools:
        written = (scaffold("# Instructions\n\n"), *printed(instructions), scaffold("\n\n")) if instructions else ()
        tools = (scaffold("# Tools\n\n"), *tool_namespace(chat.tools)) if chat.tools else ()
        opener, closer = scaffold("<|start|>developer<|message|>"), scaffold("<|end|>")
        yield block(0 if has_developer else OUTSIDE, opener, *written, *tools, closer)


def _refuse_channel_tags(turn: Turn) -> None:
    for name in ("content", "thinking"):
        if name in turn.message and any(tag in turn.message[name] for tag in (ANALYSIS, FINAL)):
            refuse(f"the {name} field holds <|channel|> tags; pass analysis as thinking and final text as content")


def _first_call(turn: Turn) -> Any:
    return function_of(item(turn.get("tool_calls"), 0))


def _final_follows(chat: Chat, turn: Turn) -> bool:
    """Whether an assistant message without calls, behind this one with calls, has answered already."""
    return any("tool_calls" not in later.message for later in chat.turns[turn.index :] if later.role == "assistant")


def _call(turn: Turn, call: Any, *, keeps: bool) -> Iterator[Segment]:
    content, thinking = turn.content, turn.get("thinking")
    if content and thinking:
        refuse("Cannot pass both content and thinking in an assistant message with tool calls!")
    thought = content or thinking
    if thought and keeps:
        yield from (scaffold(ANALYSIS), body(text_of(thought)), scaffold("<|end|>" + ASSISTANT))
    kind = member(call, "content_type")
    yield from (scaffold(" to=functions."), body(text_of(member(call, "name"))), scaffold("<|channel|>commentary "))
    yield body(text_of(kind)) if is_defined(kind) else scaffold("json")
    yield from (scaffold("<|message|>"), body(tojson(member(call, "arguments"))), scaffold("<|call|>"))


def _last_analysis(turn: Turn) -> Iterator[Segment]:
    if "thinking" in turn.message:
        yield from (scaffold(ANALYSIS), body(text_of(turn.get("thinking"))), scaffold("<|end|>" + ASSISTANT))


def _final(turn: Turn, closer: str) -> Iterator[Segment]:
    yield from (scaffold(FINAL), body(text_of(turn.content)), scaffold(closer))


FAMILY = Family(
    segments=segments,
    generation_prompt=always(ASSISTANT),
    stop_tokens=("<|return|>", "<|call|>"),
    response=ResponseFormat(whole=parse_harmony),
)
