r"""DeepSeek-V3 and DeepSeek-R1: no newlines, system text without a role, fenced JSON calls.

Wire::

    <｜begin▁of▁sentence｜>{all system texts, joined by blank lines}
    <｜User｜>{content}
    <｜Assistant｜>{content}<｜end▁of▁sentence｜>
    <｜Assistant｜><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{type}<｜tool▁sep｜>{name}\n```json\n{arguments}\n```<｜tool▁call▁end｜>...
    <｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>...<｜tool▁outputs▁end｜>{content}<｜end▁of▁sentence｜>

Quirks, kept as they are: the "first call" and "first output" flags are set once per conversation and never reset, so
later rounds lose their openers; ``<｜tool▁calls▁end｜>`` and the end of sentence come after the second call of a
turn, not after the first. After tool outputs neither the next turn nor the generation prompt has an assistant token;
``<｜tool▁outputs▁end｜>`` is then what the prompt ends with, so it is never sampled.

Revisions: ``first`` writes calls only where content is None (a *missing* content is not None and is refused, so under
hf5 calls without content are refused and calls with content are lost). ``thinking`` writes calls beside content, ends
every list of calls, drops reasoning from history and opens ``<think>`` in the generation prompt. ``r1`` is ``first``
with only the last system text, reasoning dropped from history, and ``<think>`` opened in the generation prompt.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.parsing.call_formats import DEEPSEEK_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import member, printed, printed_token, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

EOS = "<｜end▁of▁sentence｜>"
ASSISTANT = "<｜Assistant｜>"
OUTPUTS_END = "<｜tool▁outputs▁end｜>"


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, *printed_token(chat.option("bos_token")))
    yield from _system_texts(chat, revision)
    no_call_yet = no_output_yet = True
    after_tool = False
    for turn in chat.turns:
        has_calls = "tool_calls" in turn.message if revision == "thinking" else turn.content is None
        if turn.role == "user":
            after_tool = False
            yield block(turn.index, scaffold("<｜User｜>"), body(text_of(turn.content)))
        elif turn.role == "assistant" and has_calls:
            after_tool = False
            calls = list(turn.get("tool_calls"))
            opener = ASSISTANT if no_call_yet and calls else ""
            reply = _calls(turn, calls, revision, first=no_call_yet)
            yield assistant(turn.index, opener, reply)._replace(prompt=_prompt(revision))
            no_call_yet = no_call_yet and not calls
        elif turn.role == "assistant":
            content = text_of(turn.content)
            if revision != "first" and not after_tool:
                content = content.split("</think>")[-1]
            opener = OUTPUTS_END if after_tool else ASSISTANT
            reply = iter((body(content), scaffold(EOS)))
            yield assistant(turn.index, opener, reply)._replace(prompt=_prompt(revision))
            after_tool = False
        elif turn.role == "tool":
            opener = "<｜tool▁outputs▁begin｜>" if no_output_yet else "" if revision == "thinking" else "\n"
            yield block(
                turn.index,
                scaffold(opener + "<｜tool▁output▁begin｜>"),
                body(text_of(turn.content)),
                scaffold("<｜tool▁output▁end｜>"),
            )
            no_output_yet, after_tool = False, True
    if after_tool:
        yield block(_last_tool(chat), scaffold(OUTPUTS_END))


def generation_prompt(chat: Chat, revision: str) -> str:
    """The assistant token, nothing after tool outputs."""
    return "" if _ends_in_tool_outputs(chat) else _prompt(revision)


def _prompt(revision: str) -> str:
    return ASSISTANT + ("" if revision == "first" else "<think>\n")


def _system_texts(chat: Chat, revision: str) -> Iterator[Block]:
    systems = [turn for turn in chat.turns if turn.role == "system"]
    if revision == "r1":
        for turn in systems[-1:]:
            yield block(turn.index, *printed(turn.content))
        return
    for position, turn in enumerate(systems):
        yield block(turn.index, scaffold("\n\n" if position else ""), body(text_of(turn.content)))


def _calls(turn: Turn, calls: list[Any], revision: str, *, first: bool) -> Iterator[Segment]:
    """The calls of one turn; ``first`` is whether the conversation had none before."""
    for call in calls:
        if first:
            if revision == "thinking" and turn.content is not None:
                yield body(text_of(turn.content))
            yield scaffold("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>")
        else:
            yield scaffold("\n<｜tool▁call▁begin｜>")
        function = member(call, "function")
        yield body(text_of(member(call, "type")))
        yield scaffold("<｜tool▁sep｜>")
        yield body(text_of(member(function, "name")))
        yield scaffold("\n```json\n")
        yield body(text_of(member(function, "arguments")))
        yield scaffold("\n```<｜tool▁call▁end｜>")
        if revision != "thinking" and not first:
            yield scaffold("<｜tool▁calls▁end｜>" + EOS)
        first = False
    if revision == "thinking":
        yield scaffold("<｜tool▁calls▁end｜>" + EOS)


def _ends_in_tool_outputs(chat: Chat) -> bool:
    """Whether the last turn that this format knows is a tool result."""
    known = [turn.role for turn in chat.turns if turn.role in ("user", "assistant", "tool")]
    return bool(known) and known[-1] == "tool"


def _last_tool(chat: Chat) -> int:
    return max(turn.index for turn in chat.turns if turn.role == "tool")


def history_before_results(present: frozenset[str]) -> list[dict[str, Any]]:
    """The flag for the first output is set once: a prompt that had tool outputs leaves it set."""
    return [{"role": "tool", "content": ""}] if "<｜tool▁outputs▁begin｜>" in present else []


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=partial(generation_prompt, revision=revision),
        stop_tokens=(EOS,),
        history_before_results=history_before_results,
        response=ResponseFormat(ThoughtFormat(), DEEPSEEK_CALLS),
    )


FAMILY = Revisions(
    _family,
    markers=(
        ("thinking", "'tool_calls' in message"),
        ("r1", "set ns.system_prompt = message['content'] %}"),
        ("first", ""),
    ),
)
