"""ATTEMPTS: what a parser says of calls and thoughts beyond what they hold, where it says so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.parse.checks.calls import OK, compare_calls, has_broken_calls
from tokenspec.areas.parse.checks.texts import CUT, knows
from tokenspec.areas.parse.records import ParsedCall

UNKNOWN = "unknown_tool"


def strings(value: Any) -> Iterator[str]:
    """The texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from strings(member)


def has_attempts_or_advice(question: Question) -> bool:
    """The completion holds broken calls, or calls that are read where advice is followed."""
    return has_broken_calls(question) or (cites("RND-084")(question) and question.expect.applies is None)


@check("parse.attempt-says", area="parse", level="ATTEMPTS", requires=("RND-084",), applies=has_attempts_or_advice)
def attempts_say_what_was_read(subject: Subject) -> None:
    """A broken call has the name that was written whole, or none, and no arguments but written ones; JSON is read."""
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    if subject.cell.case.requires == ["RND-084"]:
        compare_calls(subject)
    text = subject.rows[subject.cell.row].vocabulary.decode(subject.expect.token_ids)
    is_told = cites("RND-084")(subject)
    for number, (wanted, call) in enumerate(zip(expected, got, strict=False)):
        if wanted.status != OK:
            where = f"call {number}"
            if (is_told or wanted.name is not None) and call.name != wanted.name:
                raise Violation("an attempt has another name", where=where, expected=wanted.name, got=call.name)
            if call.name is not None and not is_written_whole(call.name, text):
                raise Violation("an attempt has a name that was not written whole", where=where, got=repr(call.name))
            arguments_were_written(where, call)
            if UNKNOWN in wanted.status and subject.request["tools"] and call.status != UNKNOWN:
                raise Violation("a tool nobody offered is called", expected=UNKNOWN, got=call.status)
            if UNKNOWN not in wanted.status and call.status == "ok":
                raise Violation("words that belong to no call pass as part of one", where=where, got=call.status)


def is_written_whole(name: str, text: str) -> bool:
    """Whether a name stands in the text as a word, or as JSON writes it, and is known to end there."""
    written = "|".join(re.escape(form) for form in (name, json.dumps(name)[1:-1]))
    return bool(name) and re.search(rf"(?<!\w)(?:{written})(?=[^\w-])", text) is not None


def arguments_were_written(where: str, call: ParsedCall) -> None:
    """The arguments of one broken call."""
    for text in strings(call.arguments):
        if call.raw is not None and text not in call.raw:
            raise Violation("an attempt has arguments nobody wrote", where=where, expected=call.raw, got=text)


def has_calls(question: Question) -> bool:
    """The completion holds calls or attempts."""
    return knows(question, "tool_calls") and bool(question.expect.tool_calls)


@check("parse.raw", area="parse", level="ATTEMPTS", requires=("RND-084",), applies=has_calls)
def raw_is_the_text_of_the_call(subject: Subject) -> None:
    """The raw text of a call is what its token span spells, but for the outermost tokens, or for parts of them.

    A control token is in it whole or not at all.
    """
    vocabulary, ids = subject.rows[subject.cell.row].vocabulary, subject.expect.token_ids
    decode, added = vocabulary.decode, vocabulary.get_added_vocab().values()
    given = [
        (call.raw, *call.token_span)
        for call in subject.output.tool_calls
        if call.raw is not None and call.token_span is not None
    ]
    if not given:
        raise NotGiven("no raw text with a token span")
    for raw, start, end in given:
        outer, inner = decode(ids[start:end]), decode(ids[start + 1 : end - 1])
        if raw not in outer or inner.strip().strip(CUT) not in raw:
            raise Violation("raw is not the text of the call's tokens", expected=repr(outer), got=repr(raw))
        edges = ids[start : start + 1], ids[end - 1 : end]
        first, last = (decode([id_ for id_ in edge if id_ in added]) for edge in edges)
        left_out = outer.find(raw), len(outer) - outer.rfind(raw) - len(raw)
        if 0 < left_out[0] < len(first) or 0 < left_out[1] < len(last):
            raise Violation("raw holds a part of a control token", expected=repr(outer), got=repr(raw))


def has_a_whole_thought(question: Question) -> bool:
    """The completion holds a thought that was closed."""
    return knows(question, "reasoning_complete") and question.expect.reasoning_complete is True


@check("parse.closed-thought", area="parse", level="ATTEMPTS", requires=("RND-084",), applies=has_a_whole_thought)
def a_closed_thought_is_complete(subject: Subject) -> None:
    """A thought that was closed is not given as incomplete."""
    if subject.output.reasoning_complete is None:
        raise NotGiven("reasoning_complete")
    if not subject.output.reasoning_complete:
        raise Violation("a thought that was closed passes as cut", expected=True, got=False)
