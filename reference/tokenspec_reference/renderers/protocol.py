"""What every renderer answers: those written by hand for a family, and the one of any chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tokenspec_reference.renderers.attribute import Encoding, IdProfile, Straddle
    from tokenspec_reference.renderers.chat import Chat, Normalisation
    from tokenspec_reference.renderers.encode import Encoder
    from tokenspec_reference.renderers.parsing.parsed import ParsedResponse
    from tokenspec_reference.renderers.parsing.streaming import ResponseStream
    from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens
    from tokenspec_reference.renderers.resolution import Resolution
    from tokenspec_reference.renderers.segments import Span

Message = Mapping[str, Any]


class RendersConversations(Protocol):
    """The part of a renderer that training samples are built with."""

    def render(
        self,
        messages: Sequence[Message],
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
    ) -> RenderedTokens:
        """Ids, owners and masks of a conversation."""
        ...

    def get_stop_token_ids(self) -> list[int]:
        """Ids that end an assistant turn; the first is the template's own."""
        ...


class ChatRenderer(RendersConversations, Protocol):
    """What ``create_renderer`` returns. ``options`` are the keywords of the template that it was made with."""

    @property
    def tokenizer(self) -> Any: ...
    @property
    def encoder(self) -> Encoder: ...
    @property
    def chat_template(self) -> str | None: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def encoding(self) -> Encoding: ...
    @property
    def id_profile(self) -> IdProfile: ...
    @property
    def straddle(self) -> Straddle: ...
    @property
    def normalisation(self) -> Normalisation: ...
    @property
    def now(self) -> datetime: ...
    @property
    def resolution(self) -> Resolution | None: ...
    @property
    def stop_ids(self) -> frozenset[int]:
        """Ids that end a completion: the stop tokens, and the tokenizer's end of sequence."""
        ...

    @property
    def is_prefix_stable(self) -> bool:
        """Whether renders that end in an assistant turn stay prefixes when messages follow."""
        ...

    def render_ids(
        self,
        messages: Sequence[Message],
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
        process_multimodal: bool = False,
    ) -> list[int]:
        """The ids of ``render`` alone."""
        ...

    def render_text(
        self, messages: Sequence[Message], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> str:
        """The text alone."""
        ...

    def render_parts(
        self, messages: Sequence[Message], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span], Chat]:
        """The text, its attributed spans and the normalised conversation; nothing is encoded."""
        ...

    def parse_response(
        self, token_ids: Sequence[int], *, tools: Any = None, prompt_ids: Sequence[int] | None = None
    ) -> ParsedResponse:
        """Content, reasoning and calls of sampled ids."""
        ...

    def stream_parser(self, *, tools: Any = None, prompt_ids: Sequence[int] | None = None) -> ResponseStream:
        """The same in chunks, as the completion comes."""
        ...

    def bridge_to_next_turn(
        self,
        previous_prompt_ids: Sequence[int],
        previous_completion_ids: Sequence[int],
        new_messages: Sequence[Message],
        *,
        tools: Any = None,
        previous_multi_modal_data: MultiModalData | None = None,
        process_multimodal: bool = False,
    ) -> RenderedTokens | None:
        """The next prompt, or None where the bridge declines."""
        ...
