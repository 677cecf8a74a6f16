"""Where the emission of each assistant turn starts: behind the text that the messages before it prompt with.

A sampler that was given ``messages[:k]`` with the generation prompt went on from there. Where the whole text begins
with that prompt text, its end is the start of turn ``k``, whatever the template's pieces look like. Where it does not,
because a history is written differently from what was sampled, the turn itself is looked at (:mod:`sampled`).

A render for every turn costs the square of their number. Where the prompt depends on the role before the turn and on
nothing else, what a template writes between the last body of a prefix and its end is therefore kept by that role. Where
it depends on what was said, every prefix is rendered: a second for two hundred turns, and four times that for twice as
many. A row that states what opens its turns (``Wire``) needs none of it.
"""

from __future__ import annotations

from contextlib import suppress
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
    known: dict[Key, str | None] = field(default_factory=dict)

    def __call__(self, chat: Chat, printed: Printed, stretches: Sequence[Stretch]) -> Mapping[int, int]:
        """Message index to character position; a turn that does not go on from its prefix is left out."""
        found: dict[int, int] = {}
        ends = _ends(printed, stretches) if self.is_constant else {}
        for turn in chat.turns:
            if turn.role != "assistant" or not turn.index:
                continue
            with suppress(TemplateRejects, TemplateLimitExceeded):
                before = replace(chat, turns=chat.turns[: turn.index])
                start, prompt = self._prompt(before, ends.get(turn.index - 1))
                if printed.text.startswith(prompt, start):
                    found[turn.index] = start + len(prompt)
        return found

    def _prompt(self, before: Chat, end: int | None) -> tuple[int, str]:
        """What ends with the prompt, and where that begins: behind the last body, where its end is known."""
        if end is not None and (behind := self._behind_body(before)) is not None:
            return end, behind
        return 0, self.printer.text(before, add_generation_prompt=True)

    def _behind_body(self, before: Chat) -> str | None:
        """What stands between the body of the last message and the end of the prompt; None where it has no body."""
        last = before.turns[-1]
        key = (last.role, repr(sorted(before.options.items())))
        if key not in self.known:
            prompt = self.printer(before, add_generation_prompt=True)
            end = _ends(prompt, assign_owners(prompt.text, prompt.pieces, prompt.table)).get(last.index)
            self.known[key] = None if end is None else prompt.text[end:]
        return self.known[key]


def _ends(printed: Printed, stretches: Sequence[Stretch]) -> dict[int, int]:
    """Where the body of each message ends; what later turns quote of it does not count."""
    begins: dict[int, int] = {}
    for stretch in stretches:
        begins.setdefault(stretch.owner, stretch.start)
    bodies = (s for s in stretches if is_body(s, printed.table))
    return {s.owner: s.end for s in bodies if s.start < begins.get(s.owner + 1, s.end)}
