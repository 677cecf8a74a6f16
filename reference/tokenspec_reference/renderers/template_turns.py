"""Parsing and bridging for any chat template, as far as the template shows how it writes a turn.

A template is asked to write a thought and a call with known words; what stands around these words are its markers.
Where that shows nothing, the formats of the hand-written families are tried: one that reads all the template writes is
its own. A notation that cannot be recognised this way makes unsupported what needs it, never a guess: calls are needed
where tools are offered, thoughts everywhere, neither of them by the stop tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from tokenspec_reference.errors import InvalidMessages, TemplateRejects, UnsupportedByReference
from tokenspec_reference.renderers.attribute import Encoding, Straddle
from tokenspec_reference.renderers.bridge import spellings
from tokenspec_reference.renderers.chat import Chat, Normalisation
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.families import FAMILIES, load_family
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing import call_formats
from tokenspec_reference.renderers.parsing.call_formats import CallFormat, ToolSchemas
from tokenspec_reference.renderers.parsing.completion import read_completion
from tokenspec_reference.renderers.parsing.gemma_calls import GEMMA_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat, parse_completion
from tokenspec_reference.renderers.parsing.parsed import ParsedResponse
from tokenspec_reference.renderers.parsing.thought import PromptThought, ThoughtFormat, read_prompt
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.segments import Block, Span

TOOL = {
    "type": "function",
    "function": {"name": "na5me", "description": "f", "parameters": {"type": "object", "properties": {}}},
}
REASON, ANSWER, NAME, VALUE = "rea5on", "an5wer", "na5me", "val5ue"
CALL = {"id": "c4ll1ng01", "type": "function", "function": {"name": NAME, "arguments": {"key": VALUE}}}
KNOWN_CALLS = (
    call_formats.JSON_CALLS,
    call_formats.XML_CALLS,
    call_formats.KEY_VALUE_CALLS,
    call_formats.MINIMAX_CALLS,
    call_formats.DEEPSEEK_CALLS,
    call_formats.DEEPSEEK_BARE_CALLS,
    call_formats.HY3_CALLS,
    call_formats.DSML_CALLS,
    GEMMA_CALLS,
)
_TAG = re.compile(r"<[^<>\s]+>")


class WritingTemplate(Protocol):
    """What is needed of the template's renderer: its text with attribution, and its options."""

    encoder: Encoder
    encoding: Encoding
    straddle: Straddle
    normalisation: Normalisation
    now: datetime
    chat_template: str

    def render_parts(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = True
    ) -> tuple[str, list[Span], Chat]:
        """Text, spans and normalised conversation."""
        ...


@dataclass(frozen=True)
class TemplateTurns(Renderer):
    """A :class:`Renderer` whose text comes from a template; made by :func:`turns_of_template`.

    ``unreadable`` says of thoughts and calls why they cannot be read.
    """

    template: WritingTemplate | None = None
    unreadable: Mapping[str, UnsupportedByReference] = field(default_factory=dict)

    def render_parts(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Any = None, add_generation_prompt: bool = True
    ) -> tuple[str, list[Span], Chat]:
        """See :meth:`Renderer.render_parts`."""
        if self.template is None:
            raise UnsupportedByReference("no template to render with", field="template")
        return self.template.render_parts(messages, tools=tools, add_generation_prompt=add_generation_prompt)

    def parse_response(
        self, token_ids: Sequence[int], *, tools: Any = None, prompt_ids: Sequence[int] | None = None
    ) -> ParsedResponse:
        """See :meth:`Renderer.parse_response`.

        Raises:
            UnsupportedByReference: thoughts cannot be read, or calls cannot and tools are offered.
        """
        for what in ("thoughts", "calls") if tools else ("thoughts",):
            if what in self.unreadable:
                raise self.unreadable[what]
        return super().parse_response(token_ids, tools=tools, prompt_ids=prompt_ids)

    def get_stop_token_ids(self) -> list[int]:
        """See :meth:`Renderer.get_stop_token_ids`.

        Raises:
            UnsupportedByReference: no control token is known that ends a turn.
        """
        if not self.family.stop_tokens:
            raise UnsupportedByReference("no control token is known that ends a turn of this template", field="wire")
        return super().get_stop_token_ids()

    def bridge_to_next_turn(
        self,
        previous_prompt_ids: Sequence[int],
        previous_completion_ids: Sequence[int],
        new_messages: Sequence[Mapping[str, Any]],
        *,
        tools: Any = None,
        previous_multi_modal_data: MultiModalData | None = None,
        process_multimodal: bool = False,
    ) -> RenderedTokens | None:
        """See :meth:`Renderer.bridge_to_next_turn`.

        Raises:
            UnsupportedByReference: as for the stop tokens and for :meth:`parse_response`; media to expand.
        """
        self.get_stop_token_ids()
        return super().bridge_to_next_turn(
            previous_prompt_ids,
            previous_completion_ids,
            new_messages,
            tools=tools,
            previous_multi_modal_data=previous_multi_modal_data,
            process_multimodal=process_multimodal,
        )


