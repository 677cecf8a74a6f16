"""PARSE: content, reasoning and calls are the characters the template wrote for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, Subject, Violation, check

if TYPE_CHECKING:
    from tokenspec.areas.parse.records import ParseExpect

CUT = "\ufffd"


def judged(subject: Subject, *names: str) -> bool:
    """Whether the row expresses the case and the oracle knows one of these fields."""
    expect: ParseExpect = subject.expect
    return expect.applies is None and any(name in expect.judged for name in names)


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


@check("parse.texts", area="parse", level="PARSE", requires=("RND-060",), kind="golden")
def texts_come_back(subject: Subject) -> Applicability | None:
    """Content and reasoning come back apart (outer white space is another check's)."""
    if not judged(subject, "content", "reasoning_content"):
        return NOT_APPLICABLE
    compare(subject, strip=True)
    return None


@check("parse.white-space", area="parse", level="PARSE", requires=("RND-066",), kind="golden")
def white_space_is_kept(subject: Subject) -> Applicability | None:
    """Content and reasoning come back with their outer white space, without the template's own."""
    if not judged(subject, "content", "reasoning_content"):
        return NOT_APPLICABLE
    compare(subject, strip=False)
    return None


@check("parse.calls", area="parse", level="PARSE", requires=("RND-061",), kind="golden")
def calls_come_back(subject: Subject) -> Applicability | None:
    """Calls come back in number, order, name and values."""
    if not judged(subject, "tool_calls"):
        return NOT_APPLICABLE
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
    return None


def same_value(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, 1 is not "1", the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


@check("parse.attempts", area="parse", level="PARSE", requires=("RND-063",), kind="golden")
def broken_calls_are_attempts(subject: Subject) -> Applicability | None:
    """A broken call is reported in its place with a status of its own, a good one with `ok`."""
    expected = subject.expect.tool_calls
    if not judged(subject, "tool_calls") or not expected:
        return NOT_APPLICABLE
    got = subject.output.tool_calls
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
    return None


@check("parse.stop-tokens", area="parse", level="PARSE", requires=("RND-062",), kind="golden")
def stop_tokens_are_not_content(subject: Subject) -> Applicability | None:
    """The content does not end with the stop tokens that ended the turn."""
    row, ids = subject.rows[subject.cell.row], subject.expect.token_ids
    stops = {row.tokenizer.convert_tokens_to_ids(stop): stop for stop in row.spec.wire.stop}
    if subject.expect.applies is not None or not ids or ids[-1] not in stops:
        return NOT_APPLICABLE
    stop = stops[ids[-1]]
    for name in ("content", "reasoning_content"):
        text = getattr(subject.output, name) or ""
        if text.rstrip().endswith(stop):
            raise Violation(f"{name} ends with the stop token", expected="without it", got=repr(text[-40:]))
    return None


@check("parse.cut-thought", area="parse", level="PARSE", requires=("RND-064",), kind="golden")
def a_cut_thought_is_reasoning(subject: Subject) -> Applicability | None:
    """What was thought before the cut is reasoning, and not complete."""
    expect: ParseExpect = subject.expect
    if not judged(subject, "reasoning_complete") or expect.reasoning_complete is not False:
        return NOT_APPLICABLE
    if subject.output.reasoning_complete is not False:
        raise Violation("a cut thought passes as complete", expected=False, got=subject.output.reasoning_complete)
    compare(subject, strip=True)
    return None


@check("parse.prompt-thought", area="parse", level="PARSE", requires=("RND-065",), kind="golden")
def the_prompts_thought_is_known(subject: Subject) -> Applicability | None:
    """Where the prompt opened the thought, the completion begins inside it."""
    prompt_given = subject.request.get("prompt_ids") is not None
    if not subject.expect.prompt_opens_thought or not prompt_given or not judged(subject, "reasoning_content"):
        return NOT_APPLICABLE
    compare(subject, strip=True)
    return None


@check("parse.ordinary-tokens", area="parse", level="PARSE", requires=("RND-067",), kind="golden")
def ordinary_tokens_are_no_markers(subject: Subject) -> Applicability | None:
    """Ordinary tokens that spell a marker are text."""
    if not any("plain" in piece for piece in subject.input["completion"]) or not judged(subject, "content"):
        return NOT_APPLICABLE
    compare(subject, strip=False)
    calls = subject.output.tool_calls
    if "tool_calls" in subject.expect.judged and calls:
        raise Violation("text became a call", expected=[], got=[call.name for call in calls])
    return None


@check("parse.resplit", area="parse", level="PARSE", requires=("RND-068",), kind="golden")
def equal_bytes_parse_equally(subject: Subject) -> Applicability | None:
    """In another split of the same bytes the answer is the same."""
    resplit = any("resplit" in piece for piece in subject.input["completion"])
    if not resplit or not judged(subject, "content", "tool_calls"):
        return NOT_APPLICABLE
    compare(subject, strip=False)
    return calls_come_back(subject)


@check("parse.cut-character", area="parse", level="PARSE", requires=("RND-069",), kind="golden")
def a_cut_character_costs_one(subject: Subject) -> Applicability | None:
    """Every whole character before the cut comes back; at most replacement characters follow."""
    if not judged(subject, "content_prefix"):
        return NOT_APPLICABLE
    prefix, got = subject.expect.content_prefix or "", subject.output.content
    if not got.startswith(prefix) or got[len(prefix) :].strip(CUT):
        raise Violation("characters before the cut are lost or changed", expected=repr(prefix), got=repr(got))
    return None
