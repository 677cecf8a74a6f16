"""The renderer: a family, a tokenizer and fixed options, giving tokens with full attribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TemplateRejects, TokenSpecError
from tokenspec_reference.renderers.attribute import Encoding, IdProfile, Straddle, encode_and_attribute
from tokenspec_reference.renderers.chat import FROZEN_CLOCK, Chat, Normalisation, build_chat, tool_names
from tokenspec_reference.renderers.continuation import ContinuedMessage, continue_final_message
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.media.expand import ConversationMedia, token_types
from tokenspec_reference.renderers.media.medium import media_of, refuse_media
from tokenspec_reference.renderers.parsing.call_formats import ToolSchemas
from tokenspec_reference.renderers.parsing.completion import check_ids, list_of_ids, read_completion
from tokenspec_reference.renderers.parsing.parse import ResponseFormat, parse_completion
from tokenspec_reference.renderers.parsing.parsed import ParsedResponse
from tokenspec_reference.renderers.parsing.streaming import ResponseStream
from tokenspec_reference.renderers.parsing.thought import PromptThought, read_prompt
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens
from tokenspec_reference.renderers.segments import OUTSIDE, Span, block, place, scaffold
from tokenspec_reference.renderers.template_values import REJECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec_reference.renderers.resolution import Resolution

PROMPT_TAIL = 64
"""How many tokens at the end of a prompt are searched for an open thought; keeps parsing independent of its length."""


@dataclass(frozen=True)
class Renderer:
    """Renders conversations of one family; immutable, so one instance can serve all threads.

    Use :func:`tokenspec_reference.renderers.create_renderer` to make one.
    """

    family: Family
    encoder: Encoder
    options: Mapping[str, Any] = field(default_factory=dict)
    encoding: Encoding = "hf"
    id_profile: IdProfile = "canonical"
    straddle: Straddle = "first-char"
    normalisation: Normalisation = "hf5"
    now: datetime = FROZEN_CLOCK
    chat_template: str | None = None
    resolution: Resolution | None = None

    @property
    def tokenizer(self) -> Any:
        """The tokenizer as given."""
        return self.encoder.tokenizer

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
    ) -> RenderedTokens:
        """Render a conversation to tokens with owner, role and kind of each.

        Text and ids equal ``apply_chat_template`` of the row's template (``encoding="hf"``, canonical ids). With
        ``process_multimodal`` every picture and video has as many placeholders as the publisher's processor writes for
        it (see :mod:`tokenspec_reference.renderers.media`); without, one each, as the template writes it.

        Raises:
            InvalidMessages: the conversation is malformed; ``field`` names the place.
            TemplateRejects: the row's template refuses it.
            MediaRefused: the publisher's processor refuses a picture or video.
            UnsupportedByReference: the family's media are not described, or a picture has to be opened without Pillow.
        """
        media = self.media_of(messages) if process_multimodal else None
        text, spans, chat = (
            self.render_parts(messages, tools=tools, add_generation_prompt=add_generation_prompt)
            if media is None
            else self.expanded_parts(messages, media, tools=tools, add_generation_prompt=add_generation_prompt)
        )
        found = encode_and_attribute(
            self.encoder,
            text,
            spans,
            encoding=self.encoding,
            id_profile=self.id_profile,
            straddle=self.straddle,
        )
        return RenderedTokens(
            token_ids=found.token_ids,
            message_indices=found.message_indices,
            sampled_mask=found.sampled_mask,
            is_content=found.is_content,
            message_roles=[turn.role for turn in chat.turns],
            message_tool_names=self.tool_names_of(chat),
            char_spans=found.char_spans,
            text=text,
            multi_modal_data=None if media is None else media.placed(found.token_ids, self.encoder),
            mm_token_type_ids=[] if media is None else token_types(found.token_ids, media.format, self.encoder),
        )

    def render_parts(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """The text, its attributed spans and the normalised conversation, without encoding anything."""
        chat = self._chat(messages, tools, add_generation_prompt=add_generation_prompt)
        return *self._text_and_spans(chat), chat

    def render_text(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> str:
        """The text alone."""
        return self.render_parts(messages, tools=tools, add_generation_prompt=add_generation_prompt)[0]

    def expanded_parts(
        self,
        messages: Sequence[Mapping[str, Any]],
        media: ConversationMedia,
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
    ) -> tuple[str, list[Span], Chat]:
        """The same with the media of the messages expanded."""
        chat = self._chat(messages, tools, add_generation_prompt=add_generation_prompt)
        return *self._text_and_spans(chat, media), chat

    def render_ids(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
    ) -> list[int]:
        """Only the ids of :meth:`render`."""
        return self.render(
            messages,
            tools=tools,
            add_generation_prompt=add_generation_prompt,
            process_multimodal=process_multimodal,
        ).token_ids

    def media_of(self, messages: Any, field: str = "messages") -> ConversationMedia | None:
        """The media of messages with what is written for each; None where there are none and the family knows none.

        ``field`` is what errors call the messages.

        Raises:
            UnsupportedByReference: the family's media are not described.
            InvalidMessages, MediaRefused: as :meth:`render`.
        """
        if self.family.media is None:
            refuse_media(messages)
            return None
        return ConversationMedia.of(self.family.media, media_of(messages, field))

    def tool_names_of(self, chat: Chat) -> list[str | None]:
        """Per message, the tool a result answers; None for all other messages."""
        return tool_names(chat.turns)

    def get_stop_token_ids(self) -> list[int]:
        """Ids that end an assistant turn; the first one is the family's own turn closer.

        Raises:
            TokenSpecError: the tokenizer lacks the family's closer.
        """
        own, *others = self.family.stop_tokens
        known = [token for token in others if self.encoder.has(token)]
        return [self.encoder.id_of(token) for token in (own, *known)]

    def parse_response(
        self, token_ids: Sequence[int], *, tools: Any = None, prompt_ids: Sequence[int] | None = None
    ) -> ParsedResponse:
        """Content, reasoning and calls of sampled ids, read up to the first stop token.

        ``prompt_ids`` tell whether the prompt opened a thought; without them the renderer's own generation prompt does.
        """
        view = read_completion(self.encoder, list_of_ids(token_ids, "token_ids"), self.stop_ids)
        return parse_completion(view, self.response_format(tools), ToolSchemas(tools), self.prompt_thought(prompt_ids))

    def stream_parser(self, *, tools: Any = None, prompt_ids: Sequence[int] | None = None) -> ResponseStream:
        """What ``parse_response`` says, as the completion comes: feed chunks of ids, get what became known with each.

        Example::

            stream = renderer.stream_parser(tools=tools, prompt_ids=prompt_ids)
            deltas = [*(stream.feed(ids) for ids in chunks), stream.finish()]
        """
        form, prompt = self.response_format(tools), self.prompt_thought(prompt_ids)
        return ResponseStream(self.encoder, self.stop_ids, form, ToolSchemas(tools), prompt)

    def response_format(self, tools: Any) -> ResponseFormat:  # noqa: ARG002 - others cannot read all that tools ask for
        """How completions are read where these tools are offered."""
        return self.family.response

    def prompt_thought(self, prompt_ids: Sequence[int] | None) -> PromptThought:
        """What a prompt did with the thought of the turn it opens: this renderer's own prompt when None is given."""
        if prompt_ids is not None:
            check_ids(prompt_ids, "prompt_ids")
        form = self.family.response.thought
        if form is None:
            return PromptThought()
        if prompt_ids is None:
            opening = self._chat([{"role": "user", "content": "q"}], None, add_generation_prompt=False)
            text = self.family.generation_prompt(opening)
            return read_prompt(text, form, text.rfind(form.open), text.rfind(form.close))
        tail = list_of_ids(prompt_ids[-PROMPT_TAIL:], "prompt_ids")
        view = read_completion(self.encoder, tail, frozenset())
        return read_prompt(view.text, form, view.rfind(form.open), view.rfind(form.close))

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
        """The next prompt: exactly prompt + completion, then what the template writes up to the next generation prompt.

        Returns None where it declines (see :mod:`tokenspec_reference.renderers.bridge`); then render everything again.
        The prior part has index -1 and is neither content nor sampled; indices count ``new_messages``; ``text`` and
        ``char_spans`` are left empty, because sampled ids may decode to other text than they were made of.

        With ``process_multimodal`` the media of the new messages are expanded, and ``multi_modal_data`` are those of
        ``previous_multi_modal_data`` with their ranges as they were, followed by the new ones. A prompt that holds
        placeholders which no previous data accounts for is declined.
        """
        from tokenspec_reference.renderers.media.bridging import bridge_as_written, bridge_expanded

        if not process_multimodal:
            return bridge_as_written(self, previous_prompt_ids, previous_completion_ids, new_messages, tools=tools)
        return bridge_expanded(
            self,
            previous_prompt_ids,
            previous_completion_ids,
            new_messages,
            tools=tools,
            previous=previous_multi_modal_data or MultiModalData(),
        )

    @property
    def is_prefix_stable(self) -> bool:
        """Whether full renders of conversations that end in an assistant turn stay prefixes when messages follow.

        Judged on the witnesses of :mod:`tokenspec_reference.renderers.stability`, with this renderer's options.
        """
        from tokenspec_reference.renderers.stability import first_unstable

        def text_of(messages: list[dict[str, Any]], tools: list[Any] | None) -> str:
            return self.render_text(messages, tools=tools)

        return first_unstable(text_of) is None

    @cached_property
    def stop_ids(self) -> frozenset[int]:
        """Ids that end a completion: the family's stop tokens and the tokenizer's own end of sequence."""
        eos = getattr(self.tokenizer, "eos_token_id", None)
        known = {self.encoder.id_of(token) for token in self.family.stop_tokens if self.encoder.has(token)}
        return frozenset(known | ({eos} if isinstance(eos, int) else set()))

    @cached_property
    def _special_tokens(self) -> Mapping[str, Any]:
        """The tokenizer's named special tokens, which a template sees as keyword arguments."""
        named = getattr(self.tokenizer, "special_tokens_map", None)
        return {name: str(token) for name, token in (named or {}).items() if token}

    def _chat(self, messages: Any, tools: Any, *, add_generation_prompt: bool) -> Chat:
        options = {**self._special_tokens, **self.options}
        options.pop("continue_final_message", None)
        return build_chat(
            messages,
            tools=tools,
            options=options,
            add_generation_prompt=add_generation_prompt,
            normalisation=self.normalisation,
            now=self.now,
        )

    def _text_and_spans(self, chat: Chat, media: ConversationMedia | None = None) -> tuple[str, list[Span]]:
        wanted = self.options.get("continue_final_message", False)
        continued: ContinuedMessage | None = None
        if wanted:
            chat, continued = continue_final_message(chat, wanted, self.chat_template, self.normalisation)
        try:
            prompt = self.family.generation_prompt(chat)
            blocks = list(self.family.segments(chat))
            if media is not None:
                if self.encoding == "hf":
                    media.refuse_typed(blocks, chat.tools)
                blocks = media.expand(blocks)
            if chat.add_generation_prompt:
                blocks.append(block(OUTSIDE, scaffold(prompt)))
            text, spans = place(blocks, prompt)
        except TokenSpecError:
            raise
        except REJECTIONS as error:
            named = f"{self.resolution.family} " if self.resolution else ""
            raise TemplateRejects(
                f"the {named}template refuses this conversation: {error}", field="messages"
            ) from error
        return continued.cut(text, spans) if continued else (text, spans)
