"""What in a template breaks training: a prompt that no turn continues, today's date, a turn without a stop token.

A *prompt* is the text that ``add_generation_prompt`` adds. A *setting* is a value of a keyword that switches reasoning.
Two rules say what a prompt and the turns behind it must have in common:

* Each prompt is continued by some turn. Otherwise the model is asked in a form that training never shows.
* Each turn continues the prompt of some setting. Otherwise the model learns a beginning that it is never asked for.

Example of the second rule: a prompt that opens a thought is right beside answers without reasoning only where a setting
has the other prompt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from tokenspec.models import Row

from .calls import spelling_of
from .dropped import dropped
from .facts import Facts
from .probe import Message, Probe, Refused, common, difference, text_row
from .scenarios import AGAIN, ANSWER, SYSTEM, THOUGHT, TOOLS, USER, Spelling, result
from .source import clock_reads
from .stability import KEYWORDS
from .turns import stop_of

SETTINGS: dict[str, tuple[object, ...]] = {**KEYWORDS, "reasoning_effort": ("none", "no_think", "low", "high")}
LATER = datetime(2031, 11, 9, 23, 47, 38)  # noqa: DTZ001 - shares no part of the date, weekday or time with FROZEN
EXCERPT = 32
MARK = "\ufeff"
NEXT: Message = {"role": "user", "content": "Is that all?"}
CALLED = "zebu"
TURN: Message = {"role": "assistant", "content": "Two letters joined."}
INLINE: Message = {**TURN, "content": f"<think>\nI ought to recall.\n</think>\n\n{TURN['content']}"}
NOTED = {"role-developer", "role-unknown"}
"""Roles beyond those that every template has: that one vanishes is told, and blocks nothing."""


@dataclass(frozen=True)
class Hazard:
    """One thing to mend or to accept.

    Attributes:
        name: what ``--accept`` takes: ``mark``, ``prompt``, ``date``, ``stop``, ``random``, ``tools``, ``calls`` or
            ``role-...``.
        cause: what is wrong and where, in one line.
        cure: what to do, in one line.
    """

    name: str
    cause: str
    cure: str

    def __str__(self) -> str:
        """As commands print it."""
        return f"error: {self.name}: {self.cause}; cure: {self.cure}, or accept it: --accept {self.name}"


@dataclass(frozen=True)
class Found:
    """The hazards of a template, what is worth a note beside them, and every name that may be accepted."""

    hazards: list[Hazard]
    notes: list[str]
    names: list[str]

    def blocking(self, accepted: Collection[str]) -> list[str]:
        """One line for each hazard that is not accepted."""
        return [str(hazard) for hazard in self.hazards if hazard.name not in accepted]


def not_there(accepted: Collection[str], names: Collection[str]) -> list[str]:
    """One line for each accepted name that is none of the ``names`` of what was found."""
    there = ", ".join(dict.fromkeys(names)) or "nothing"
    unknown = [name for name in accepted if name not in names]
    return [f"error: --accept {name}: no template does this; cure: leave it out; found: {there}" for name in unknown]


@dataclass(frozen=True)
class Place:
    """A conversation that an assistant turn follows."""

    words: str
    messages: list[Message]
    tools: list[object] | None


def find(row: Row, facts: Facts) -> Found:
    """What breaks training on this row; ``facts`` are those of its certificate."""
    probe = Probe(text_row(row))
    spelling = spelling_of(probe)
    settings = dict(_settings(probe, facts.template.reads))
    places = list(_places(spelling))
    if drawn := list(_first("random", _draws(row, places), RANDOM_CURE)):
        return Found(drawn, [], ["random"])
    missing, undecided = _stops(settings, places, spelling)
    lost = {name: f"{text} without a word" for name, text in dropped(facts).items()}
    found = [
        *_marks(row.chat_template),
        *_first("prompt", _prompts(settings, places, spelling), PROMPT_CURE),
        *_first("date", _dates(settings, places), DATE_CURE),
        *_first("stop", missing, STOP_CURE),
        *(Hazard(name, text, LOSS_CURE) for name, text in lost.items() if name not in NOTED),
    ]
    names = [hazard.name for hazard in found] + [name for name in lost if name in NOTED]
    notes = [text for name, text in lost.items() if name in NOTED] + undecided
    reads = clock_reads(row.chat_template)
    if reads and "date" not in names:
        names.append("date")
        notes.append(f"the template reads {', '.join(reads)}, and no conversation that was tried shows a date")
    return Found(found, notes, names)


RANDOM_CURE = "leave out random and what depends on the order of sets"
PROMPT_CURE = "begin prompt and turn alike in the template"
DATE_CURE = "take the date from a keyword with a fixed default, as date_string"
STOP_CURE = "end every assistant turn with a stop token, or name the token in generation_config.json"
MARK_CURE = "save the file as UTF-8 without a byte order mark"
LOSS_CURE = "render it, or refuse it with raise_exception"


def _marks(template: str) -> Iterator[Hazard]:
    """A byte order mark is text to transformers: each render begins with it."""
    if template.startswith(MARK):
        yield Hazard("mark", "the template begins with a byte order mark, and so does every text it renders", MARK_CURE)


def _first(name: str, causes: Iterator[str] | list[str], cure: str) -> Iterator[Hazard]:
    """One hazard of the first cause, which says how many more there are."""
    listed = list(dict.fromkeys(causes))
    if listed:
        more = f" (and {len(listed) - 1} more like it)" if len(listed) > 1 else ""
        yield Hazard(name, f"{listed[0]}{more}", cure)


def _settings(probe: Probe, reads: list[str]) -> Iterator[tuple[str, Probe]]:
    """The row's own options first, then each keyword that the template reads, by how a message names it."""
    yield "", probe
    for keyword, values in SETTINGS.items():
        for value in values if keyword in reads else ():
            yield f"with {keyword}={str(value).lower()} ", probe.with_options(**{keyword: value})


