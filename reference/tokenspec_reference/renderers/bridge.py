"""The next prompt of a conversation, without touching a token that was sampled.

The result starts with exactly prompt + completion, followed by what the template writes between the turn that ended and
the next generation prompt. That text is taken from a render of a *short* conversation with an equivalent last turn, so
the cost does not depend on the length of the history.

The bridge declines (None) where no right answer exists: an empty prompt, no new message, an assistant among the new
messages, messages the template refuses, a tool result it leaves out, a stop token inside a thought, a thought that the
template would take back once the new messages are there, new messages that change what stands ahead of the turn or are
written inside it, and results whose order the template takes from ids that the completion does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

from tokenspec_reference.errors import InvalidMessages, TemplateRejects
from tokenspec_reference.renderers.attribute import Attribution, Encoding, Straddle, encode_and_attribute
from tokenspec_reference.renderers.chat import Chat, tool_names
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.completion import list_of_ids
from tokenspec_reference.renderers.rendered import RenderedTokens
from tokenspec_reference.renderers.segments import OUTSIDE, Span

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.parsed import ParsedResponse

Message = Mapping[str, Any]

UNSPOKEN = "thought"
"""Stands for a thought that was cut before its first word, to see whether the template keeps thoughts at all."""


class Bridgeable(Protocol):
    """What the bridge needs of a renderer."""

    @property
    def family(self) -> Family:
        """The wire format."""
        ...

    @property
    def encoder(self) -> Encoder:
        """Text to ids."""
        ...

    @property
    def encoding(self) -> Encoding:
        """Whether callers can write control tokens."""
        ...

    @property
    def straddle(self) -> Straddle:
        """Which side owns a token that covers scaffold and body."""
        ...

    @property
    def stop_ids(self) -> frozenset[int]:
        """Ids that end a completion."""
        ...

    def parse_response(
        self, token_ids: Sequence[int], *, tools: Any = None, prompt_ids: Sequence[int] | None = None
    ) -> ParsedResponse:
        """What was said in a completion of these prompt ids."""
        ...

    def render_parts(
        self, messages: Sequence[Message], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """Text, spans and normalised conversation."""
        ...


class RenderParts(Protocol):
    """Renders a conversation without encoding it."""

    def __call__(
        self, messages: Sequence[Message], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """Text, spans and normalised conversation."""
        ...


def bridge(
    renderer: Bridgeable,
    previous_prompt_ids: Sequence[int],
    previous_completion_ids: Sequence[int],
    new_messages: Sequence[Message],
    *,
    tools: Any = None,
    history: Sequence[Message] = (),
    render: RenderParts | None = None,
) -> RenderedTokens | None:
    """See :meth:`Renderer.bridge_to_next_turn`.

    ``history`` stands before the turn instead of the shortest one, ``render`` renders instead of the renderer's own.
    """
    prompt_ids = list_of_ids(previous_prompt_ids, "previous_prompt_ids")
    completion_ids = list_of_ids(previous_completion_ids, "previous_completion_ids")
    if not prompt_ids or not new_messages or not all(map(_may_follow, new_messages)):
        return None
    prior = [*prompt_ids, *completion_ids]
    said = renderer.parse_response(completion_ids, tools=tools, prompt_ids=prompt_ids)
    stopped = any(token in renderer.stop_ids for token in completion_ids)
    if not said.reasoning_complete and stopped:
        return None
    short = list(history) or _short_history(renderer, prompt_ids)
    ahead = [*short, _equivalent_turn(said, new_messages)]
    written = _first_accepted(renderer.render_parts, ahead, new_messages, tools)
    if written is None or not _keeps_what_stands_ahead(renderer, written, tools):
        return None
    if _order_depends_on_ids(renderer, written, [*short, _equivalent_turn(said, new_messages, from_last=True)], tools):
        return None
    shown = written if render is None else written.by(render, tools)
    found = _suffix(shown, renderer)
    if found is None:
        return None
    closer, suffix, spans = found
    closing = _closing(renderer, said, completion_ids, closer, stopped=stopped)
    added = _encode_behind(renderer, suffix, spans)
    before = len(prior) + len(closing)
    count = len(added.token_ids)
    return RenderedTokens(
        token_ids=[*prior, *closing, *added.token_ids],
        message_indices=[OUTSIDE] * before + (added.message_indices or [OUTSIDE] * count),
        sampled_mask=[False] * (before + count) if added.is_content or not count else [],
        is_content=[False] * before + added.is_content if added.is_content or not count else [],
        **_said_of(shown.chat, len(new_messages)),
    )


def _said_of(chat: Chat, count: int) -> dict[str, Any]:
    """What a render says of its last messages beside their tokens."""
    return {
        "message_roles": [turn.role for turn in chat.turns[-count:]],
        "message_tool_names": tool_names(chat.turns)[-count:],
    }


def _encode_behind(renderer: Bridgeable, suffix: str, spans: list[Span]) -> Attribution:
    """Encode text that stands behind a control token: with one in front, so that no vocabulary adds a prefix space."""
    anchor = renderer.family.stop_tokens[0]
    if not renderer.encoder.has(anchor):
        anchor = ""
    ahead = [Span(0, len(anchor), OUTSIDE, is_content=False, is_sampled=False, is_supplied=False)] if anchor else []
    moved = [replace(span, start=span.start + len(anchor), end=span.end + len(anchor)) for span in spans]
    found = encode_and_attribute(
        renderer.encoder, anchor + suffix, [*ahead, *moved], encoding=renderer.encoding, straddle=renderer.straddle
    )
    count = len(renderer.encoder.ids(anchor))
    return Attribution(*(getattr(found, entry.name)[count:] for entry in fields(found)))


def _short_history(renderer: Bridgeable, prompt_ids: Sequence[int]) -> list[Message]:
    """A user message, or what the family needs to be in the state the prompt left it in."""
    ask = renderer.family.history_before_results
    if ask is None:
        return [{"role": "user", "content": "q"}]
    present = frozenset(prompt_ids)
    return list(ask(frozenset(text for i, text in renderer.encoder.added.items() if i in present)))


@dataclass(frozen=True)
class Shown:
    """A render of a short conversation: ``ahead`` is its history and the turn, in a spelling the template accepts."""

    ahead: list[Message]
    new_messages: Sequence[Message]
    text: str
    spans: list[Span]
    chat: Chat

    @property
    def own(self) -> int:
        """The index of the turn that was sampled."""
        return len(self.ahead) - 1

    def by(self, render: RenderParts, tools: Any) -> Shown:
        """The same conversation rendered another way."""
        return Shown(self.ahead, self.new_messages, *_prompted(render, [*self.ahead, *self.new_messages], tools))


def _equivalent_turn(
    said: ParsedResponse, new_messages: Sequence[Message], *, from_last: bool = False
) -> dict[str, Any]:
    """The turn that was sampled, as far as it decides about what follows.

    Calls get the ids of the results that answer them, in order; a completion carries none in most formats. With
    ``from_last`` the results answer the calls in the opposite order.
    """
    answered = [message.get("tool_call_id") for message in new_messages if message.get("role") == "tool"]
    attempts = [call for call in said.tool_calls if call.status != "unclosed_block"]
    if from_last:
        answered = answered[: len(attempts)][::-1]
    calls = [
        {
            "id": call.id or (answered[k] if k < len(answered) else None) or f"call_{k}",
            "type": "function",
            "function": {"name": call.name or "f", "arguments": call.arguments if _is_mapping(call.arguments) else {}},
        }
        for k, call in enumerate(attempts)
    ]
    turn: dict[str, Any] = {"role": "assistant", "content": said.content or ("" if calls else "ok")}
    if said.reasoning_content or not said.reasoning_complete:
        turn["reasoning_content"] = (said.reasoning_content or "").strip() or UNSPOKEN
    if calls:
        turn["tool_calls"] = calls
    return turn


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _may_follow(message: Any) -> bool:
    """Whether it is a message, and none of the model's."""
    return isinstance(message, Mapping) and message.get("role") != "assistant"