def turns_of_template(
    template: WritingTemplate, *, closers: Sequence[str], stops: Sequence[str] = (), by_next_marker: bool = False
) -> TemplateTurns:
    """A renderer that can parse and bridge, over a template.

    Args:
        template: renders the conversations.
        closers: the texts that end an assistant turn, as the row declares them or the template shows them.
        stops: tokens that end a completion, too.
        by_next_marker: whether the closers are the markers that open the next turn.
    """
    bare = TemplateTurns(
        family=Family(
            _no_segments,
            lambda _chat: _opening(bare),
            tuple(dict.fromkeys((*closers, *stops))),
            closes_by_next_marker=by_next_marker,
        ),
        encoder=template.encoder,
        encoding=template.encoding,
        straddle=template.straddle,
        normalisation=template.normalisation,
        now=template.now,
        chat_template=template.chat_template,
        template=template,
    )
    unreadable: dict[str, UnsupportedByReference] = {}
    response = ResponseFormat(after_content=_after_content(bare))
    try:
        response = replace(response, thought=_thought(bare))
    except UnsupportedByReference as unsupported:
        unreadable["thoughts"] = unsupported
    try:
        response = replace(response, calls=_calls(bare, response.thought))
    except UnsupportedByReference as unsupported:
        unreadable["calls"] = unsupported
    family = replace(bare.family, response=response)
    if unreadable:
        opening = _opening(bare)
        samples = list(_samples(bare, opening))
        known = (load_family(name, template.chat_template) for name in FAMILIES)
        alike = next((one for one in known if any(_reads_all(bare, one, opening, wrote) for wrote in samples)), None)
        if alike is not None:
            known_stops = tuple(filter(template.encoder.has, alike.stop_tokens))
            family = replace(family, response=alike.response, stop_tokens=known_stops)
            unreadable = {}
    return replace(bare, family=family, unreadable=unreadable)


def _no_segments(chat: Chat) -> Iterator[Block]:
    raise UnsupportedByReference(f"the text of {len(chat.turns)} turns comes from the template")


def _opening(renderer: TemplateTurns) -> str:
    """The generation prompt behind a question; empty where the template refuses every one."""
    for ask, tools in _asks():
        try:
            prompted, *_ = renderer.render_parts([ask], tools=tools)
            ahead, *_ = renderer.render_parts([ask], tools=tools, add_generation_prompt=False)
        except (TemplateRejects, InvalidMessages):
            continue
        return prompted[len(ahead) :] if prompted.startswith(ahead) else ""
    return ""


def _asks() -> Iterator[tuple[Mapping[str, Any], Any]]:
    """A question in the forms that templates insist on: text or parts, without tools or with one."""
    for tools in (None, [TOOL]):
        yield {"role": "user", "content": "q"}, tools
        yield {"role": "user", "content": _parts("q")}, tools


