"""Where the emission of each assistant turn starts: behind the text that the messages before it prompt with.

A sampler that was given ``messages[:k]`` with the generation prompt went on from there. Where the whole text begins
with that prompt text, its end is the start of turn ``k``, whatever the template's pieces look like. Where it does not,
because a history is written differently from what was sampled, the turn itself is looked at (:mod:`sampled`).

A render for every turn would cost the square of their number. What a template writes between the last body of a prefix
and its end is therefore kept by the role before the turn. Where the prompt depends on nothing else, that is all, if
there is a body; else the first turns of a text are looked at one by one, and later ones begin with the longest of what
was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tokenspec_reference.errors import TemplateRejects

from .limits import TemplateLimitExceeded
from .ownership import assign_owners, is_body

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokenspec_reference.renderers.chat import Chat

    from .ownership import Stretch
    from .printer import Printed, Printer


LOOKED_AT = 16
"""Prefixes of a text that are rendered because a prompt may depend on what was said, or no body says where it is."""

Key = tuple[str, str]


@dataclass(frozen=True)
class TurnStarts:
    """Find the starts of assistant turns with a template's printer.

    Attributes:
        printer: prints conversations.
        is_constant: whether the prompt depends on the role before it only.
        known: by role and keywords, what stands between the last body of a prefix and the end of its prompt.
    """

    printer: Printer
    is_constant: bool
    known: dict[Key, set[str]] = field(default_factory=dict)

    def __call__(self, chat: Chat, printed: Printed, stretches: Sequence[Stretch]) -> Mapping[int, int]:
        """Message index to character position; a turn that does not go on from its prefix is left out."""
        found: dict[int, int] = {}
        left = LOOKED_AT
        ends = _ends(printed, stretches)
        for turn in chat.turns:
            if turn.role != "assistant" or not turn.index:
                continue
            end = ends.get(turn.index - 1)
            key = (chat.turns[turn.index - 1].role, repr(sorted(chat.options.items())))
            is_kept = self.is_constant and end is not None
            start = None
            if is_new := key not in self.known or (left > 0 and not is_kept):
                left -= 1
                start = self._seen(key, replace(chat, turns=chat.turns[: turn.index]), printed.text)
            if key in self.known and (is_kept or not is_new):  # the first answer is what later ones will be
                start = self._remembered(key, printed.text, end)
            if start is not None:
                found[turn.index] = start
        return found

    def _remembered(self, key: Key, text: str, end: int | None) -> int | None:
        """``end`` is where the body of the message before the turn ends, None where it has none."""
        if end is None:
            return None
        return max((end + len(between) for between in self.known[key] if text.startswith(between, end)), default=None)

    def _seen(self, key: Key, before: Chat, text: str) -> int | None:
        """Render what was before a turn, and learn from it."""
        try:
            prompt = self.printer(before, add_generation_prompt=True)
        except (TemplateRejects, TemplateLimitExceeded):
            return None
        end = _ends(prompt, assign_owners(prompt.text, prompt.pieces, prompt.table)).get(before.turns[-1].index)
        if end is not None:
            self.known.setdefault(key, set()).add(prompt.text[end:])
        return len(prompt.text) if text.startswith(prompt.text) else None


def _ends(printed: Printed, stretches: Sequence[Stretch]) -> dict[int, int]:
    """Where the body of each message ends; what later turns quote of it does not count."""
    begins: dict[int, int] = {}
    for stretch in stretches:
        begins.setdefault(stretch.owner, stretch.start)
    bodies = (s for s in stretches if is_body(s, printed.table))
    return {s.owner: s.end for s in bodies if s.start < begins.get(s.owner + 1, s.end)}