def _places(spelling: Spelling) -> Iterator[Place]:
    """Conversations that a turn follows, without tools and with them."""
    loop = [USER, spelling.call({"word": "token"}), result("a piece")]
    for tools, given in ((None, ""), (TOOLS, ", with tools")):
        yield Place(f"after a question{given}", [USER], tools)
        yield Place(f"after a system message and a question{given}", [SYSTEM, USER], tools)
        yield Place(f"after a second question{given}", [USER, ANSWER, AGAIN], tools)
    yield Place("after a result", loop, TOOLS)
    yield Place("after a question behind a result", [*loop, ANSWER, AGAIN], TOOLS)


def _forms(place: Place, spelling: Spelling) -> dict[str, Message]:
    """The turns that may follow; calls only where tools are given."""
    call = spelling.call({"word": CALLED}, first=2)
    calls = {"a call": call, "a call with reasoning": call | THOUGHT} if place.tools else {}
    return {"an answer": TURN, "an answer with reasoning": TURN | THOUGHT, **calls}


def _prompts(settings: dict[str, Probe], places: list[Place], spelling: Spelling) -> Iterator[str]:
    """Prompts that no turn continues, then turns that continue no prompt."""
    unmet: list[str] = []
    for place in places:
        forms = _forms(place, spelling)
        failing: dict[str, list[str]] = {form: [] for form in forms}
        met: set[str] = set()
        for setting, probe in settings.items():
            breaks = {form: _gap(probe, place, turn) for form, turn in {**forms, "inline": INLINE}.items()}
            told = {form: gap for form, gap in breaks.items() if gap is not None}
            if told and all(told.values()):
                gap = next(iter(told.values()))
                yield f"{setting}{place.words} no turn continues the generation prompt: {gap}"
            for form, gap in told.items():
                met |= set() if gap else {form}
                if gap and form in failing:
                    failing[form].append(gap)
        unmet += [
            f"{place.words} {form} continues no generation prompt: {gaps[0]}"
            for form, gaps in failing.items()
            if gaps and form not in met
        ]
    yield from unmet


