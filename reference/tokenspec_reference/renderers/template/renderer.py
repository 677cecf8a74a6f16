"""``TemplateRenderer``: the renderer of any Jinja chat template, with attribution by provenance."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.attribute import Encoding, IdProfile, Straddle, encode_and_attribute
from tokenspec_reference.renderers.chat import FROZEN_CLOCK, Chat, Normalisation, build_chat, tool_names
from tokenspec_reference.renderers.continuation import continue_final_message
from tokenspec_reference.renderers.encode import Encoder, any_of
from tokenspec_reference.renderers.media.kimi import KIMI_K2_5_MEDIA
from tokenspec_reference.renderers.media.medium import refuse_media
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens, UnattributedTokens
from tokenspec_reference.renderers.template_turns import TemplateTurns, turns_of_template

from .limits import Limits
from .ownership import assign_owners, disowned, with_last_closer
from .printer import Printer
from .reads import has_constant_prompt, reads
from .sampled import GenerationPrompt, is_another_speaker
from .spans import Attributor, Provenance
from .tracking import compile_template
from .turn_starts import TurnStarts
from .wire import Probe, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tokenspec_reference.renderers.parsing import ParsedResponse
    from tokenspec_reference.renderers.parsing.streaming import ResponseStream
    from tokenspec_reference.renderers.resolution import Resolution
    from tokenspec_reference.renderers.segments import Span
    from tokenspec_reference.renderers.token_text import CharSpans


MEDIA_TOKEN = re.compile(r"<\|?(?:image|video|audio|media)(?:_pad|_token|_soft_token)?\|?>")
"""Names of the tokens that stand for media: ``<|image_pad|>``, ``<|video|>``, ``<image_soft_token>``."""


class TemplateRenderer:
    """Render with any chat template. Equal inputs give equal outputs; only compiled code is kept between calls."""

    def __init__(
        self,
        tokenizer: Any,
        chat_template: str | None = None,
        *,
        encoding: Encoding = "hf",
        id_profile: IdProfile = "canonical",
        straddle: Straddle = "first-char",
        normalisation: Normalisation = "hf5",
        now: datetime = FROZEN_CLOCK,
        wire: Wire | None = None,
        limits: Limits | None = None,
        **template_kwargs: Any,
    ) -> None:
        """Compile the template.

        Args:
            tokenizer: any object with ``encode(text, add_special_tokens=False)``; its ``special_tokens_map`` is what
                the template sees as ``bos_token`` and the like.
            chat_template: template text, by default the tokenizer's.
            encoding: ``hf`` or ``isolated``, see :class:`Encoder`.
            id_profile: ``canonical`` or ``sampled-boundary``.
            straddle: which side owns a token that covers scaffold and body.
            normalisation: how messages are prepared, as transformers 5 (``hf5``) or 4.57 (``hf4``) does it.
            now: what ``strftime_now`` gives.
            wire: openers and closers of assistant turns; derived from the template when None.
            limits: bounds for the template.
            **template_kwargs: as in ``apply_chat_template``; also ``continue_final_message``.

        Raises:
            InvalidTemplate: when it is not Jinja.
            TokenSpecError: when there is no template.
        """
        source = chat_template if chat_template is not None else getattr(tokenizer, "chat_template", None)
        if not isinstance(source, str):
            got = "the tokenizer has none" if source is None else f"got {type(source).__name__}"
            raise TokenSpecError(f"expected one template's text, {got}; pass chat_template=", field="chat_template")
        self.tokenizer = tokenizer
        self.chat_template = source
        self.encoding = encoding
        self.id_profile = id_profile
        self.straddle = straddle
        self.normalisation = normalisation
        self.now = now
        self.wire = wire or Wire()
        self.options: Mapping[str, Any] = template_kwargs
        self.resolution: Resolution | None = None
        self._has_warned = False
        self.encoder = Encoder(tokenizer, source)
        limits = limits or Limits()
        self._special_tokens: dict[str, Any] = dict(getattr(tokenizer, "special_tokens_map", None) or {})
        self._print = Printer(compile_template(source, normalisation, limits), self._special_tokens, limits)

    @property
    def reads(self) -> frozenset[str]:
        """Variables the template takes from outside."""
        return reads(self.chat_template)

    def render(
        self,
        messages: Any,
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
        **options: Any,
    ) -> RenderedTokens:
        """Text, ids and masks of a conversation; ``options`` add to the renderer's template keywords.

        Raises:
            UnsupportedByReference: media to expand: no template says what its processor writes for them.
            TemplateRejects: exactly where the template raises.
            InvalidMessages: the conversation is empty or no JSON.
            TemplateLimitExceeded: the template runs away.
        """
        if process_multimodal:
            refuse_media(messages)
        chat, found = self._attributed(messages, tools, add_generation_prompt, options)
        tokens = encode_and_attribute(
            self.encoder,
            found.text,
            found.spans,
            encoding=self.encoding,
            id_profile=self.id_profile,
            straddle=self.straddle,
        )
        return RenderedTokens(
            token_ids=tokens.token_ids,
            message_indices=tokens.message_indices,
            sampled_mask=tokens.sampled_mask,
            is_content=tokens.is_content,
            message_roles=[turn.role for turn in chat.turns],
            message_tool_names=tool_names(chat.turns),
            char_spans=tokens.char_spans,
            text=found.text,
            unattributed=self._told(found, tokens.char_spans),
        )

    def render_ids(
        self,
        messages: Any,
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
        **options: Any,
    ) -> list[int]:
        """The token ids of :meth:`render`."""
        return self.render(
            messages,
            tools=tools,
            add_generation_prompt=add_generation_prompt,
            process_multimodal=process_multimodal,
            **options,
        ).token_ids

    def provenance(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False, **options: Any
    ) -> Provenance:
        """The text and the origin of every character, without encoding it."""
        return self._attributed(messages, tools, add_generation_prompt, options)[1]

    def render_parts(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """The text, its attributed spans and the normalised conversation, without encoding anything."""
        chat, found = self._attributed(messages, tools, add_generation_prompt, {})
        return found.text, found.spans, chat

    def render_text(self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False) -> str:
        """The text alone: as ``provenance(...).text``, in less than half the time.

        Raises:
            TokenSpecError: as for :meth:`render`.
        """
        if self.options.get("continue_final_message"):
            return self.provenance(messages, tools=tools, add_generation_prompt=add_generation_prompt).text
        return self._print.text(
            self._chat(messages, tools, add_generation_prompt, self.options),
            add_generation_prompt=add_generation_prompt,
        )

    # --- completions, as far as the template shows how it writes a turn
    @property
    def is_prefix_stable(self) -> bool:
        """Whether full renders that end in an assistant turn stay prefixes when messages follow, on the witnesses."""
        from tokenspec_reference.renderers.stability import first_unstable

        return first_unstable(lambda messages, tools: self.provenance(messages, tools=tools).text) is None

    @property
    def stop_ids(self) -> frozenset[int]:
        """Ids that end a completion: the stop tokens, and the tokenizer's end of sequence."""
        return self._turns.stop_ids

    def get_stop_token_ids(self) -> list[int]:
        """Ids that end an assistant turn.

        Raises:
            UnsupportedByReference: no control token is known that ends one.
        """
        return self._turns.get_stop_token_ids()

    def parse_response(
        self, token_ids: Sequence[int], *, tools: Any = None, prompt_ids: Sequence[int] | None = None
    ) -> ParsedResponse:
        """Content, reasoning and calls of sampled ids.

        Raises:
            UnsupportedByReference: the template writes thoughts or calls in no known notation.
        """
        return self._turns.parse_response(token_ids, tools=tools, prompt_ids=prompt_ids)

    def stream_parser(self, *, tools: Any = None, prompt_ids: Sequence[int] | None = None) -> ResponseStream:
        """The same as the completion comes: see :meth:`tokenspec_reference.renderers.renderer.Renderer.stream_parser`.

        Raises:
            UnsupportedByReference: as :meth:`parse_response`.
        """
        return self._turns.stream_parser(tools=tools, prompt_ids=prompt_ids)

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
        """The next prompt, or None where it declines; see :meth:`Renderer.bridge_to_next_turn`.

        Raises:
            UnsupportedByReference: as for :meth:`parse_response`.
        """
        return self._turns.bridge_to_next_turn(
            previous_prompt_ids,
            previous_completion_ids,
            new_messages,
            tools=tools,
            previous_multi_modal_data=previous_multi_modal_data,
            process_multimodal=process_multimodal,
        )

    @cached_property
    def _turns(self) -> TemplateTurns:
        markers = () if self._turn_closers else self._probe.next_markers()
        closers = self._closers or markers
        by_next_marker = not set(markers).isdisjoint(closers)
        return turns_of_template(
            self, closers=closers, stops=self.wire.stops, by_next_marker=by_next_marker, earlier=self._earlier
        )

    def _earlier(self) -> TemplateRenderer:
        """The same template as transformers 4 renders it: with what is null in a message."""
        return TemplateRenderer(
            self.tokenizer, self.chat_template, normalisation="hf4", now=self.now, wire=self.wire, **self.options
        )

    @cached_property
    def _closers(self) -> tuple[str, ...]:
        """What ends an assistant turn: as the row states it, else as the template shows it."""
        return tuple(filter(self.encoder.has, self.wire.assistant_close or self._turn_closers))

    def _chat(self, messages: Any, tools: Any, add_generation_prompt: bool, options: Mapping[str, Any]) -> Chat:
        return build_chat(
            messages,
            tools=tools,
            options={name: value for name, value in options.items() if name != "continue_final_message"},
            add_generation_prompt=add_generation_prompt,
            normalisation=self.normalisation,
            now=self.now,
        )

    def _attributed(
        self, messages: Any, tools: Any, add_generation_prompt: bool, options: Mapping[str, Any]
    ) -> tuple[Chat, Provenance]:
        keywords = {**self.options, **options}
        wanted = keywords.pop("continue_final_message", False)
        chat = self._chat(messages, tools, add_generation_prompt, keywords)
        if not wanted:
            return chat, self._provenance(chat)
        tagged, continued = continue_final_message(chat, wanted, self.chat_template, self.normalisation)
        found = self._provenance(tagged)
        text, spans = continued.cut(found.text, found.spans)
        computed, unattributed = (
            [(start, min(end, len(text))) for start, end in ranges if start < len(text)]
            for ranges in (found.computed, found.unattributed)
        )
        return chat, Provenance(text, spans, found.origins[: len(spans)], computed, unattributed)

    def _provenance(self, chat: Chat) -> Provenance:
        printed = self._print(chat, add_generation_prompt=chat.add_generation_prompt)
        bos = self._special_tokens.get("bos_token")
        stretches = assign_owners(
            printed.text,
            printed.pieces,
            printed.table,
            bos=bos if isinstance(bos, str) else "",
            closers=self._turn_closers,
        )
        prompts = self._history_prompts
        prompt = ""
        if chat.add_generation_prompt:
            usual = prompts[0].text if prompts else ""
            prompts = (*prompts, self._probe.prompt_in(chat, printed, stretches, usual))
            prompt = prompts[-1].text
        stretches = with_last_closer(printed.text, stretches, chat.turns[-1].index, self._stop_tokens)
        stretches = disowned(stretches, len(printed.text) - len(prompt), len(printed.text))
        if printed.text.endswith(self._standing_prompt):
            stretches = disowned(stretches, len(printed.text) - len(self._standing_prompt), len(printed.text))
        attribute = Attributor(
            text=printed.text,
            table=printed.table,
            roles=[turn.role for turn in chat.turns],
            starts={} if self.wire.assistant_open else self._turn_starts(chat, printed, stretches),
            header=GenerationPrompt("", frozenset()) if self.wire.assistant_open else self._header,
            never_prompts=self._ignores_the_flag and not self._standing_prompt and not self._prompts_users,
            always_prompts=bool(self._standing_words.strip()),
            is_quoted=not self.wire.assistant_open and self._quotes_assistants,
            prompts=prompts,
            openers=self.wire.assistant_open,
            turn_closers=() if self.wire.assistant_close else self._turn_closers,
            closers=self._stop_tokens,
            next_openers=self.wire.assistant_close or self._turn_closers or self._stop_tokens,
            placeholders=[name for name in self._placeholders if name in printed.text],
        )
        return attribute(stretches)

    def _told(self, found: Provenance, placed: CharSpans) -> list[tuple[int, int]]:
        """Token ranges of what is unattributed; the first time somebody meets some, they are warned."""
        if not found.unattributed:
            return []
        if not self._has_warned:
            self._has_warned = True
            start, end = found.unattributed[0]
            warnings.warn(
                f"{found.text[start:end]!r} stands in a turn of the assistant, and the template does not show whether "
                "the model writes it: it is not trained (RenderedTokens.unattributed). "
                "Say what opens an assistant turn with wire=Wire(assistant_open=(...,)).",
                UnattributedTokens,
                stacklevel=3,
            )
        starts = [start for start, _ in placed]
        return [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in found.unattributed]

    # --- what the template shows about its turns, found once
    @cached_property
    def _probe(self) -> Probe:
        def build(messages: Any, tools: Any) -> Chat:
            return self._chat(messages, tools, False, self.options)

        added_tokens = any_of(self.encoder.added.values())
        eos = self._special_tokens.get("eos_token")
        return Probe(self._print, build, added_tokens, self._stop_tokens, eos if isinstance(eos, str) else "")

    @cached_property
    def _history_prompts(self) -> tuple[GenerationPrompt, ...]:
        """What the assistant turns of a history begin with."""
        prompt = self._header if self._prompts_users else self._probe.generation_prompt()
        return (prompt,) if prompt else ()

    @cached_property
    def _turn_starts(self) -> TurnStarts:
        return TurnStarts(self._print, has_constant_prompt(self.chat_template))

    @cached_property
    def _header(self) -> GenerationPrompt:
        """What the assistant turns of a history begin with by their own looks; where they own no header, the prompt."""
        own = self._probe.header()
        return own if own.text else self._probe.generation_prompt() or own

    @cached_property
    def _ignores_the_flag(self) -> bool:
        return self._probe.ignores_the_flag()

    @cached_property
    def _standing_prompt(self) -> str:
        """The prompt that stands at the end of every text."""
        return self._probe.standing_prompt(self._header.text) if self._ignores_the_flag else ""

    @cached_property
    def _standing_words(self) -> str:
        """The same where it is more than a stop token."""
        return "" if self._standing_prompt.strip() in self._stop_tokens else self._standing_prompt

    @cached_property
    def _quotes_assistants(self) -> bool:
        """Whether a model is prompted as another speaker than the assistant of a history."""
        prompts = "".join(prompt.text for prompt in self._history_prompts)
        prompt = self._standing_words if self._ignores_the_flag else prompts
        return is_another_speaker(prompt, self._probe.in_front())

    @cached_property
    def _prompts_users(self) -> bool:
        """Whether the flag changes nothing because a user's message is always followed by the header."""
        return self._ignores_the_flag and self._probe.prompts_users(self._header.text)

    @cached_property
    def _turn_closers(self) -> tuple[str, ...]:
        """Tokens that end a turn."""
        return self._probe.closers()

    @cached_property
    def _stop_tokens(self) -> tuple[str, ...]:
        """Tokens an assistant turn can end with: what the row states, else every special token."""
        if self.wire.assistant_close:
            return self.wire.assistant_close
        decoder = getattr(self.tokenizer, "added_tokens_decoder", None) or {}
        special = [token.content for token in decoder.values() if getattr(token, "special", False)]
        named = [token for token in self._special_tokens.values() if isinstance(token, str)]
        return tuple(dict.fromkeys(filter(None, (*special, *named))))

    @cached_property
    def _placeholders(self) -> tuple[str, ...]:
        """Return the placeholders that the template writes for parts.

        They are what the row states, else added tokens named like one and those of Kimi: its placeholder of a video is
        no token of the vocabulary, so nothing but its name tells it.
        """
        named = tuple(filter(MEDIA_TOKEN.fullmatch, self.encoder.added.values()))
        return self.wire.placeholders or (*named, *KIMI_K2_5_MEDIA.pads.values())
