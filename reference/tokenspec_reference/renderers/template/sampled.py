"""Which part of an assistant turn the model emits, where the turn does not go on from its prompt (:mod:`turn_starts`).

Both ends are derived from the template, at the price of a few small extra renders per renderer (:mod:`wire`). The
opener of a turn is what it shares with the generation prompt, cut at a joint of the prompt: an edge of a piece the
template prints, an edge of an added token, or the end of a line. The stop is the last special token in the scaffold
behind the body. A row may state both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_REASONING_TAG = re.compile(r"<[^<>]*think[^<>]*>", re.IGNORECASE)
_NAME = re.compile(r"\w\w")
_WORD = re.compile(r"\w\w+")


@dataclass(frozen=True)
class GenerationPrompt:
    """A generation prompt and the positions where a turn that is not prompted that far may leave it."""

    text: str
    joints: frozenset[int]

    @classmethod
    def of(cls, text: str, edges: Sequence[int], added_tokens: re.Pattern[str]) -> GenerationPrompt:
        """Find the joints of ``text``; ``edges`` are where printed pieces end, its own and those around it.

        Behind a reasoning tag there is no joint but the end: a turn that goes on differently was not prompted with it.
        Behind the last word there is one: white space may differ.
        """
        tokens = {edge for match in added_tokens.finditer(text) for edge in match.span()}
        lines = {position + 1 for position, character in enumerate(text) if character == "\n"}
        header = until_reasoning(text)
        words = len(header.rstrip())
        joints = {*edges, *tokens, *lines, words, len(header)}
        return cls(text, frozenset(joints.intersection(range(len(header) + 1))))

    @property
    def header(self) -> str:
        """The prompt up to a reasoning tag."""
        return self.text[: max(self.joints)]

    @cached_property
    def before_reasoning(self) -> str:
        """The words of the prompt before a reasoning tag."""
        return until_reasoning(self.text).strip()

    def rest_of_header(self, turn: str, named: int) -> int:
        """Where the opener of ``turn`` ends when it names another speaker than the prompt, up to position ``named``.

        Behind the name it goes on as the prompt goes on behind one of its joints.
        """
        tails = (self.header[joint:] for joint in self.joints if joint < len(self.header))
        return named + max((len(tail) for tail in tails if turn.startswith(tail, named)), default=0)

    def shared_with(self, turn: str, body_start: int | None = None) -> int:
        """How many leading characters of ``turn`` are this prompt. A body is no opener, unless all of it is prompt."""
        if turn.startswith(self.text):
            return len(self.text)
        shared = shared_prefix(turn[:body_start], self.text)
        return max((joint for joint in self.joints if joint <= shared), default=0)


def opener_length(
    turn: str, body_start: int, named: int, stated: Sequence[str], prompts: Sequence[GenerationPrompt]
) -> tuple[int, bool]:
    """Characters at the start of an assistant turn that the model did not emit, and whether opener or prompt says so.

    ``body_start`` and ``named`` are where the first body starts and where the last role or name before it ends (0:
    none); ``stated`` are openers of the row. A turn that begins with none of them follows one that closes the turn
    before it (``[/INST]``), and is emitted from its first character on.
    """
    found = [
        (at, at + len(opener))
        for opener in stated
        if (at := turn.find(opener)) == 0 < body_start or 0 < at <= body_start - len(opener)  # behind a list of results
    ]
    if found:
        prompted = (at + len(prompt.text) for at, _ in found for prompt in prompts if turn.startswith(prompt.text, at))
        return max(*(end for _, end in found), 0, *prompted), True
    shared = max((prompt.shared_with(turn, body_start) for prompt in prompts), default=0)
    if shared < named:
        end = max((prompt.rest_of_header(turn, named) for prompt in prompts), default=named)
        return end, end > named
    return shared, bool(turn[:shared].strip())


def until_reasoning(text: str) -> str:
    """The part before the first reasoning tag."""
    tag = _REASONING_TAG.search(text)
    return text[: tag.start()] if tag else text


def is_another_speaker(prompt: str, in_front: str) -> bool:
    """Whether a model is prompted with what does not stand in front of the answers of a history; they share no name.

    Such a template quotes the assistant, as those of judges do that are prompted for a verdict.
    """
    asked, shown = (until_reasoning(text).strip().casefold() for text in (prompt, in_front))
    if not _NAME.search(asked) or asked in shown or shown in asked:
        return False
    shared = SequenceMatcher(None, asked, shown, autojunk=False).find_longest_match()
    if len(_WORD.findall(asked, shared.a, shared.a + shared.size)) > 1:
        return False  # a marker and the name behind it
    return not any(_NAME.search(_overlap(*pair)) for pair in ((asked, shown), (shown, asked)))


def _overlap(left: str, right: str) -> str:
    """The longest text that ends ``left`` and begins ``right``."""
    return next((left[at:] for at in range(len(left)) if right.startswith(left[at:])), "")


def sampled_end(text: str, after: int, end: int, turn_closers: Sequence[str], closers: Sequence[str]) -> int | None:
    """Where the emission ends in ``text[after:end]``; None when nothing there ends one.

    That is behind the first token that is seen to end turns: the template may go on with the next turn's opener.
    Without one it is behind the last token that may end a turn.
    """
    known = (at + len(closer) for closer in turn_closers if (at := text.find(closer, after, end)) >= 0)
    last = (at + len(closer) for closer in closers if (at := text.rfind(closer, after, end)) >= 0)
    return next(known, None) or max(last, default=None)


def shared_prefix(left: str, right: str) -> int:
    """Length of the common prefix of two strings, by bisection (comparing slices runs in C)."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
