r"""Gemma-4: turns of ``model`` that stay open over tool calls, results inside the model's turn, sorted arguments.

Wire::

    <bos>[<|turn>system\n[<|think|>\n]{system}(<|tool>{declaration}<tool|>)*<turn|>\n]
    <|turn>user\n{parts}<turn|>\n
    <|turn>model\n[<|channel>thought\n{reasoning}\n<channel|>]
        (<|tool_call>call:{name}{{arguments}}<tool_call|>)*
        (<|tool_response>response:{name}{value:<|"|>{result}<|"|>}<tool_response|>)*
        {content}<turn|>\n

Quirks: the results of a call are written inside the turn of the message that made it, before its own content;
a following assistant message continues the same turn without an opener; ``<|tool_response>`` after a call is what the
model emits to hand over, so it is sampled and belongs to the assistant; a tool result without a call before it
vanishes; reasoning is written after the last user message, or beside calls with ``preserve_thinking``; content loses
its thinking channels; arguments and keys are sorted. After results the prompt is empty, or an open thinking channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.gemma_4_format import argument, call_name, declaration, get
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.media.gemma import GEMMA_4_MEDIA
from tokenspec_reference.renderers.parsing.gemma_calls import GEMMA_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import (
    OUTSIDE,
    Block,
    Segment,
    block,
    body,
    joined,
    quoted,
    scaffold,
)
from tokenspec_reference.renderers.template_values import (
    dictsort,
    is_defined,
    is_sequence,
    member,
    printed_token,
    refuse,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

MODEL_PROMPT, THOUGHT_PROMPT = "<|turn>model\n", "<|channel>thought\n"
PLACEHOLDERS = {
    "image": "<|image|>",
    "image_url": "<|image|>",
    "audio": "<|audio|>",
    "input_audio": "<|audio|>",
    "video": "<|video|>",
}


@dataclass(frozen=True)
class Place:
    """Where a message stands: what came before it, and what follows."""

    continues: bool
    after_last_user: bool
    next_role: str | None
    results: tuple[Turn, ...]


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, *printed_token(chat.option("bos_token")))
    yield from _system(chat)
    turns = _loop_turns(chat)
    previous: str | None = None
    for position, turn in enumerate(turns):
        if turn.role == "tool":
            continue
        later = turns[position + 1 :]
        place = Place(
            continues=turn.role == "assistant" and previous == "assistant",
            after_last_user=turn.index > chat.last_user,
            next_role=next((t.role for t in later if t.role != "tool"), None),
            results=_results_of(turn, later),
        )
        yield from _model_turn(chat, turn, place) if turn.role == "assistant" else _other_turn(chat, turn, place)
        previous = turn.role


def generation_prompt(chat: Chat) -> str:
    """The model's opener; after calls nothing, after results nothing or an open thinking channel."""
    speakers = [turn for turn in _loop_turns(chat) if turn.role != "tool"]
    last = speakers[-1] if speakers else None
    if last is None or not (last.get("tool_calls") or last.get("tool_responses")):
        return MODEL_PROMPT
    turns = _loop_turns(chat)
    has_results = bool(last.get("tool_responses")) or bool(
        _results_of(last, tuple(t for t in turns if t.index > last.index))
    )
    return THOUGHT_PROMPT if has_results and _thinks(chat) else ""


def _thinks(chat: Chat) -> bool:
    return chat.enabled("enable_thinking", default=False)


def _loop_turns(chat: Chat) -> tuple[Turn, ...]:
    return chat.turns[1:] if chat.turns[0].role in ("system", "developer") else chat.turns


def _system(chat: Chat) -> Iterator[Block]:
    first = chat.turns[0]
    has_system = first.role in ("system", "developer")
    if _thinks(chat) or chat.tools or has_system:
        opener = scaffold("<|turn>system\n" + ("<|think|>\n" if _thinks(chat) else ""))
        text = _system_text(first.content) if has_system else ()
        tools = [
            part for tool in chat.tools or () for part in (scaffold("<|tool>"), *declaration(tool), scaffold("<tool|>"))
        ]
        yield block(0 if has_system else OUTSIDE, opener, *text, *tools, scaffold("<turn|>\n"))


def _system_text(content: Any) -> Iterator[Segment]:
    if isinstance(content, str):
        yield body(content.strip())
    elif is_sequence(content):
        for part in content:
            yield from (body(str(member(part, "text")).strip()), scaffold(" "))