def _keeps_what_stands_ahead(renderer: Bridgeable, written: Shown, tools: Any) -> bool:
    """Whether the template writes the same ahead of the turn with and without the new messages.

    Some templates move a system message, or the tools, to another place once a message follows.
    """
    begin = min((span.start for span in written.spans if span.owner == written.own), default=0)
    if not written.own:
        return all(span.owner == OUTSIDE for span in written.spans if span.start < begin)
    alone = _prompted(renderer.render_parts, written.ahead[:-1], tools)[0]
    return alone.startswith(written.text[:begin])


def _order_depends_on_ids(renderer: Bridgeable, written: Shown, reassigned: list[Message], tools: Any) -> bool:
    """Whether the text is another one where the results answer the calls in the opposite order.

    A template may sort results by the ids of their calls, or write the name of the call in front of each. Where the
    completion does not say which id a call has, one answer for both orders would be wrong for one of them.
    """
    if sum(message.get("role") == "tool" for message in written.new_messages) < 2:
        return False
    other = _first_accepted(renderer.render_parts, reassigned, written.new_messages, tools)
    return other is not None and other.text[_end(other) :] != written.text[_end(written) :]


def _end(shown: Shown) -> int:
    """Where the text that the model wrote ends: of what it samples the last that stands ahead of the new messages."""
    first_new = next((span.start for span in shown.spans if span.owner > shown.own), len(shown.text))
    own = [span.end for span in shown.spans if span.owner == shown.own and span.is_sampled and span.start <= first_new]
    return max(own, default=0)


