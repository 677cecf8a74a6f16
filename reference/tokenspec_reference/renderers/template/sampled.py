"""Which part of an assistant turn the model emits: from behind the generation prompt through the stop token.

Derived from the template itself, with at most one extra render per renderer. The turn's opener is what it shares with the
generation prompt, cut at a joint of the prompt (an edge of a piece the template prints, an edge of an added token, the end
of a line). The stop is the last closing token in the scaffold behind the body. A row may state both (``Wire``).
"""

from __future__ import annotations

from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from .ownership import Stretch


@dataclass(frozen=True)
class Wire:
    """What is known of a wire format: turn openers, closing tokens, media placeholders that count as body."""

    assistant_open: tuple[str, ...] = ()
    assistant_close: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True)
class GenerationPrompt:
    """A generation prompt and the positions where a turn that is not prompted that far may leave it."""

    text: str
    joints: tuple[int, ...]

    @classmethod
    def of(cls, text: str, edges: Sequence[int], added_tokens: re.Pattern[str]) -> GenerationPrompt:
        """Find the joints of ``text``; ``edges`` are where its printed pieces end."""
        tokens = {edge for match in added_tokens.finditer(text) for edge in match.span()}
        lines = {k + 1 for k, character in enumerate(text) if character == "\n"}
        return cls(text, tuple(sorted({*edges, *tokens, *lines, len(text)})))

    def shared_with(self, turn: str, body_start: int) -> int:
        """How many leading characters of ``turn`` are this prompt. Body is never opener, unless all of it is prompt."""
        if turn.startswith(self.text):
            return len(self.text)
        shared = min(len(commonprefix([turn[: len(self.text)], self.text])), body_start)
        return max((joint for joint in self.joints if joint <= shared), default=0)


def opener_length(turn: str, body_start: int, wire: Wire, prompts: Sequence[GenerationPrompt]) -> int:
    """Characters at the start of an assistant turn that the model did not emit."""
    stated = max((len(opener) for opener in wire.assistant_open if turn.startswith(opener)), default=None)
    full = max((len(prompt.text) for prompt in prompts if turn.startswith(prompt.text)), default=0)
    if stated is not None:
        return max(stated, full)
    return max((prompt.shared_with(turn, body_start) for prompt in prompts), default=0)


def sampled_end(text: str, after: int, end: int, closers: Sequence[str]) -> int:
    """Where the emission ends: behind the last closer in ``text[after:end]``, else before trailing white space."""
    ends = [at + len(closer) for closer in closers if (at := text.rfind(closer, after, end)) >= 0]
    return max(ends) if ends else max(after, after + len(text[after:end].rstrip()))


def turns(stretches: Sequence[Stretch]) -> list[tuple[int, int]]:
    """Index ranges of consecutive stretches with one owner."""
    found: list[tuple[int, int]] = []
    first = 0
    for index in range(1, len(stretches) + 1):
        if index == len(stretches) or stretches[index].owner != stretches[first].owner:
            found.append((first, index))
            first = index
    return found
