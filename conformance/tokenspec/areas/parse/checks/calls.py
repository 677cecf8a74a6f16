"""CALLS and ATTEMPTS: the whole calls of a completion, and what of it was cut or is malformed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from msgspec import UNSET

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.parse.checks.texts import has_piece, is_cut_in_a_thought, knows
from tokenspec.areas.parse.records import CallExpect, ParsedCall

OK = ["ok"]


def broken(question: Question) -> list[CallExpect]:
    """The attempts of the completion that were cut or do not parse."""
    return [wanted for wanted in question.expect.tool_calls if wanted.status != OK]


def has_whole_calls(question: Question) -> bool:
    """The completion holds calls that are not broken, and of which more than advice is given."""
    return (
        knows(question, "tool_calls")
        and len(broken(question)) < len(question.expect.tool_calls)
        and question.cell.case.requires != ["RND-084"]
    )


def has_no_calls(question: Question) -> bool:
    """The completion holds no call, not even a broken one."""
    return knows(question, "tool_calls") and not question.expect.tool_calls


def looks_like_calls(question: Question) -> bool:
    """The completion holds text that looks like a call and is none."""
    return has_no_calls(question) and cites("RND-061", "RND-067")(question)


def in_place(subject: Subject) -> list[tuple[int, CallExpect, ParsedCall | None]]:
    """The whole calls with the call that was given for each; None where calls are missing.

    Broken attempts, which an implementation may leave out of its calls, are another level's: where there are some, a
    whole call is looked for among those that follow the one before it.
    """
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    found: list[tuple[int, CallExpect, ParsedCall | None]] = []
    position = 0
    for number, wanted in enumerate(expected):
        if wanted.status != OK:
            continue
        if broken(subject):
            same = (at for at in range(position, len(got)) if says_the_same(got[at], wanted))
            position = next(same, position)
        found.append((number, wanted, got[position] if position < len(got) else None))
        position += 1
    return found


def says_the_same(call: ParsedCall, wanted: CallExpect) -> bool:
    """Whether a call has this name and these arguments."""
    return call.name == wanted.name and same_value(call.arguments, wanted.arguments)


def compare_calls(subject: Subject) -> None:
    """Raise at the first whole call that is not given, or not as it was written."""
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    if len(expected) != len(got) and not broken(subject):
        raise Violation("another number of calls", expected=len(expected), got=[call.name for call in got])
    for number, wanted, call in in_place(subject):
        where = f"call {number}"
        if call is None:
            raise Violation("a call is missing", where=where, expected=wanted.name, got=[call.name for call in got])
        if call.name != wanted.name:
            raise Violation("a call has another name", where=where, expected=wanted.name, got=call.name)
        if not same_value(call.arguments, wanted.arguments):
            raise Violation("a call has other arguments", where=where, expected=wanted.arguments, got=call.arguments)
        if call.status != "ok":
            raise Violation("a whole call is reported as broken", where=where, expected="ok", got=call.status)


def same_value(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, 1 is not "1", the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


@check("parse.calls", area="parse", level="CALLS", requires=("RND-061",), kind="golden", applies=has_whole_calls)
def calls_come_back(subject: Subject) -> None:
    """Whole calls come back in number, order, name and values."""
    compare_calls(subject)


@check(
    "parse.text-is-no-call", area="parse", level="CALLS", requires=("RND-061",), kind="golden", applies=looks_like_calls
)
def text_is_no_call(subject: Subject) -> None:
    """Text that only looks like a call is content."""
    compare_calls(subject)


@check("parse.invented-calls", area="parse", level="CALLS", requires=("RND-061",), applies=has_no_calls)
def calls_are_not_invented(subject: Subject) -> None:
    """A completion without calls gives none."""
    compare_calls(subject)


def is_resplit_call(question: Question) -> bool:
    """The same bytes of a call are split into other tokens."""
    return has_piece(question, "resplit") and has_whole_calls(question)


@check(
    "parse.resplit-calls", area="parse", level="CALLS", requires=("RND-068",), kind="golden", applies=is_resplit_call
)
def equal_bytes_call_equally(subject: Subject) -> None:
    """In another split of the same bytes the calls are the same."""
    compare_calls(subject)


def has_ids(question: Question) -> bool:
    """The template wrote ids of calls."""
    return knows(question, "tool_calls") and any(wanted.id is not UNSET for wanted in question.expect.tool_calls)


@check("parse.ids", area="parse", level="CALLS", requires=("RND-080",), kind="golden", applies=has_ids)
def written_ids_come_back(subject: Subject) -> None:
    """An id that was written is the id of its call."""
    pairs = list(zip(subject.expect.tool_calls, subject.output.tool_calls, strict=False))
    given = [(wanted.id, call.id) for wanted, call in pairs if wanted.id is not UNSET and call.id is not None]
    if not given:
        raise NotGiven("no ids of calls")
    for wanted, got in given:
        if wanted != got:
            raise Violation("a call has another id than the one that was written", expected=wanted, got=got)


def has_places(question: Question) -> bool:
    """The oracle knows which tokens hold the calls."""
    return knows(question, "tool_calls") and any(wanted.tokens is not UNSET for wanted in question.expect.tool_calls)


@check("parse.token-spans", area="parse", level="CALLS", requires=("RND-081",), kind="golden", applies=has_places)
def spans_hold_their_calls(subject: Subject) -> None:
    """A token span holds the tokens of its call, none of content or reasoning, and overlaps no other."""
    pairs = zip(subject.expect.tool_calls, subject.output.tool_calls, strict=False)
    given = [
        (wanted.tokens, call.token_span)
        for wanted, call in pairs
        if wanted.tokens is not UNSET and call.token_span is not None
    ]
    if not given:
        raise NotGiven("no token spans of calls")
    total = len(subject.expect.token_ids)
    for (first, last), (start, end) in given:
        if not 0 <= start <= first <= last <= end <= total:
            raise Violation(
                "a token span leaves tokens of its call out, or the completion",
                expected=f"at least {[first, last]} within {total} tokens",
                got=[start, end],
            )
        if any(start < stop and begin < end for begin, stop in subject.expect.text_tokens):
            raise Violation(
                "a token span holds content or reasoning",
                expected=f"nothing of {subject.expect.text_tokens}",
                got=[start, end],
            )
    spans = [span for _, span in given]
    if any(one != other and other[0] < one[1] for one, other in pairwise(spans)):
        raise Violation("token spans of calls overlap", expected="equal or apart, in order", got=spans)


def has_broken_calls(question: Question) -> bool:
    """The completion holds call attempts that were cut or do not parse."""
    return knows(question, "tool_calls") and bool(broken(question))


@check("parse.attempts", area="parse", level="ATTEMPTS", requires=("RND-063",), kind="golden", applies=has_broken_calls)
def broken_calls_are_attempts(subject: Subject) -> None:
    """A broken call is reported in its place with a status of its own, a good one beside it with `ok`."""
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    for number, wanted in enumerate(expected):
        where = f"call {number}"
        if number >= len(got):
            raise Violation("a call attempt is missing", where=where, expected=wanted.status)
        if got[number].status not in wanted.status:
            raise Violation(
                "a call attempt has another status",
                where=where,
                expected=" or ".join(wanted.status),
                got=got[number].status,
            )
    if len(got) > len(expected):
        raise Violation("a call attempt too many", expected=len(expected), got=[call.name for call in got])


@check(
    "parse.cut-thought-incomplete",
    area="parse",
    level="ATTEMPTS",
    requires=("RND-064",),
    kind="golden",
    applies=is_cut_in_a_thought,
)
def a_cut_thought_is_incomplete(subject: Subject) -> None:
    """Reasoning that was cut is marked as incomplete."""
    if subject.output.reasoning_complete is None:
        raise NotGiven("reasoning_complete")
    if subject.output.reasoning_complete:
        raise Violation("a cut thought passes as complete", expected=False, got=True)