def _suffix(shown: Shown, renderer: Bridgeable) -> tuple[str, str, list[Span]] | None:
    """The control token the template closes the turn with, and text and spans behind it.

    The closer is empty where the next message begins without one. None where the template takes a thought back,
    leaves a result out, or writes something of the turn behind a new message.
    """
    text, spans, own = shown.text, shown.spans, shown.own
    sampled = [span for span in spans if span.owner == own and span.is_sampled]
    if not sampled or _leaves_out(shown, "".join(text[s.start : s.end] for s in sampled)):
        return None
    end = _end(shown)
    last = next((text[span.start : span.end] for span in sampled if span.end == end), "")
    closers = (*renderer.family.stop_tokens, *([last] if renderer.encoder.has(last) else []))
    again = "".join(text[span.start : span.end] for span in spans if span.owner == own and span.start >= end)
    answer = shown.ahead[-1]["content"]
    if end == 0 or (isinstance(answer, str) and answer.strip() and answer.strip() in again):
        return None
    closer = next((token for token in closers if text.endswith(token, 0, end)), "")
    offset = own + 1
    behind = [
        Span(
            span.start - end,
            span.end - end,
            max(span.owner - offset, OUTSIDE),
            span.is_content and span.owner >= offset,
            is_sampled=False,
            is_supplied=span.is_supplied,
        )
        for span in spans
        if span.start >= end
    ]
    return closer, text[end:], behind


def _leaves_out(shown: Shown, sampled: str) -> bool:
    """Whether the template takes back the thought of the turn, or writes nothing of a result (without its call)."""
    written = {span.owner for span in shown.spans}
    return str(shown.ahead[-1].get("reasoning_content", "")) not in sampled or any(
        new.role == "tool" and new.index not in written for new in shown.chat.turns
    )


def _first_accepted(
    render: RenderParts, ahead: list[Message], new_messages: Sequence[Message], tools: Any
) -> Shown | None:
    """The short conversation in the first spelling of its calls that the template accepts, as text or in parts."""
    written = [[*ahead[:-1], turn] for turn in spellings(ahead[-1])]
    for own in (*written, *(list(map(in_parts, messages)) for messages in written)):
        with suppress(TemplateRejects, InvalidMessages):
            return Shown(own, new_messages, *_prompted(render, [*own, *new_messages], tools))
    return None


def _prompted(render: RenderParts, messages: Sequence[Message], tools: Any) -> tuple[str, list[Span], Chat]:
    """A conversation up to and with the next generation prompt."""
    return render(messages, tools=tools, add_generation_prompt=True)


def in_parts(message: Message) -> Message:
    """A message whose text is one part, as some templates insist on; one without text is left as it is."""
    content = message.get("content")
    if not content or not isinstance(content, str):
        return message
    return {**message, "content": [{"type": "text", "text": content}]}


def spellings(turn: Message) -> list[Message]:
    """Arguments as a mapping, and as the JSON text some templates insist on."""
    import json

    if "tool_calls" not in turn:
        return [turn]
    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in turn["tool_calls"]
    ]
    return [turn, {**turn, "tool_calls": calls}]


def _closing(
    renderer: Bridgeable, said: ParsedResponse, completion_ids: Sequence[int], closer: str, *, stopped: bool
) -> list[int]:
    """Ids that close an unfinished turn; nothing behind a turn that ended.

    Where the next message's marker is the closer (GLM), it has to stand there in any case, once.
    """
    marker_ids = renderer.encoder.ids(closer)
    if list(completion_ids[-len(marker_ids) :]) == marker_ids:
        return []
    if stopped and not renderer.family.closes_by_next_marker:
        return []
    form = renderer.family.response.thought
    if form is not None and not said.reasoning_complete:
        closing_text = form.before_close + form.close + form.after_close + closer
        return renderer.encoder.encode_piece(closing_text, len(completion_ids))[0]
    return marker_ids
