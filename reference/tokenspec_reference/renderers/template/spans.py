"""From owned stretches to the spans the shared encoder attributes tokens with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.segments import Span

from .ownership import Stretch, is_body, is_supplied
from .provenance import DERIVED, Origin
from .sampled import GenerationPrompt, opener_length, sampled_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .values import ValueTable
    from .wire import Wire


@dataclass(frozen=True)
class Provenance:
    """A rendered text and where its characters came from.

    ``spans`` tile the text: owner, content and sampled per character. ``origins`` parallel them: message and field path
    of the value, None for template text. ``unattributed`` are the character ranges that the template computed (lengths,
    indices, truth values): nothing is claimed of them beyond the turn they stand in.
    """

    text: str
    spans: list[Span]
    origins: list[Origin | None]
    unattributed: list[tuple[int, int]]


@dataclass(frozen=True)
class Attributor:
    """Decide content and sampled for the stretches of one text."""

    text: str
    table: ValueTable
    roles: Sequence[str]
    wire: Wire
    closers: Sequence[str]
    prompts: Sequence[GenerationPrompt]

    def __call__(self, stretches: Sequence[Stretch]) -> Provenance:
        """Attribute the text."""
        spans: list[Span] = []
        origins: list[Origin | None] = []
        claimed = 0  # up to here an assistant turn reaches into the next one with its closing token
        for owner, members in groupby(stretches, key=attrgetter("owner")):
            turn = list(members)
            is_assistant = owner >= 0 and self.roles[owner] == "assistant"
            low, high = self._sampled(turn) if is_assistant else (0, 0)
            for stretch in turn:
                supplied = is_supplied(stretch.origin, self.table)
                body = not is_assistant and is_body(stretch.origin, self.table)
                origin = self.table.origins[stretch.origin] if supplied else None
                for start, end in self._cuts(stretch, low, min(high, turn[-1].end), claimed):
                    sampled = low <= start and end <= high
                    content = sampled or body or (not supplied and not is_assistant and self._placeholder(start, end))
                    if end <= claimed:
                        spans.append(Span(start, end, spans[-1].owner, True, True, supplied))
                    else:
                        spans.append(Span(start, end, owner, content, sampled, supplied))
                    origins.append(origin)
            claimed = high
        derived = [(stretch.start, stretch.end) for stretch in stretches if stretch.origin == DERIVED]
        return Provenance(self.text, spans, origins, derived)

    def _sampled(self, turn: Sequence[Stretch]) -> tuple[int, int]:
        """Range of the turn that the model emits; it may reach into the next turn."""
        start, end = turn[0].start, turn[-1].end
        bodies = [stretch for stretch in turn if is_body(stretch.origin, self.table)]
        body_start = bodies[0].start if bodies else end
        low = start + opener_length(self.text[start:end], body_start - start, self.wire.assistant_open, self.prompts)
        after = max(low, bodies[-1].end) if bodies else low
        found = sampled_end(self.text, after, end, self.closers)
        if found is None:
            rest = self.text[after:end].rstrip()
            following = [c for c in self.wire.assistant_close if self.text.startswith(c, end)]
            found = end + max(map(len, following)) if following and end < len(self.text) else after + len(rest)
        return low, found

    def _cuts(self, stretch: Stretch, low: int, high: int, claimed: int) -> Iterator[tuple[int, int]]:
        """Ranges of a stretch that are uniform in content, sampled and claim."""
        borders = {stretch.start, stretch.end, low, high, claimed}
        if self.wire.placeholders and not is_supplied(stretch.origin, self.table):
            for placeholder in self.wire.placeholders:
                at = self.text.find(placeholder, stretch.start, stretch.end)
                while at >= 0:
                    borders |= {at, at + len(placeholder)}
                    at = self.text.find(placeholder, at + len(placeholder), stretch.end)
        yield from pairwise(sorted(border for border in borders if stretch.start <= border <= stretch.end))

    def _placeholder(self, start: int, end: int) -> bool:
        return bool(self.wire.placeholders) and self.text[start:end] in self.wire.placeholders
