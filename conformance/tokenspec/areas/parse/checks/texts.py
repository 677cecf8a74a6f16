"""TEXT and SPACE: content and reasoning are the characters the template wrote for them."""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING

from tokenspec.areas.check import Applies, Question, Subject, Violation, check, cites

if TYPE_CHECKING:
    from tokenspec.areas.parse.records import ParseExpect

CUT = "\ufffd"


def knows(question: Question, *names: str) -> bool:
    """Whether the row expresses the case and the oracle knows one of these fields."""
    expect: ParseExpect = question.expect
    return expect.applies is None and any(name in expect.judged for name in names)


def judges(*names: str) -> Applies:
    """The row expresses the case, and the oracle knows one of these fields."""
    return lambda question: knows(question, *names)


def has_piece(question: Question, kind: str) -> bool:
    """Whether a piece of the completion is of this kind."""
    return any(isinstance(piece, dict) and kind in piece for piece in question.input["completion"])


def texts(subject: Subject) -> list[tuple[str, str, str]]:
    """The judged texts: name, expected, got. Null reasoning and empty reasoning are the same."""
    expect, output = subject.expect, subject.output
    found: list[tuple[str, str, str]] = []
    if "content" in expect.judged:
        found.append(("content", expect.content or "", output.content))
    if "reasoning_content" in expect.judged:
        found.append(("reasoning_content", expect.reasoning_content or "", output.reasoning_content or ""))
    return found


def compare(subject: Subject, *, exactly: bool = False) -> None:
    """Raise at the first text that differs, be it only in outer white space where it is compared exactly."""
    for name, expected, got in texts(subject):
        if expected != got if exactly else expected.strip() != got.strip():
            raise Violation(f"{name} is not what the template wrote", expected=repr(expected), got=repr(got))


TEXTS = judges("content", "reasoning_content")


@check("parse.texts", area="parse", level="TEXT", requires=("RND-060",), kind="golden", applies=TEXTS)
def texts_come_back(subject: Subject) -> None:
    """Content and reasoning come back apart (outer white space is another check's)."""
    compare(subject)


@check("parse.white-space", area="parse", level="SPACE", requires=("RND-066",), kind="golden", applies=TEXTS)
def white_space_is_kept(subject: Subject) -> None:
    """Content and reasoning come back with their outer white space, without the template's own."""
    compare(subject, exactly=True)


def ending_stop(question: Question) -> str | None:
    """The stop token that ends the completion."""
    row, ids = question.rows[question.cell.row], question.expect.token_ids
    stops = {row.vocabulary.convert_tokens_to_ids(stop): stop for stop in row.spec.wire.stop}
    return stops.get(ids[-1]) if ids else None


def ends_with_a_stop(question: Question) -> bool:
    """The row expresses the case, and a stop token ends the completion."""
    return question.expect.applies is None and ending_stop(question) is not None


@check("parse.stop-tokens", area="parse", level="TEXT", requires=("RND-062",), applies=ends_with_a_stop)
def stop_tokens_are_not_content(subject: Subject) -> None:
    """The content does not end with the stop tokens that ended the turn."""
    stop = ending_stop(subject) or ""
    for name in ("content", "reasoning_content"):
        text = getattr(subject.output, name) or ""
        if text.rstrip().endswith(stop):
            raise Violation(f"{name} ends with the stop token", expected="without it", got=repr(text[-40:]))


def is_cut_in_a_thought(question: Question) -> bool:
    """The completion was cut inside a thought."""
    return knows(question, "reasoning_complete") and question.expect.reasoning_complete is False


@check(
    "parse.cut-thought", area="parse", level="TEXT", requires=("RND-064",), kind="golden", applies=is_cut_in_a_thought
)
def a_cut_thought_is_reasoning(subject: Subject) -> None:
    """What was thought before the cut is reasoning, not content."""
    compare(subject)


def prompt_opens_a_thought(question: Question) -> bool:
    """The prompt is given and opens a thought."""
    prompt_given = question.request.get("prompt_ids") is not None
    return question.expect.prompt_opens_thought and prompt_given and knows(question, "reasoning_content")


@check(
    "parse.prompt-thought",
    area="parse",
    level="TEXT",
    requires=("RND-065",),
    kind="golden",
    applies=prompt_opens_a_thought,
)
def the_prompts_thought_is_known(subject: Subject) -> None:
    """Where the prompt opened the thought, the completion begins inside it."""
    compare(subject)


def spells_markers(question: Question) -> bool:
    """Ordinary tokens spell a marker."""
    return has_piece(question, "plain") and knows(question, "content")


@check(
    "parse.ordinary-tokens", area="parse", level="TEXT", requires=("RND-067",), kind="golden", applies=spells_markers
)
def ordinary_tokens_are_no_markers(subject: Subject) -> None:
    """Ordinary tokens that spell a marker are text."""
    compare(subject)


def is_resplit(question: Question) -> bool:
    """The same bytes are split into other tokens."""
    return has_piece(question, "resplit") and knows(question, "content")


@check("parse.resplit", area="parse", level="TEXT", requires=("RND-068",), kind="golden", applies=is_resplit)
def equal_bytes_parse_equally(subject: Subject) -> None:
    """In another split of the same bytes content and reasoning are the same."""
    compare(subject)


@check(
    "parse.cut-character",
    area="parse",
    level="TEXT",
    requires=("RND-069",),
    kind="golden",
    applies=judges("content_prefix"),
)
def a_cut_character_costs_one(subject: Subject) -> None:
    """Every whole character before the cut comes back; at most replacement characters follow."""
    prefix, got = (subject.expect.content_prefix or "").lstrip(), subject.output.content.lstrip()
    if not got.startswith(prefix) or got[len(prefix) :].strip(CUT):
        raise Violation("characters before the cut are lost or changed", expected=repr(prefix), got=repr(got))


NOTATION = frozenset(
    {"assistant", "analysis", "commentary", "final", "json", "code", "to", "functions", "name", "arguments"}
)
"""Words that the notations of these cases have themselves."""


@check("parse.nothing-lost", area="parse", level="TEXT", requires=("RND-082",), kind="golden", applies=cites("RND-082"))
def no_word_is_lost(subject: Subject) -> None:
    """Every word of the completion stands in content, reasoning or a call."""
    tokenizer, output = subject.rows[subject.cell.row].vocabulary, subject.output
    runs = groupby(subject.expect.token_ids, key=lambda token: token in tokenizer.added_tokens_decoder)
    text = " ".join(tokenizer.decode(list(run)) for is_control, run in runs if not is_control)
    said = [output.content, output.reasoning_content or ""]
    for call in output.tool_calls:
        said += [call.name or "", call.raw or "", json.dumps(call.arguments, ensure_ascii=False)]
    for word in re.findall(r"\w+", text):
        if word not in NOTATION and not any(word in text for text in said):
            raise Violation("a word of the completion is nowhere", expected=repr(word), got=said)
