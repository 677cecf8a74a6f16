"""From owned stretches to the spans the shared encoder attributes tokens with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.segments import Span

from .ownership import BODY_FIELDS, Stretch, is_body, is_supplied
from .provenance import DERIVED, Origin
from .sampled import GenerationPrompt, opener_length, sampled_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .values import ValueTable


@dataclass(frozen=True)
class Provenance:
    """A rendered text and where its characters came from.

    ``spans`` tile the text: owner, content and sampled per character. ``origins`` parallel them: message and field path
    of the value, None for template text. ``computed`` are the character ranges that the template computed (lengths,
    indices, truth values): nothing is claimed of them beyond the turn they stand in. ``unattributed`` are those where
    the template's prompt and its history disagree on who writes them: neither sampled nor content.
    """

    text: str
    spans: list[Span]
    origins: list[Origin | None]
    computed: list[tuple[int, int]]
    unattributed: list[tuple[int, int]]


@dataclass(frozen=True)
class Attributor:
    """Decide content and sampled for the stretches of one text.

    ``starts`` are the starts of emissions that are known by the prompt, by message; ``prompts`` and ``openers`` are for
    the others. ``header`` is what turns of the history begin with: a prompt holds it, or nobody knows who writes it;
    ``ignores_the_flag`` says that no prompt does. ``closers`` end an assistant turn from inside. ``next_openers`` are
    tokens that open a turn and thereby end an assistant turn that has no closer of its own: they count as its last
    sampled token.
    """

    text: str
    table: ValueTable
    roles: Sequence[str]
    starts: Mapping[int, int]
    header: GenerationPrompt
    ignores_the_flag: bool
    prompts: Sequence[GenerationPrompt]
    openers: Sequence[str]
    closers: Sequence[str]
    next_openers: Sequence[str]
    placeholders: Sequence[str]

    def __call__(self, stretches: Sequence[Stretch]) -> Provenance:
        """Attribute the text."""
        spans: list[Span] = []
        origins: list[Origin | None] = []
        unattributed: list[tuple[int, int]] = []
        printed = (stretch for stretch in stretches if stretch.start < stretch.end)
        turns = [list(members) for _, members in groupby(printed, key=attrgetter("owner"))]
        claimed = 0  # up to here the turn before has taken this one's opening token
        for turn, following in zip_longest(turns, turns[1:]):
            owner = turn[0].owner
            is_assistant = owner >= 0 and self.roles[owner] == "assistant"
            followed = following is not None and following[0].owner >= 0
            low = high = 0
            if is_assistant:
                first = all(span.owner != owner for span in spans)
                unknown, low, high = self._sampled(turn, first=first, followed=followed)
                unattributed += [(unknown, low)] if unknown < low else []
            if low == turn[0].start and all(span.owner < 0 for span in spans):
                high = low  # no opener, and no turn before it that could have prompted it
            for stretch in turn:
                supplied = is_supplied(stretch.origin, self.table)
                body = not is_assistant and is_body(stretch, self.table)
                origin = self.table.origins[stretch.origin] if supplied else None
                for start, end in self._cuts(stretch, low, high, claimed):
                    if end <= claimed:
                        spans.append(Span(start, end, spans[-1].owner, True, True, supplied))
                    else:
                        sampled = low <= start and end <= high
                        content = sampled or body or self._is_placeholder(start, end, stretch, owner)
                        spans.append(Span(start, end, owner, content, sampled, supplied))
                    origins.append(origin)
            claimed = high
        derived = [(stretch.start, stretch.end) for stretch in stretches if stretch.origin == DERIVED]
        return Provenance(self.text, spans, origins, derived, unattributed)

    def _sampled(self, turn: Sequence[Stretch], *, first: bool, followed: bool) -> tuple[int, int, int]:
        """Range the model emits, it may reach into the next turn; before it, where nobody knows who writes it."""
        end = turn[-1].end
        bodies = [stretch for stretch in turn if is_body(stretch, self.table)]
        body_start = bodies[0].start if bodies else end
        unknown, low = self._start(turn, body_start, self.starts.get(turn[0].owner) if first else None)
        after = max(low, bodies[-1].end) if bodies else low
        found = sampled_end(self.text, after, end, self.closers)
        if found is not None:
            return unknown, low, found
        following = [opener for opener in self.next_openers if followed and self.text.startswith(opener, end)]
        high = end + max(map(len, following)) if following else after + len(self.text[after:end].rstrip())
        return unknown, low, high

    def _start(self, turn: Sequence[Stretch], body_start: int, prompted: int | None) -> tuple[int, int]:
        """Where the emission starts, behind what is unattributed: there prompt and history disagree."""
        start, end = turn[0].start, turn[-1].end
        begin = start if prompted is None else prompted
        header = self.header.shared_with(self.text[begin:end], body_start - begin)
        header_end = min(begin + header, body_start)
        if prompted is not None and prompted <= body_start:
            is_told = prompted >= start and not self.ignores_the_flag
            low = max(start, prompted)
        else:
            text = self.text[start:end]
            named = max((s.end for s in turn if s.end <= body_start and self._is_header(s)), default=start)
            length, is_told = opener_length(text, body_start - start, named - start, self.openers, self.prompts)
            prompted = low = start + length
        if is_told and not self._repeats_a_prompt(self.text[low:header_end]):
            return low, low
        return prompted, max(low, header_end)

    def _repeats_a_prompt(self, text: str) -> bool:
        """Whether it holds a special token that a generation prompt holds, too."""
        return any(token in text and token in prompt.text for token in self.closers for prompt in self.prompts)

    def _is_header(self, stretch: Stretch) -> bool:
        """A role or a name; what a content part holds beside its text is neither."""
        path = self.table.origins[stretch.origin].path
        return is_supplied(stretch.origin, self.table) and path[0] not in BODY_FIELDS

    def _cuts(self, stretch: Stretch, low: int, high: int, claimed: int) -> Iterator[tuple[int, int]]:
        """Ranges of a stretch that are uniform in content, sampled and claim."""
        borders = {stretch.start, stretch.end, low, high, claimed}
        for placeholder in self.placeholders:
            at = self.text.find(placeholder, stretch.start, stretch.end)
            while at >= 0:
                borders |= {at, at + len(placeholder)}
                at = self.text.find(placeholder, at + len(placeholder), stretch.end)
        yield from pairwise(sorted(border for border in borders if stretch.start <= border <= stretch.end))

    def _is_placeholder(self, start: int, end: int, stretch: Stretch, owner: int) -> bool:
        """Whether the template wrote this for a media part of a message that is not the model's."""
        if not self.placeholders or owner < 0 or self.roles[owner] == "assistant":
            return False
        return not is_supplied(stretch.origin, self.table) and self.text[start:end] in self.placeholders