def _results_of(turn: Turn, later: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The tool messages directly after a message with calls."""
    if not turn.get("tool_calls") or turn.get("tool_responses"):
        return ()
    count = next((k for k, t in enumerate(later) if t.role != "tool"), len(later))
    return later[:count]


def _model_turn(chat: Chat, turn: Turn, place: Place) -> Iterator[Block]:
    """Calls, results and content of one assistant message, as blocks of their owners."""
    opener = () if place.continues else (scaffold(MODEL_PROMPT),)
    prompt = MODEL_PROMPT if not place.continues else THOUGHT_PROMPT if _thinks(chat) else ""
    before = (*_thought(chat, turn, place), *_calls(turn))
    responses = [*_legacy_responses(turn), *_responses(turn, place)]
    content = _content(turn)
    ending = _ending(turn, place, responses=bool(responses), content=joined(content))
    closer = (scaffold("\n"),) if ending == "<turn|>" else ()
    if not responses:
        yield Block(turn.index, opener, (*before, *content, scaffold(ending)), closer, prompt)
        return
    handover = (scaffold("<|tool_response>"),) if turn.get("tool_calls") else ()
    yield Block(turn.index, opener, (*before, *handover), (), prompt)
    first, *others = responses
    yield first._replace(opener=first.opener[1:]) if handover else first
    yield from others
    yield Block(turn.index, (), (*content, scaffold(ending)), closer, "")


def _other_turn(chat: Chat, turn: Turn, place: Place) -> Iterator[Block]:
    """Any other role: nothing in it is sampled, but the format is the same."""
    responses = [*_legacy_responses(turn), *_responses(turn, place)]
    content = _content(turn)
    ending = _ending(turn, place, responses=bool(responses), content=joined(content))
    header = (scaffold("<|turn>"), quoted(turn.role), scaffold("\n"))
    yield block(turn.index, *header, *_thought(chat, turn, place), *_calls(turn))
    yield from responses
    yield block(turn.index, *content, scaffold(ending + ("\n" if ending == "<turn|>" else "")))


def _ending(turn: Turn, place: Place, *, responses: bool, content: str) -> str:
    """What ends the text of a message: the handover to a tool, the turn closer, or nothing in an open turn."""
    if turn.get("tool_calls") and not responses:
        return "<|tool_response>"
    continues_into_next = turn.role == "assistant" and place.next_role == "assistant"
    waits_for_model = responses and not content.strip() and place.next_role is None
    return "" if continues_into_next or waits_for_model else "<turn|>"


def _thought(chat: Chat, turn: Turn, place: Place) -> Iterator[Segment]:
    thought = turn.message.get("reasoning") or turn.message.get("reasoning_content")
    is_kept = chat.enabled("preserve_thinking", default=False) and turn.get("tool_calls")
    if thought and (place.after_last_user or is_kept):
        yield from (scaffold(THOUGHT_PROMPT), body(text_of(thought)), scaffold("\n<channel|>"))


def _calls(turn: Turn) -> Iterator[Segment]:
    for call in turn.get("tool_calls") or ():
        arguments = member(member(call, "function"), "arguments")
        yield from (scaffold("<|tool_call>call:"), body(call_name(call)), scaffold("{"))
        if isinstance(arguments, Mapping):
            yield from _pairs(arguments)
        elif arguments is not None or not is_defined(arguments):
            refuse("tool_calls[].function.arguments must be a JSON object (mapping), not a string")
        yield scaffold("}<tool_call|>")


def _pairs(mapping: Mapping[str, Any]) -> Iterator[Segment]:
    for position, (key, value) in enumerate(dictsort(mapping)):
        yield from (scaffold("," if position else ""), body(key), scaffold(":"))
        yield from argument(value, body, quotes_keys=False)


def _legacy_responses(turn: Turn) -> Iterator[Block]:
    """Results given on the message itself (Google's own shape); they are part of it, and nobody sampled them."""
    for response in turn.get("tool_responses") or ():
        name = member(response, "name") or "unknown"
        written = _response(name, member(response, "response"))
        yield block(turn.index, *(segment._replace(is_body=False) for segment in written))


def _responses(turn: Turn, place: Place) -> Iterator[Block]:
    for result in place.results:
        content = result.message.get("content")
        name = _called_name(turn, result)
        if isinstance(content, str) or not is_sequence(content):
            yield block(result.index, *_response(name, content))
            continue
        texts, media = [], []
        for part in content or ():
            kind = get(part, "type")
            if kind == "text":
                texts.append(text_of(get(part, "text")))
            elif kind in PLACEHOLDERS:
                media.append(Segment(PLACEHOLDERS[kind], is_body=True, is_supplied=False))
        yield block(result.index, *_response(name, "".join(texts)), *media)


def _called_name(turn: Turn, result: Turn) -> Any:
    """Name of the last call with the result's id (two missing ids are equal), else the result's own name."""
    name = result.message.get("name") or "unknown"
    for call in turn.get("tool_calls"):
        if get(call, "id") == result.message.get("tool_call_id"):
            name = member(member(call, "function"), "name")
    return name


def _response(name: Any, response: Any) -> Iterator[Segment]:
    yield from (scaffold("<|tool_response>"), scaffold("response:"), quoted(text_of(name)), scaffold("{"))
    if isinstance(response, Mapping):
        yield from _pairs(response)
    else:
        yield from (scaffold("value:"), *argument(response, body, quotes_keys=False))
    yield scaffold("}<tool_response|>")


def _content(turn: Turn) -> list[Segment]:
    content = turn.message.get("content")
    is_model = turn.role == "assistant"
    if isinstance(content, str):
        return [body(_without_thinking(content) if is_model else content.strip())]
    found: list[Segment] = []
    for part in content or () if is_sequence(content) else ():
        kind = get(part, "type")
        if kind == "text":
            text = member(part, "text")
            found.append(body(_without_thinking(text_of(text)) if is_model else str(text).strip()))
        elif kind in PLACEHOLDERS:
            found.append(Segment(PLACEHOLDERS[kind], is_body=True, is_supplied=False))
    return found


def _without_thinking(text: str) -> str:
    """The text outside its thinking channels, trimmed."""
    return "".join(part.split("<|channel>")[0] for part in text.split("<channel|>")).strip()


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=("<turn|>", "<|tool_response>", "<eos>"),
    response=ResponseFormat(
        ThoughtFormat("<|channel>", "<channel|>", after_open="thought\n", after_close=""), GEMMA_CALLS
    ),
    media=GEMMA_4_MEDIA,
)
