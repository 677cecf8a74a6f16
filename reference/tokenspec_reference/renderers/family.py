"""What a hand-written family declares. Everything else (encoding, attribution, masks, bridge) is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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
    ``default_variant`` says otherwise for a family that shares its module with a sibling.
    """

    name: str
    segments: Segments
    generation_prompt: GenerationPrompt
    stop_tokens: tuple[str, ...]
    variants: tuple[tuple[str, str], ...] = (("", ""),)
    straddle: Straddle = "first-char"
    default_variant: str | None = None

    def variant_of(self, chat_template: str | None) -> str:
        """Name of the template revision a chat template text belongs to."""
        if chat_template is None and self.default_variant is not None:
            return self.default_variant
        return next(name for name, marker in self.variants if marker in (chat_template or ""))
