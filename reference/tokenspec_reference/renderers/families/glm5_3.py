r"""GLM-5.3: GLM-5.1 with an effort in front, a think block in every turn, and results in the order of their calls.

Wire::

    [gMASK]<sop><|system|>Reasoning Effort: {Max | High | Low}[<|system|>\n# Tools ... </tool_call>]
    <|system|>{text}
    <|user|>{text}
    <|assistant|><think>{reasoning}</think>{content}
        (<tool_call>{name}(<arg_key>..</arg_key><arg_value>..</arg_value>)*</tool_call>)*
    <|observation|>[<tool_response>{text}</tool_response>]+

Quirks: as in GLM-4.5 the marker of the next turn is the stop token of the assistant turn before it. Reasoning of all
turns is kept, untrimmed, unless ``clear_thinking=True``; a turn without any has an empty block; thinking cannot be
switched off. Results are written in the order of the calls where every result answers another call by its id, else
as given. Where a part is an image, a video or a sound, a sentence says that the model cannot process it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import UndefinedError

from tokenspec_reference.renderers.families.glm4_5 import TOOLS_HEADER, close_by_next_marker
from tokenspec_reference.renderers.families.glm4_7 import CALL_FORMAT, calls_of, schema, shown_signatures, unwrapped
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing.call_formats import KEY_VALUE_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, block, body, joined, quoted, scaffold
from tokenspec_reference.renderers.template_values import (
    is_defined,
    is_iterable,
    item,
    member,
    printed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

MEDIA = ("image", "image_url", "video", "video_url", "audio", "audio_url", "input_audio")


class Result(NamedTuple):
    """One result: the message that holds it, the id of the call it answers, and its text."""

    turn: int
    id: str
    written: tuple[Segment, ...]


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    effort = chat.option("reasoning_effort")
    named = effort if effort in ("low", "high") else "max"
    yield block(OUTSIDE, scaffold(f"[gMASK]<sop><|system|>Reasoning Effort: {named.capitalize()}"))
    if chat.tools:
        yield block(OUTSIDE, scaffold(TOOLS_HEADER), *shown_signatures(chat), scaffold(CALL_FORMAT))
    yield from close_by_next_marker(_turns(chat))


def _turns(chat: Chat) -> Iterator[Block]:
    for turn in chat.turns:
        if turn.role == "user":
            yield block(turn.index, scaffold("<|user|>"), *_visible(turn.content))
        elif turn.role == "assistant":
            yield Block(turn.index, (scaffold("<|assistant|>"),), tuple(_reply(chat, turn)))
        elif turn.role == "tool" and chat.starts_results(turn):
            yield from _results(chat, turn)
        elif turn.role == "system":
            yield block(turn.index, scaffold("<|system|>"), *_visible(turn.content))


def _visible(content: Any) -> Iterator[Segment]:
    """The text of a content: itself, its text parts and a sentence for each medium, or its printed value."""
    if isinstance(content, str):
        yield body(content)
    elif is_iterable(content) and not isinstance(content, Mapping):
        for part in content:
            kind = member(part, "type") if isinstance(part, Mapping) else None
            if kind == "text":
                yield from printed(member(part, "text"))
            elif isinstance(part, str):
                yield body(part)
            elif kind in MEDIA:
                medium = str(kind).replace("_url", "").replace("input_", "")
                yield scaffold(
                    f"<reminder>You are unable to process this {medium} because you don't have multi-modal input "
                    "ability. Try different methods.</reminder>"
                )
    elif content is not None:
        yield from printed(content)


def _reply(chat: Chat, turn: Turn) -> Iterator[Segment]:
    content, reasoning = joined(_visible(turn.content)), turn.get("reasoning_content")
    if not isinstance(reasoning, str):
        parts = content.split("</think>")
        reasoning, content = (parts[0].split("<think>")[-1] if parts[1:] else ""), parts[-1]
    is_kept = not chat.enabled("clear_thinking", default=False) or turn.index > chat.last_user
    yield from (scaffold("<think>"), body(reasoning if is_kept else ""), scaffold("</think>"))
    yield body(content.strip())
    yield from calls_of(turn)


def _results(chat: Chat, first: Turn) -> Iterator[Block]:
    """All results that follow on each other, behind one marker."""
    end = next((turn.index for turn in chat.turns[first.index :] if turn.role != "tool"), len(chat.turns))
    results = [result for turn in chat.turns[first.index : end] for result in _results_of(chat, turn)]
    caller = chat.turns[first.index - 1] if first.index else None
    calls = (caller.get("tool_calls") or ()) if caller is not None and caller.role == "assistant" else ()
    for position, result in enumerate(_in_order(results, [_id_of(call) for call in calls])):
        yield block(result.turn, *(() if position else (scaffold("<|observation|>"),)), *result.written)


def _in_order(results: list[Result], calls: list[str]) -> list[Result]:
    """In the order of the calls, where ids tell every call and every result apart; else as given."""
    answered = [result.id for result in results]
    are_told_apart = all((*calls, *answered)) and max(Counter(calls).values(), default=1) == 1
    if not calls or not are_told_apart or len(set(answered)) < len(answered) or not set(answered) <= set(calls):
        return results
    return sorted(results, key=lambda result: calls.index(result.id))


def _results_of(chat: Chat, turn: Turn) -> Iterator[Result]:
    """The results of one message: usually one, or a list of outputs that each have an id of their own."""
    content = turn.content
    if isinstance(content, str) or not content:
        yield Result(turn.index, _id_of(turn.message), _response(chat, content))
        return
    head = item(content, 0)
    if not isinstance(content, Mapping) and is_defined(_field(head, "output")) and not _is_reference(head):
        for entry in content:
            yield Result(turn.index, _id_of(entry), _response(chat, _field(entry, "output")))
    elif not is_defined(head):
        raise UndefinedError("the content of a tool message is neither text nor a list")
    else:
        yield Result(turn.index, _id_of(turn.message), _response(chat, content))


def _response(chat: Chat, content: Any) -> tuple[Segment, ...]:
    if isinstance(content, (list, tuple)) and content and _is_reference(content[0]):
        return tuple(_references(chat, content))
    return (scaffold("<tool_response>"), *_visible(content), scaffold("</tool_response>"))


def _references(chat: Chat, references: Any) -> Iterator[Segment]:
    if not chat.tools:
        raise UndefinedError("a tool_reference needs tools")
    yield scaffold("<tool_response><tools>\n")
    for reference in references:
        for tool in chat.tools:
            if member(unwrapped(tool), "name") == _field(reference, "name"):
                yield from (quoted(schema(unwrapped(tool))), scaffold("\n"))
    yield scaffold("</tools></tool_response>")


def _is_reference(part: Any) -> bool:
    return bool(_field(part, "type") == "tool_reference")


def _id_of(value: Any) -> str:
    """``tool_call_id``, else ``id``, as printed; empty without one."""
    return str(_field(value, "tool_call_id") or _field(value, "id") or "")


def _field(value: Any, name: str) -> Any:
    """A key of a mapping; Undefined of all else, which has none of these."""
    return member(value if isinstance(value, Mapping) else {}, name)


FAMILY = Family(
    segments=segments,
    generation_prompt=always("<|assistant|><think>"),
    stop_tokens=("<|endoftext|>", "<|user|>", "<|observation|>"),
    closes_by_next_marker=True,
    response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), KEY_VALUE_CALLS),
)
