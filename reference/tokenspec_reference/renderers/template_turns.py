"""Parsing and bridging for any chat template, as far as the template shows how it writes a turn.

A template is asked to write a thought and a call with known words; what stands around these words are its markers. A
notation that cannot be recognised this way makes parsing and bridging unsupported for the template, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from tokenspec_reference.errors import InvalidMessages, TemplateRejects, UnsupportedByReference
from tokenspec_reference.renderers.attribute import Encoding, Straddle
from tokenspec_reference.renderers.chat import Chat, Normalisation, build_chat
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.family import Family, always
from tokenspec_reference.renderers.parsing import call_formats
from tokenspec_reference.renderers.parsing.call_formats import CallFormat, ToolSchemas
from tokenspec_reference.renderers.parsing.completion import read_completion
from tokenspec_reference.renderers.parsing.gemma_calls import GEMMA_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat, parse_completion
from tokenspec_reference.renderers.parsing.thought import PromptThought, ThoughtFormat
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.segments import Block, Span

ASK = {"role": "user", "content": "q"}
REASON, ANSWER, NAME, VALUE = "rea5on", "an5wer", "na5me", "val5ue"
KNOWN_CALLS = (
    call_formats.JSON_CALLS,
    call_formats.XML_CALLS,
    call_formats.KEY_VALUE_CALLS,
    call_formats.MINIMAX_CALLS,
    call_formats.DEEPSEEK_CALLS,
    GEMMA_CALLS,
)
_TAG = re.compile(r"<[^<>\s]+>")


class Written(Protocol):
    """What a template wrote."""

    @property
    def text(self) -> str:
        """All of it."""
        ...

    @property
    def spans(self) -> list[Span]:
        """The same in attributed stretches."""
        ...


class WritingTemplate(Protocol):
    """What is needed of the template's renderer: its text with attribution, and its options."""

    encoder: Encoder
    encoding: Encoding
    straddle: Straddle
    normalisation: Normalisation
    now: datetime
    chat_template: str

    def provenance(self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False) -> Written:
        """Text and spans of a conversation."""
        ...


@dataclass(frozen=True)
class TemplateTurns(Renderer):
    """A :class:`Renderer` whose text comes from a template; made by :func:`turns_of_template`."""

    template: WritingTemplate | None = None

    def render_parts(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Any = None, add_generation_prompt: bool = True
    ) -> tuple[str, list[Span], Chat]:
        """See :meth:`Renderer.render_parts`."""
        if self.template is None:
            raise UnsupportedByReference("no template to render with", field="template")
        found = self.template.provenance(messages, tools=tools, add_generation_prompt=add_generation_prompt)
        chat = build_chat(messages, tools=tools, options={}, normalisation=self.normalisation, now=self.now)
        return found.text, found.spans, chat


def turns_of_template(template: WritingTemplate, *, closers: Sequence[str], stops: Sequence[str] = ()) -> TemplateTurns:
    """A renderer that can parse and bridge, over a template.

    Args:
        template: renders the conversations.
        closers: the texts that end an assistant turn, as the row declares them.
        stops: tokens that end a completion, too.

    Raises:
        UnsupportedByReference: no closer is known, or the template writes thoughts or calls in no known notation.
    """
    known = [closer for closer in closers if template.encoder.has(closer)]
    if not known:
        raise UnsupportedByReference("no control token is known that ends a turn of this template", field="wire")
    prompt = template.provenance([ASK], add_generation_prompt=True).text
    opening = prompt[len(template.provenance([ASK]).text) :]
    bare = TemplateTurns(
        family=Family(_no_segments, always(opening), tuple(dict.fromkeys((*known, *stops)))),
        encoder=template.encoder,
        encoding=template.encoding,
        straddle=template.straddle,
        normalisation=template.normalisation,
        now=template.now,
        chat_template=template.chat_template,
        template=template,
    )
    thought = _thought(bare)
    response = ResponseFormat(thought, _calls(bare, thought))
    return replace(bare, family=replace(bare.family, response=response))


def _no_segments(chat: Chat) -> Iterator[Block]:
    raise UnsupportedByReference(f"the text of {len(chat.turns)} turns comes from the template")


def _turn_text(renderer: TemplateTurns, turn: Mapping[str, Any]) -> str | None:
    """What the template writes behind a question for one turn, None where it refuses."""
    for spelled in (turn, _with_json_text(turn)):
        try:
            whole, *_ = renderer.render_parts([ASK, spelled], add_generation_prompt=False)
        except (TemplateRejects, InvalidMessages):
            continue
        ahead, *_ = renderer.render_parts([ASK], add_generation_prompt=False)
        return whole.removeprefix(ahead)
    return None


def _with_json_text(turn: Mapping[str, Any]) -> Mapping[str, Any]:
    import json

    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in turn.get("tool_calls", ())
    ]
    return {**turn, "tool_calls": calls} if calls else turn


def _thought(renderer: TemplateTurns) -> ThoughtFormat | None:
    """Markers and white space around a thought; None where the template writes none."""
    text = _turn_text(renderer, {"role": "assistant", "reasoning_content": REASON, "content": ANSWER})
    if text is None or REASON not in text:
        return None
    before, _, rest = text.partition(REASON)
    between, found, _ = rest.partition(ANSWER)
    opened, closed = before.rstrip(), between.lstrip()
    markers = sorted({*renderer.encoder.added.values(), *_TAG.findall(text)}, key=len, reverse=True)
    opener = next((marker for marker in markers if opened.endswith(marker)), None)
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


def _calls(renderer: TemplateTurns, thought: ThoughtFormat | None) -> CallFormat | None:
    """The notation that reads a written call back; None where the template writes none."""
    call = {"id": "c4ll1ng01", "type": "function", "function": {"name": NAME, "arguments": {"key": VALUE}}}
    text = _turn_text(renderer, {"role": "assistant", "content": "", "tool_calls": [call]})
    if text is None or NAME not in text:
        return None
    own = (_named_json(renderer, text), _json_list(renderer, text))
    for form in (*KNOWN_CALLS, *own):
        if form is not None and _reads_back(renderer, form, text, thought):
            beside = _turn_text(renderer, {"role": "assistant", "content": ANSWER, "tool_calls": [call]}) or ""
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


def _reads_back(renderer: TemplateTurns, form: CallFormat, text: str, thought: ThoughtFormat | None) -> bool:
    start = text.find(form.begin)
    if start < 0:
        return False
    view = read_completion(renderer.encoder, renderer.encoder.ids(text[start:]), renderer.stop_ids)
    found = parse_completion(view, ResponseFormat(thought, form), ToolSchemas(None), PromptThought())
    return [(call.name, call.arguments, call.status) for call in found.tool_calls] == [(NAME, {"key": VALUE}, "ok")]
