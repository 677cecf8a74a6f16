"""What a hand-written family declares. Everything else (encoding, attribution, masks, bridge) is shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.parsing.parse import ResponseFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokenspec_reference.renderers.attribute import Straddle
    from tokenspec_reference.renderers.chat import Chat
    from tokenspec_reference.renderers.media.format import MediaFormat
    from tokenspec_reference.renderers.segments import Block


@dataclass(frozen=True)
class Family:
    """One wire format.

    ``segments`` yields its blocks in the order of the text, without the generation prompt, and raises one of
    ``REJECTIONS`` where the template refuses the conversation. ``generation_prompt`` is what
    ``add_generation_prompt=True`` appends, empty where the template appends nothing.
    ``response`` tells how completions are read. ``history_before_results`` gives a short history that puts the format
    into the state of a prompt with the given control tokens, for formats whose text depends on far history.
    ``closes_by_next_marker`` says that a turn ends with the marker of the next one. ``media`` says what pictures and
    videos are expanded to; None where that is not described.
    """

    segments: Callable[[Chat], Iterator[Block]]
    generation_prompt: Callable[[Chat], str]
    stop_tokens: tuple[str, ...]
    response: ResponseFormat = field(default_factory=ResponseFormat)
    history_before_results: Callable[[frozenset[str]], Sequence[Mapping[str, Any]]] | None = None
    closes_by_next_marker: bool = False
    straddle: Straddle = "first-char"
    media: MediaFormat | None = None


@dataclass(frozen=True)
class Revisions:
    """A wire format whose template circulates in several revisions.

    ``family`` declares the revision of a name. ``markers`` are pairs of name and marker: the first marker that stands
    in a row's template names its revision. The last marker is empty, so the last name is also the default.
    """

    family: Callable[[str], Family]
    markers: tuple[tuple[str, str], ...]

    def name_in(self, chat_template: str) -> str:
        """Name of the revision that the text of a chat template belongs to."""
        return next(name for name, marker in self.markers if marker in chat_template)


def always(prompt: str) -> Callable[[Chat], str]:
    """A generation prompt that is the same for every conversation."""
    return lambda _chat: prompt
