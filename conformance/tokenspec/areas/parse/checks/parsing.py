"""PARSE: content, reasoning and calls are the characters the template wrote for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import Applies, Question, Subject, Violation, check

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


def compare(subject: Subject, *, strip: bool, names: tuple[str, ...] = ("content", "reasoning_content")) -> None:
    """Raise at the first text that differs."""
    for name, expected, got in texts(subject):
        same = expected.strip() == got.strip() if strip else expected == got
        if name in names and not same:
            raise Violation(f"{name} is not what the template wrote", expected=repr(expected), got=repr(got))


@check(
    "parse.texts",
    area="parse",
    level="PARSE",
    requires=("RND-060",),
    kind="golden",
    applies=judges("content", "reasoning_content"),
)
def texts_come_back(subject: Subject) -> None:
    """Content and reasoning come back apart (outer white space is another check's)."""
    compare(subject, strip=True)


@check(
    "parse.white-space",
    area="parse",
    level="PARSE",
    requires=("RND-066",),
    kind="golden",
    applies=judges("content", "reasoning_content"),
)
def white_space_is_kept(subject: Subject) -> None:
    """Content and reasoning come back with their outer white space, without the template's own."""
    compare(subject, strip=False)


@check("parse.calls", area="parse", level="PARSE", requires=("RND-061",), kind="golden", applies=judges("tool_calls"))
def calls_come_back(subject: Subject) -> None:
    """Calls come back in number, order, name and values."""
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    if len(expected) != len(got):
        raise Violation("another number of calls", expected=len(expected), got=[call.name for call in got])
    for number, (wanted, call) in enumerate(zip(expected, got, strict=True)):
        if wanted.status != ["ok"]:
            continue
        where = f"call {number}"
        if call.name != wanted.name:
            raise Violation("a call has another name", where=where, expected=wanted.name, got=call.name)
        if not same_value(call.arguments, wanted.arguments):
            raise Violation("a call has other arguments", where=where, expected=wanted.arguments, got=call.arguments)


def same_value(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, 1 is not "1", the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def has_attempts(question: Question) -> bool:
    """The completion holds call attempts."""
    return knows(question, "tool_calls") and bool(question.expect.tool_calls)


@check("parse.attempts", area="parse", level="PARSE", requires=("RND-063",), kind="golden", applies=has_attempts)
def broken_calls_are_attempts(subject: Subject) -> None:
    """A broken call is reported in its place with a status of its own, a good one with `ok`."""
    expected, got = subject.expect.tool_calls, subject.output.tool_calls
    for number, wanted in enumerate(expected):
        if number >= len(got):
            raise Violation("a call attempt is missing", where=f"call {number}", expected=wanted.status)
        if got[number].status not in wanted.status:
            raise Violation(
                "a call attempt has another status",
                where=f"call {number}",
                expected=" or ".join(wanted.status),
                got=got[number].status,
            )


def ending_stop(question: Question) -> str | None:
    """The stop token that ends the completion."""
    row, ids = question.rows[question.cell.row], question.expect.token_ids
    stops = {row.tokenizer.convert_tokens_to_ids(stop): stop for stop in row.spec.wire.stop}
    return stops.get(ids[-1]) if ids else None


def ends_with_a_stop(question: Question) -> bool:
    """The row expresses the case, and a stop token ends the completion."""
    return question.expect.applies is None and ending_stop(question) is not None


@check("parse.stop-tokens", area="parse", level="PARSE", requires=("RND-062",), kind="golden", applies=ends_with_a_stop)
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
    "parse.cut-thought", area="parse", level="PARSE", requires=("RND-064",), kind="golden", applies=is_cut_in_a_thought
)
def a_cut_thought_is_reasoning(subject: Subject) -> None:
    """What was thought before the cut is reasoning, and not complete."""
    if subject.output.reasoning_complete is not False:
        raise Violation("a cut thought passes as complete", expected=False, got=subject.output.reasoning_complete)
    compare(subject, strip=True)


def prompt_opens_a_thought(question: Question) -> bool:
    """The prompt is given and opens a thought."""
    prompt_given = question.request.get("prompt_ids") is not None
    return question.expect.prompt_opens_thought and prompt_given and knows(question, "reasoning_content")


@check(
    "parse.prompt-thought",
    area="parse",
    level="PARSE",
    requires=("RND-065",),
    kind="golden",
    applies=prompt_opens_a_thought,
)
def the_prompts_thought_is_known(subject: Subject) -> None:
    """Where the prompt opened the thought, the completion begins inside it."""
    compare(subject, strip=True)


def spells_markers(question: Question) -> bool:
    """Ordinary tokens spell a marker."""
    return has_piece(question, "plain") and knows(question, "content")


@check(
    "parse.ordinary-tokens", area="parse", level="PARSE", requires=("RND-067",), kind="golden", applies=spells_markers
)
def ordinary_tokens_are_no_markers(subject: Subject) -> None:
    """Ordinary tokens that spell a marker are text."""
    compare(subject, strip=False)
    calls = subject.output.tool_calls
    if "tool_calls" in subject.expect.judged and calls:
        raise Violation("text became a call", expected=[], got=[call.name for call in calls])


def is_resplit(question: Question) -> bool:
    """The same bytes are split into other tokens."""
    return has_piece(question, "resplit") and knows(question, "content", "tool_calls")


@check("parse.resplit", area="parse", level="PARSE", requires=("RND-068",), kind="golden", applies=is_resplit)
def equal_bytes_parse_equally(subject: Subject) -> None:
    """In another split of the same bytes the answer is the same."""
    compare(subject, strip=False)
    if knows(subject, "tool_calls"):
        calls_come_back(subject)


@check(
    "parse.cut-character",
    area="parse",
    level="PARSE",
    requires=("RND-069",),
    kind="golden",
    applies=judges("content_prefix"),
)
def a_cut_character_costs_one(subject: Subject) -> None:
    """Every whole character before the cut comes back; at most replacement characters follow."""
    prefix, got = subject.expect.content_prefix or "", subject.output.content
    if not got.startswith(prefix) or got[len(prefix) :].strip(CUT):
        raise Violation("characters before the cut are lost or changed", expected=repr(prefix), got=repr(got))