def _parts(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _turn_text(renderer: TemplateTurns, turn: Mapping[str, Any]) -> str | None:
    """What the template writes behind a question for one turn, in the form that it writes all words of.

    None where it refuses every form; where it writes all words in none of them, what it writes first.
    """
    words = [turn["content"] or "", VALUE if turn.get("tool_calls") else ""]
    found: str | None = None
    for ask, tools in _asks():
        in_parts = isinstance(ask["content"], list) and turn["content"]
        formed = {**turn, "content": _parts(turn["content"]) if in_parts else turn["content"]}
        for spelled in _spellings(formed):
            try:
                whole, *_ = renderer.render_parts([ask, spelled], tools=tools, add_generation_prompt=False)
                ahead, *_ = renderer.render_parts([ask], tools=tools, add_generation_prompt=False)
            except (TemplateRejects, InvalidMessages):
                continue
            text = whole.removeprefix(ahead)
            if all(word in text for word in words):
                return text
            found = found or text
    return found


def _spellings(turn: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A turn as a bridge spells it, each form also with no content in place of an empty one."""
    for spelled in spellings(turn):
        yield spelled
        if not turn["content"]:
            yield {**spelled, "content": None}


def _after_content(renderer: TemplateTurns) -> str:
    """White space that the template writes between an answer and what closes the turn."""
    behind = (_turn_text(renderer, {"role": "assistant", "content": ANSWER}) or "").partition(ANSWER)[2]
    blank = behind[: len(behind) - len(behind.lstrip())]
    return blank if behind.startswith(renderer.family.stop_tokens, len(blank)) else ""


def _thought(renderer: TemplateTurns) -> ThoughtFormat | None:
    """Markers and white space around a thought; None where the template writes none."""
    turn = {"role": "assistant", "reasoning_content": REASON, "content": ANSWER}
    texts = [_turn_text(renderer, told) for told in (turn, {**turn, "tool_calls": [CALL]})]
    text = next((text for text in texts if text is not None and REASON in text), None)
    if text is None:
        return None
    before, _, rest = text.partition(REASON)
    between, found, _ = rest.partition(ANSWER)
    opened, closed = before.rstrip(), between.lstrip()
    markers = sorted({*renderer.encoder.added.values(), *_TAG.findall(text)}, key=len, reverse=True)
    opener = next((opened[opened.rfind(marker) :] for marker in markers if _ends_with(opened, marker)), None)
    closer = next((marker for marker in markers if closed.startswith(marker)), None)
    if not found or opener is None or closer is None or closed[len(closer) :].strip():
        raise UnsupportedByReference("the template writes thoughts in no known notation", field="template")
    return ThoughtFormat(
        opener,
        closer,
        after_open=before[len(opened) :],
        before_close=between[: len(between) - len(closed)],
        after_close=closed[len(closer) :],
    )


def _ends_with(text: str, marker: str) -> bool:
    """Whether a text ends with a marker, or with one and the word that follows it (``<|channel>thought``)."""
    return marker in text and re.fullmatch(r"[a-z]*", text[text.rfind(marker) + len(marker) :]) is not None


def _calls(renderer: TemplateTurns, thought: ThoughtFormat | None) -> CallFormat | None:
    """The notation that reads a written call back; None where the template writes none."""
    text = _turn_text(renderer, {"role": "assistant", "content": "", "tool_calls": [CALL]})
    if text is None or not (NAME in text or VALUE in text):
        return None
    own = (_named_json(renderer, text), _json_list(renderer, text))
    for form in (*KNOWN_CALLS, *own):
        if form is not None and _reads_back(renderer, form, text, thought):
            beside = _turn_text(renderer, {"role": "assistant", "content": ANSWER, "tool_calls": [CALL]}) or ""
            between = beside.partition(ANSWER)[2].partition(form.begin)[0]
            return replace(form, separator=between if ANSWER in beside and not between.strip() else "")
    raise UnsupportedByReference("the template writes calls in no known notation", field="template")


def _named_json(renderer: TemplateTurns, text: str) -> CallFormat | None:
    """A control token, the name, a blank, the JSON of the arguments, and no close."""
    before = text.partition(NAME)[0]
    marker = next((token for token in renderer.encoder.added.values() if before.endswith(token)), None)
    return None if marker is None else CallFormat(marker, "", call_formats.read_named_json)


def _json_list(renderer: TemplateTurns, text: str) -> CallFormat | None:
    """A control token and the JSON list of all calls, and no close."""
    before = text.partition("[{")[0].rstrip()
    marker = next((token for token in renderer.encoder.added.values() if before.endswith(token)), None)
    return None if marker is None else CallFormat(marker, "", call_formats.read_json_list)


@dataclass(frozen=True)
class _Wrote:
    """What a template wrote behind its prompt for a turn that says these things."""

    text: str
    content: str
    reasoning: str | None
    calls: int


def _samples(renderer: TemplateTurns, opening: str) -> Iterator[list[_Wrote]]:
    """An answer, a thought and a call as the template writes them; the call by two forms of its id.

    Nothing where it refuses one of them, or does not go on from its prompt.
    """

    def wrote(reasoning: str | None, content: str, calls: list[Any]) -> _Wrote | None:
        turn: dict[str, Any] = {"role": "assistant", "content": content}
        turn |= {"reasoning_content": reasoning} if reasoning else {}
        text = _turn_text(renderer, {**turn, "tool_calls": calls} if calls else turn)
        if text is None or not text.startswith(opening):
            return None
        thought = reasoning if reasoning and reasoning in text else None
        return _Wrote(text[len(opening) :], content, thought, len(calls))

    plain = [wrote(None, ANSWER, []), wrote(REASON, ANSWER, [])]
    for call in (CALL, {**CALL, "id": f"functions.{NAME}:0"}):
        samples = [sample for sample in (*plain, wrote(None, "", [call])) if sample is not None]
        if len(samples) > len(plain):
            yield samples


def _reads_all(renderer: TemplateTurns, family: Family, opening: str, samples: Sequence[_Wrote]) -> bool:
    """Whether a family reads all that a template wrote."""
    encoder, form = renderer.encoder, family.response
    if not encoder.has(family.stop_tokens[0]):
        return False
    stops = frozenset(encoder.id_of(token) for token in family.stop_tokens if encoder.has(token))
    prompt = PromptThought()
    if form.thought is not None:
        prompt = read_prompt(opening, form.thought, opening.rfind(form.thought.open), opening.rfind(form.thought.close))
    for sample in samples:
        found = parse_completion(
            read_completion(encoder, encoder.ids(sample.text), stops), form, ToolSchemas(None), prompt
        )
        said = [(call.name, call.arguments, call.status) for call in found.tool_calls]
        wanted = [(NAME, {"key": VALUE}, "ok")] * sample.calls
        if (found.content, found.reasoning_content or None, said) != (sample.content, sample.reasoning, wanted):
            return False
    return True


def _reads_back(renderer: TemplateTurns, form: CallFormat, text: str, thought: ThoughtFormat | None) -> bool:
    start = text.find(form.begin)
    if start < 0:
        return False
    view = read_completion(renderer.encoder, renderer.encoder.ids(text[start:]), renderer.stop_ids)
    found = parse_completion(view, ResponseFormat(thought, form), ToolSchemas(None), PromptThought())
    return [(call.name, call.arguments, call.status) for call in found.tool_calls] == [(NAME, {"key": VALUE}, "ok")]
