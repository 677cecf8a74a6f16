"""``TemplateRenderer``: the renderer of any Jinja chat template, with attribution by provenance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import InvalidMessages, TemplateRejects, TokenSpecError
from tokenspec_reference.renderers.attribute import Encoding, IdProfile, Straddle, encode_and_attribute
from tokenspec_reference.renderers.chat import FROZEN_CLOCK, Chat, Profile, build_chat, tool_names
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.rendered import RenderedTokens
from tokenspec_reference.renderers.segments import OUTSIDE, Span

from .limits import Limits, TemplateLimitExceeded
from .ownership import Piece, Stretch, assign_owners, is_body, is_supplied
from .provenance import DERIVED, Origin, runs_of
from .sampled import GenerationPrompt, Wire, opener_length, sampled_end, turns
from .sandbox import clock
from .tracking import STATE, RenderState, compile_template, reads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from jinja2 import Template

    from .values import ValueTable


@dataclass(frozen=True)
class Provenance:
    """A rendered text and where its characters came from.

    ``spans`` tile the text: owner, content and sampled per character. ``origins`` parallel them: message and field path
    of the value, None for template text. ``unattributed`` are the ranges whose characters the template computed
    (lengths, indices, truth values): nothing is claimed about them beyond the turn they stand in.
    """

    text: str
    spans: list[Span]
    origins: list[Origin | None]
    unattributed: list[tuple[int, int]]


@dataclass(frozen=True)
class _Printed:
    text: str
    pieces: list[Piece]
    table: ValueTable


class TemplateRenderer:
    """Render with any chat template. Pure: equal inputs give equal outputs, nothing is kept between calls."""

    def __init__(
        self,
        tokenizer: Any,
        chat_template: str | None = None,
        *,
        encoding: Encoding = "hf",
        id_profile: IdProfile = "canonical",
        straddle: Straddle = "first-char",
        profile: Profile = "hf5",
        now: datetime = FROZEN_CLOCK,
        wire: Wire | None = None,
        limits: Limits | None = None,
        **template_kwargs: Any,
    ) -> None:
        """Compile ``chat_template`` (the tokenizer's own when None).

        Raises:
            InvalidTemplate: when it is not Jinja.
            TokenSpecError: when there is no template at all.
        """
        source = chat_template if chat_template is not None else getattr(tokenizer, "chat_template", None)
        if not isinstance(source, str):
            raise TokenSpecError("the tokenizer has no chat template; pass one", field="chat_template")
        self.tokenizer = tokenizer
        self.chat_template = source
        self.encoding = encoding
        self.id_profile = id_profile
        self.straddle = straddle
        self.profile = profile
        self.now = now
        self.wire = wire or Wire()
        self.limits = limits or Limits()
        self.template_kwargs = template_kwargs
        self._template: Template = compile_template(source, profile, self.limits)
        self._encoder = Encoder(tokenizer, source)

    @property
    def reads(self) -> frozenset[str]:
        """Keyword arguments the template reads."""
        return reads(self.chat_template)

    def render(
        self,
        messages: Any,
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        **options: Any,
    ) -> RenderedTokens:
        """Text, ids and masks of a conversation; see :class:`RenderedTokens`.

        Raises:
            TemplateRejects: exactly where the template raises.
            InvalidMessages: when the conversation is no JSON or is empty.
            TemplateLimitExceeded: when the template runs away.
        """
        chat = self._chat(messages, tools, add_generation_prompt, options)
        found = self._provenance(chat)
        tokens = encode_and_attribute(
            self._encoder,
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
        )

    def render_ids(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False, **options: Any
    ) -> list[int]:
        """The token ids of :meth:`render`."""
        return self.render(
            messages, tools=tools, add_generation_prompt=add_generation_prompt, **options
        ).token_ids

    def provenance(
        self, messages: Any, *, tools: Any = None, add_generation_prompt: bool = False, **options: Any
    ) -> Provenance:
        """The text and the origin of every character, without encoding it."""
        return self._provenance(self._chat(messages, tools, add_generation_prompt, options))

    def _chat(
        self, messages: Any, tools: Any, add_generation_prompt: bool, options: Mapping[str, Any]
    ) -> Chat:
        return build_chat(
            messages,
            tools=tools,
            options={**self.template_kwargs, **options},
            add_generation_prompt=add_generation_prompt,
            profile=self.profile,
            now=self.now,
        )

    # --- printing
    def _print(self, chat: Chat, *, add_generation_prompt: bool) -> _Printed:
        """Run the template over tracked values."""
        state = RenderState(self.limits)
        track = state.table.track
        values = {
            "strftime_now": clock(chat.now),
            **self._special_tokens,
            **{name: track(value, OUTSIDE, (name,)) for name, value in chat.options.items()},
            "messages": [track(dict(turn.message), turn.index, ()) for turn in chat.turns],
            "tools": track(chat.tools, OUTSIDE, ("tools",)),
            "add_generation_prompt": add_generation_prompt,
            STATE: state,
        }
        values.setdefault("documents", None)
        pieces: list[Piece] = []
        texts: list[str] = []
        size = 0
        try:
            for piece in self._template.root_render_func(self._template.new_context(values)):
                size += len(piece)
                self.limits.check_size(size)
                texts.append(piece)
                pieces.append(Piece(runs_of(piece), state.message))
            text = "".join(texts)
        except TokenSpecError:
            raise
        except RecursionError as error:
            raise TemplateLimitExceeded("the template recurses without end", field="chat_template") from error
        except Exception as error:
            raise TemplateRejects(f"{type(error).__name__}: {error}", field="messages") from error
        return _Printed(str.__str__(text), pieces, state.table)

    @cached_property
    def _special_tokens(self) -> dict[str, Any]:
        return dict(getattr(self.tokenizer, "special_tokens_map", None) or {})

    # --- attributing
    def _provenance(self, chat: Chat) -> Provenance:
        printed = self._print(chat, add_generation_prompt=chat.add_generation_prompt)
        stretches = assign_owners(printed.pieces, printed.table)
        prompts = list(self._history_prompts)
        prompt_start = len(printed.text)
        if chat.add_generation_prompt:
            prompt_start = self._prompt_start(chat, printed, stretches)
            prompts.append(self._prompt(printed, prompt_start))
            stretches = _disowned(stretches, prompt_start)
        roles = [turn.role for turn in chat.turns]
        spans = self._spans(printed, stretches, roles, prompts)
        return spans

    def _prompt_start(self, chat: Chat, printed: _Printed, stretches: Sequence[Stretch]) -> int:
        """Where the text with and the text without generation prompt part, behind the last body."""
        without = self._print(chat, add_generation_prompt=False).text
        last_body = max((s.end for s in stretches if is_body(s.origin, printed.table)), default=0)
        return max(len(commonprefix([printed.text, without])), last_body)

    def _prompt(self, printed: _Printed, start: int) -> GenerationPrompt:
        edges, position = [], 0
        for piece in printed.pieces:
            position += sum(length for length, _ in piece.runs)
            if position > start:
                edges.append(position - start)
        return GenerationPrompt.of(printed.text[start:], edges, self._added_tokens)

    @cached_property
    def _history_prompts(self) -> tuple[GenerationPrompt, ...]:
        """The generation prompt of a one-message conversation: what assistant turns of a history begin with."""
        chat = self._chat([{"role": "user", "content": "x"}], None, True, {})
        try:
            printed = self._print(chat, add_generation_prompt=True)
            stretches = assign_owners(printed.pieces, printed.table)
            start = self._prompt_start(chat, printed, stretches)
        except TemplateRejects:
            return ()
        return (self._prompt(printed, start),)

    @cached_property
    def _added_tokens(self) -> re.Pattern[str]:
        texts = sorted(self._encoder.added.values(), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, texts)) or "(?!)")

    @cached_property
    def _closers(self) -> tuple[str, ...]:
        if self.wire.assistant_close:
            return self.wire.assistant_close
        special = getattr(self.tokenizer, "all_special_tokens", None) or ()
        return tuple(str(token) for token in special)

    def _spans(
        self, printed: _Printed, stretches: list[Stretch], roles: list[str], prompts: list[GenerationPrompt]
    ) -> Provenance:
        text, table = printed.text, printed.table
        spans: list[Span] = []
        origins: list[Origin | None] = []
        for first, stop in turns(stretches):
            members = stretches[first:stop]
            owner = members[0].owner
            low = high = members[0].start
            if owner >= 0 and roles[owner] == "assistant":
                low, high = self._sampled(text, members, table, prompts)
            for stretch in members:
                supplied = is_supplied(stretch.origin, table)
                body = is_body(stretch.origin, table)
                for start, end, sampled in _cuts(stretch, low, high):
                    content = sampled if high > low or roles[owner : owner + 1] == ["assistant"] else body
                    spans.append(Span(start, end, owner, content, sampled, supplied))
                    origins.append(table.origins[stretch.origin] if supplied else None)
        derived = [(s.start, s.end) for s in stretches if s.origin == DERIVED]
        return Provenance(text, spans, origins, derived)

    def _sampled(
        self, text: str, members: Sequence[Stretch], table: ValueTable, prompts: list[GenerationPrompt]
    ) -> tuple[int, int]:
        start, end = members[0].start, members[-1].end
        bodies = [s for s in members if is_body(s.origin, table)]
        body_start = bodies[0].start if bodies else end
        low = start + opener_length(text[start:end], body_start - start, self.wire, prompts)
        after = max(low, bodies[-1].end if bodies else low)
        return low, sampled_end(text, after, end, self._closers)


def _disowned(stretches: list[Stretch], start: int) -> list[Stretch]:
    """Everything behind ``start`` is the generation prompt and belongs to no message."""
    out: list[Stretch] = []
    for stretch in stretches:
        if stretch.end <= start:
            out.append(stretch)
        elif stretch.start >= start:
            out.append(stretch._replace(owner=OUTSIDE))
        else:
            out += [stretch._replace(end=start), stretch._replace(start=start, owner=OUTSIDE)]
    return out


def _cuts(stretch: Stretch, low: int, high: int) -> list[tuple[int, int, bool]]:
    """The stretch cut at the borders of the sampled region."""
    borders = sorted(
        {stretch.start, stretch.end, *(x for x in (low, high) if stretch.start < x < stretch.end)}
    )
    return [(a, b, low <= a and b <= high) for a, b in zip(borders, borders[1:], strict=False)]


__all__ = ["InvalidMessages", "Provenance", "TemplateRenderer"]
