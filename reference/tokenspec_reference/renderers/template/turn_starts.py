"""Where the emission of each assistant turn starts: behind the text that the messages before it prompt with.

A sampler that was given ``messages[:k]`` with the generation prompt went on from there. Where the whole text begins
with that prompt text, its end is the start of turn ``k``, whatever the template's pieces look like. Where it does not,
because a history is written differently from what was sampled, the turn itself is looked at (:mod:`sampled`).

A render for every turn would cost the square of their number. What a template writes between the last body of a prefix
and its end is therefore kept by the role before the turn, where the prompt depends on nothing else.
"""

from __future__ import annotations

from collections import deque
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
    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def __call__(self, chat: Chat, printed: Printed, stretches: Sequence[Stretch]) -> Mapping[int, int]:
        """Message index to character position; a turn that does not go on from its prefix is left out."""
        found: dict[int, int] = {}
        bodies = deque(_bodies(printed, stretches))
        last: Stretch | None = None
        for turn in chat.turns:
            while bodies and bodies[0].owner < turn.index:
                last = bodies.popleft()
            if turn.role == "assistant" and turn.index:
                end = last.end if last is not None and last.owner == turn.index - 1 else None
                start = self._start(chat, turn.index, printed.text, end)
                if start is not None:
                    found[turn.index] = start
        return found

    def _start(self, chat: Chat, index: int, text: str, end: int | None) -> int | None:
        """``end`` is where the body of the message before the turn ends, None where it has none."""
        key = (chat.turns[index - 1].role, repr(sorted(chat.options.items())))
        if end is not None and key in self.known and text.startswith(self.known[key], end):
            return end + len(self.known[key])
        before = replace(chat, turns=chat.turns[:index])
        try:
            prompt = self.printer(before, add_generation_prompt=True)
        except (TemplateRejects, TemplateLimitExceeded):
            return None
        if self.is_constant and end is not None:
            last = _bodies(prompt, assign_owners(prompt.text, prompt.pieces, prompt.table))[-1:]
            self.known.update((key, prompt.text[body.end :]) for body in last if body.owner == index - 1)
        return len(prompt.text) if text.startswith(prompt.text) else None


def _bodies(printed: Printed, stretches: Sequence[Stretch]) -> list[Stretch]:
    """The body stretches, by message."""
    return sorted((s for s in stretches if is_body(s, printed.table)), key=lambda s: (s.owner, s.start))
