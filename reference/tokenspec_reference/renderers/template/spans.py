"""From owned stretches to the spans the shared encoder attributes tokens with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.segments import OUTSIDE, Span

from .ownership import BODY_FIELDS, Stretch, is_body, is_supplied
from .provenance import Origin
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


_BLANK = re.compile(r"\s*")


@dataclass(frozen=True)
class Attributor:
    """Decide content and sampled for the stretches of one text.

    ``starts`` are the starts of emissions that are known by the prompt, by message; ``prompts`` and ``openers`` are for
    the others. ``header`` is what turns of the history begin with: where the template prompts, its prompt holds it or
    nobody knows who writes it; where it ``never_prompts``, no model does, and where it ``always_prompts`` every text
    ends in a prompt. A turn ``is_quoted`` where the template prompts another speaker: nobody emits it. ``turn_closers``
    are seen to end assistant turns, ``closers`` may do so. ``next_openers`` are tokens that open a turn and thereby end
    an assistant turn that has no closer of its own: they count as its last sampled token.
    """

    text: str
    table: ValueTable
    roles: Sequence[str]
    starts: Mapping[int, int]
    header: GenerationPrompt
    never_prompts: bool
    always_prompts: bool
    is_quoted: bool
    prompts: Sequence[GenerationPrompt]
    openers: Sequence[str]
    turn_closers: Sequence[str]
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
        bodies = [[stretch for stretch in turn if is_body(stretch, self.table)] for turn in turns]
        last_place = {turn[0].owner: place for place, turn in enumerate(turns) if bodies[place]}
        broken: set[int] = set()
        seen: set[int] = set()
        closed: set[int] = set()
        spoken = 0  # where the last words ended
        claimed = 0  # up to here the turn before has taken this one's opening token
        for place, (turn, own, following) in enumerate(zip_longest(turns, bodies, turns[1:])):
            owner = turn[0].owner
            is_assistant = owner >= 0 and self.roles[owner] == "assistant"
            followed = following is not None and following[0].owner >= 0
            low = high = 0
            if is_assistant:
                prompted = self.starts.get(owner, -1)
                unknown, low, high = self._sampled(turn, own, prompted=prompted, spoken=spoken, followed=followed)
                if owner in closed:
                    unknown = low = high = turn[0].start  # quoted by a later turn
                elif not own and last_place.get(owner, 0) > place:  # the words of others stand in front of its own
                    broken.add(owner)
                    low = high = max(low, high)
                elif owner in broken:
                    broken.remove(owner)
                    unknown, low = turn[0].start, own[0].start
                unattributed.append((unknown, low))
                if self.text.endswith(tuple(self.turn_closers), low, high):
                    closed.add(owner)
            if low == turn[0].start and owner not in self.starts and not seen:
                unattributed.append((low, high))
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
            spoken = max([spoken, *(stretch.end for stretch in own)])
            if owner != OUTSIDE:
                seen.add(owner)
        derived = [(s.start, s.end) for s in stretches if self.table.origins[s.origin].computed]
        return Provenance(self.text, spans, origins, derived, [run for run in unattributed if run[0] < run[1]])

    def _sampled(
        self, turn: Sequence[Stretch], bodies: Sequence[Stretch], *, prompted: int, spoken: int, followed: bool
    ) -> tuple[int, int, int]:
        """Range the model emits, it may reach into the next turn; before it, where nobody knows who writes it.

        Where it starts is known only between the words of others, which were ``spoken`` before, and the end of its own,
        which may begin with what the prompt ends with: a template may write messages in another order.
        """
        end = turn[-1].end
        body_start, said = (bodies[0].start, bodies[0].end) if bodies else (end, end)
        if self.is_quoted and turn[0].owner not in self.starts:
            words = [s for s in turn if is_supplied(s.origin, self.table) and not self._is_header(s)]
            return (words[0].start, words[-1].end, words[-1].end) if words else (end, end, end)
        unknown, low = self._start(turn, body_start, prompted if spoken <= prompted <= said else None)
        after = max(low, bodies[-1].end) if bodies else low
        found = sampled_end(self.text, after, end, self.turn_closers, self.closers)
        if found is not None:
            return unknown, low, found
        end = min((s.start for s in turn if s.start >= after and self._is_of_nobody(s)), default=end)
        opens = _BLANK.match(self.text, end).end()  # type: ignore[union-attr]
        following = [opener for opener in self.next_openers if followed and self.text.startswith(opener, opens)]
        high = opens + max(map(len, following)) if following else after + len(self.text[after:end].rstrip())
        return unknown, low, high

    def _is_of_nobody(self, stretch: Stretch) -> bool:
        """Whether it comes from tools, documents or options."""
        return is_supplied(stretch.origin, self.table) and self.table.origins[stretch.origin].message < 0

    def _start(self, turn: Sequence[Stretch], body_start: int, prompted: int | None) -> tuple[int, int]:
        """Where the emission starts, behind what is unattributed: there prompt and history disagree."""
        start, end = turn[0].start, turn[-1].end
        named = max((s.end for s in turn if s.end <= body_start and self._is_header(s)), default=start)
        begins = {start, start if prompted is None else prompted}
        header_end = max(begin + self.header.shared_with(self.text[begin:body_start]) for begin in begins)
        if prompted is not None:
            is_told = prompted >= start
            low = max(start, prompted)
        else:
            text = self.text[start:end]
            length, is_told = opener_length(text, body_start - start, named - start, self.openers, self.prompts)
            prompted = low = start + length
        own = self.header.text
        at = self.text.rfind(own, start, body_start) if own.strip() else -1  # blanks stand in bodies, too
        if at >= 0:
            whole = [own, *(prompt.text for prompt in self.prompts if prompt.text.startswith(own))]
            header_end = max(header_end, *(at + len(text) for text in whole if self.text.startswith(text, at)))
        if self.never_prompts:  # no prompt to disagree with
            low = max(low, header_end, min(self.header.rest_of_header(self.text, named), body_start))
            return low, low
        if is_told and not self._repeats_a_prompt(self.text[low:body_start]):
            return low, low
        prompts_another = not own and self.always_prompts
        if prompts_another and body_start < end and self.text[low:body_start].strip():
            return prompted, body_start
        return prompted, max(low, header_end)

    def _repeats_a_prompt(self, text: str) -> bool:
        """Whether it holds what a generation prompt says before a thought, or the header of the history."""
        headers = (prompt.before_reasoning for prompt in (*self.prompts, self.header))
        return any(header and header in text for header in headers)

    def _is_header(self, stretch: Stretch) -> bool:
        """A role or a name; what a content part holds beside its text is neither."""
        path = self.table.origins[stretch.origin].path
        return is_supplied(stretch.origin, self.table) and path[0] not in BODY_FIELDS

    def _cuts(self, stretch: Stretch, low: int, high: int, claimed: int) -> Iterator[tuple[int, int]]:
        """Ranges of a stretch that are uniform in content, sampled and claim."""
        borders = {border for border in (low, high, claimed) if stretch.start < border < stretch.end}
        for placeholder in self.placeholders:
            at = self.text.find(placeholder, stretch.start, stretch.end)
            while at >= 0:
                borders |= {at, at + len(placeholder)}
                at = self.text.find(placeholder, at + len(placeholder), stretch.end)
        yield from pairwise(sorted({stretch.start, *borders, stretch.end}) if borders else stretch[:2])

    def _is_placeholder(self, start: int, end: int, stretch: Stretch, owner: int) -> bool:
        """Whether the template wrote this for a media part of a message that is not the model's."""
        if not self.placeholders or owner < 0 or self.roles[owner] == "assistant":
            return False
        return not is_supplied(stretch.origin, self.table) and self.text[start:end] in self.placeholders