def _gap(probe: Probe, place: Place, turn: Message) -> str | None:
    """How prompt and turn differ, empty where the turn continues the prompt; None where the template refuses."""
    asked = probe.text(place.messages, tools=place.tools, prompt=True)
    without = probe.text(place.messages, tools=place.tools)
    whole = probe.text([*place.messages, turn], tools=place.tools)
    if isinstance(asked, Refused) or isinstance(without, Refused) or isinstance(whole, Refused):
        return None
    if whole.startswith(asked):
        header = whole[len(asked) :].partition(TURN["content"])[0]
        headed = asked == without and turn == TURN and header.strip()
        return f"it is empty, and the model would have to write {header[:EXCERPT]!r} itself" if headed else ""
    body = str(place.messages[-1]["content"])
    if asked.startswith(without) and body in without and body in whole:  # a turn may change the history before it
        asked, whole = (text[text.rindex(body) + len(body) :] for text in (asked, whole))
        if whole.startswith(asked):
            return ""
    at = max(common(asked, whole) - EXCERPT // 2, 0)
    return f"it is {asked[at : at + EXCERPT]!r}, the turn has {whole[at : at + EXCERPT]!r}"


def _draws(row: Row, places: list[Place]) -> Iterator[str]:
    """Conversations whose text is another one when they are rendered again."""
    for place in places:
        one, other = (Probe(text_row(row)).text(place.messages, tools=place.tools) for _ in range(2))
        if isinstance(one, str) and isinstance(other, str) and one != other:
            was, becomes = difference(one, other)
            yield f"the template prints what is no function of its input: {was[:EXCERPT]!r}, then {becomes[:EXCERPT]!r}"


def _dates(settings: dict[str, Probe], places: list[Place]) -> Iterator[str]:
    """Conversations that read differently at another time."""
    for setting, probe in settings.items():
        for place in places:
            one, other = (
                asked.text(place.messages, tools=place.tools, prompt=True) for asked in (probe, probe.at(LATER))
            )
            if isinstance(one, str) and isinstance(other, str) and one != other:
                was, becomes = difference(one, other)
                yield f"{setting}the text depends on today's date: {was[:EXCERPT]!r} becomes {becomes[:EXCERPT]!r}"


def _stops(settings: dict[str, Probe], places: list[Place], spelling: Spelling) -> tuple[list[str], list[str]]:
    """Turns without a stop token, and those where that cannot be told."""
    missing, undecided = [], []
    for setting, probe in settings.items():
        for place in places:
            for form, turn in _forms(place, spelling).items():
                follower = result("a pair", 2) if "tool_calls" in turn else NEXT
                for behind, where in ([], "last"), ([follower], f"before a {follower['role']} message"):
                    end = _end(probe, place, [turn, *behind])
                    words = f"{setting}{place.words} {form} ({where})"
                    if end.startswith("no "):
                        missing.append(f"{words} ends without a stop token: {end.partition(': ')[2] or 'it is empty'}")
                    elif end.startswith("undecided: "):
                        undecided.append(f"{words}: whether it ends with a stop token is {end}")
    return missing, undecided[:1]


def _end(probe: Probe, place: Place, turn: list[Message]) -> str:
    """What a turn ends with; where its region cannot be told, by the text up to the body of the next message."""
    messages = [*place.messages, *turn]
    end = stop_of(probe, messages, len(place.messages), place.tools)
    text = probe.text(messages, tools=place.tools)
    own = CALLED if "tool_calls" in turn[0] else TURN["content"]
    if not end.startswith("undecided: ") or isinstance(text, Refused) or own not in text:
        return end
    behind = text[text.rindex(own) + len(own) :]
    between = behind.partition(str(turn[1]["content"]))[0] if turn[1:] else behind
    token = next((token for token in probe.row.spec.wire.stop if token in between), None)
    return f"no stop token: {between[:EXCERPT]!r}" if token is None else f"ends with {token}"
