"""Parsing and bridging for any chat template, as far as the template shows how it writes a turn.

A template is asked to write a thought and a call with known words; what stands around these words are its markers.
Where that shows nothing, the formats of the hand-written families are tried: one that reads all the template writes is
its own. A notation that cannot be recognised this way makes unsupported what needs it, never a guess: calls are needed
where tools are offered, thoughts everywhere, neither of them by the stop tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Protocol

from tokenspec_reference.errors import TemplateRejects, UnsupportedByReference
from tokenspec_reference.renderers.attribute import Encoding, Straddle
from tokenspec_reference.renderers.chat import Chat, Normalisation
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.segments import Block, Span
from tokenspec_reference.renderers.template_notation import (
    ANSWER,
    ask,
    family_alike,
    history_before_results,
    misread,
    notation_of,
    written,
)


class WritingTemplate(Protocol):
    """What is needed of the template's renderer: its text with attribution, and its options."""

    encoder: Encoder
    encoding: Encoding
    straddle: Straddle
    normalisation: Normalisation
    now: datetime
    chat_template: str

    def render_parts(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """Text, spans and normalised conversation."""
        ...


@dataclass(frozen=True)
class TemplateTurns(Renderer):
    """A :class:`Renderer` whose text comes from a template; made by :func:`turns_of_template`.

    ``unreadable`` says of thoughts and calls why they cannot be read.
    """

    template: WritingTemplate = field(kw_only=True)
    unreadable: Mapping[str, UnsupportedByReference] = field(default_factory=dict)

    def render_parts(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """See :meth:`Renderer.render_parts`."""
        return self.template.render_parts(messages, tools=tools, add_generation_prompt=add_generation_prompt)

    def response_format(self, tools: Any) -> ResponseFormat:
        """See :meth:`Renderer.response_format`.

        Raises:
            UnsupportedByReference: thoughts cannot be read, or calls cannot and tools are offered.
        """
        for what in ("thoughts", "calls") if tools else ("thoughts",):
            if what in self.unreadable:
                raise self.unreadable[what]
        return super().response_format(tools)

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
            UnsupportedByReference: as for the stop tokens and for :meth:`response_format`; media to expand.
        """
        self.get_stop_token_ids()
        if self._counts_turns:
            return None
        return super().bridge_to_next_turn(
            previous_prompt_ids,
            previous_completion_ids,
            new_messages,
            tools=tools,
            previous_multi_modal_data=previous_multi_modal_data,
            process_multimodal=process_multimodal,
        )

    @cached_property
    def _counts_turns(self) -> bool:
        """Whether what follows an answer depends on how many there were (``[Round 2]``), or how many pictures."""
        return any(map(self._counts, ("q", [{"type": "image"}], [{"type": "video"}])))

    def _counts(self, content: Any) -> bool:
        asked, answered = {"role": "user", "content": content}, {"role": "assistant", "content": ANSWER}
        try:
            texts = [
                self.render_text([asked, answered] * rounds + [asked], add_generation_prompt=True) for rounds in (1, 2)
            ]
        except TemplateRejects:
            return False
        return len({text.rpartition(ANSWER)[2] for text in texts}) > 1


def turns_of_template(
    template: WritingTemplate,
    *,
    closers: Sequence[str],
    stops: Sequence[str],
    by_next_marker: bool,
    earlier: Callable[[], WritingTemplate],
) -> TemplateTurns:
    """A renderer that can parse and bridge, over a template.

    Args:
        template: renders the conversations.
        closers: the texts that end an assistant turn, as the row declares them or the template shows them.
        stops: tokens that end a completion, too.
        by_next_marker: whether the closers are the markers that open the next turn.
        earlier: the template as transformers 4 renders it. Some write calls only where the content is null, which
            transformers 5 leaves out.
    """
    bare = TemplateTurns(
        family=Family(
            _no_segments,
            lambda _chat: asked.opening,
            tuple(dict.fromkeys((*closers, *stops))),
            history_before_results=cache(lambda present: history_before_results(bare, present)),
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
    asked = ask(bare)
    response, unreadable = notation_of(bare, asked.opening, lambda: replace(bare, template=earlier()))
    found = replace(bare, family=replace(bare.family, response=response))
    samples = list(written(bare, asked.opening))
    unreadable = {**misread(found, asked, samples), **unreadable}
    if unreadable and not asked.is_written_anew:  # else nothing that was written shows what is sampled
        family = family_alike(bare, asked.opening, samples)
        if family is not None:
            shown = None if "thoughts" in unreadable else response.thought
            thought = family.response.thought or shown
            return replace(bare, family=replace(family, response=replace(family.response, thought=thought)))
    return replace(found, unreadable=unreadable)


def _no_segments(chat: Chat) -> Iterator[Block]:
    raise UnsupportedByReference(f"the text of {len(chat.turns)} turns comes from the template")
