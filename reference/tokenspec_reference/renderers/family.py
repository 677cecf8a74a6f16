"""What a hand-written family declares. Everything else (encoding, attribution, masks, bridge) is shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tokenspec_reference.renderers.parsing.parse import ResponseFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.attribute import Straddle
    from tokenspec_reference.renderers.chat import Chat
    from tokenspec_reference.renderers.segments import Block, Segment


class Segments(Protocol):
    """The wire format: blocks in the order of the text, without the generation prompt."""

    def __call__(self, chat: Chat, variant: str) -> Iterator[Block]:
        """Yield the blocks of ``chat``; raise one of ``REJECTIONS`` where the template refuses it."""


class GenerationPrompt(Protocol):
    """What ``add_generation_prompt=True`` appends."""

    def __call__(self, chat: Chat, variant: str) -> tuple[Segment, ...]:
        """Segments of the prompt; empty where the template appends nothing."""


@dataclass(frozen=True)
class Family:
    """One wire format.

    ``variants`` lists the known revisions of the template as ``(name, marker)``: the first revision whose marker stands
    in the row's template is used. The last marker is empty, so the last revision is also the default;
    ``response`` tells how completions are read. ``history_before_results`` gives a short history that puts the format
    into the state of a prompt with the given control tokens, for formats whose text depends on far history.
    ``closes_by_next_marker`` says that a turn ends with the marker of the next one.
    ``default_variant`` says otherwise for a family that shares its module with a sibling.
    """

    name: str
    segments: Segments
    generation_prompt: GenerationPrompt
    stop_tokens: tuple[str, ...]
    variants: tuple[tuple[str, str], ...] = (("", ""),)
    response: ResponseFormat = field(default_factory=ResponseFormat)
    history_before_results: Callable[[frozenset[str]], list[dict[str, Any]]] | None = None
    closes_by_next_marker: bool = False
    straddle: Straddle = "first-char"
    default_variant: str | None = None

    def variant_of(self, chat_template: str | None) -> str:
        """Name of the template revision a chat template text belongs to."""
        if chat_template is None and self.default_variant is not None:
            return self.default_variant
        return next(name for name, marker in self.variants if marker in (chat_template or ""))
