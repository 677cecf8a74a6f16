"""END and SPACE: what the deltas of a stream say together, however it was cut."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.check import NotComparable, Question, Subject, Violation, check
from tokenspec.areas.parse.checks.calls import compare_calls, has_ids, written_ids_come_back
from tokenspec.areas.parse.checks.texts import TEXTS, compare, judges
from tokenspec.areas.parse.records import ParsedCall, ParseOutput, Status
from tokenspec.areas.stream.chunks import CUTTINGS, chunks, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.areas.stream.records import CallDelta, StreamOutput


def joined(output: StreamOutput) -> ParseOutput:
    """The end state: all text in order, and every call with all that was told of it."""
    told: dict[int, list[CallDelta]] = {}
    for delta in output.deltas:
        for part in delta.tool_calls:
            told.setdefault(part.index, []).append(part)
    return ParseOutput(
        content="".join(delta.content or "" for delta in output.deltas),
        reasoning_content="".join(delta.reasoning_content or "" for delta in output.deltas),
        tool_calls=[_call(told[index]) for index in sorted(told)],
    )


def _call(parts: list[CallDelta]) -> ParsedCall:
    text = "".join(part.arguments for part in parts)
    status: Status = next((part.status for part in parts if part.status != "ok"), "ok")
    try:
        arguments: Any = _as_json(_loads(text)) if text else {}
    except ValueError:
        arguments = text
        status = "invalid_json" if status == "ok" else status
    return ParsedCall(
        name=next((part.name for part in parts if part.name), None),
        id=next((part.id for part in parts if part.id), None),
        arguments=arguments,
        status=status,
    )


def _loads(text: str) -> Any:
    """The value of a JSON text. Raises ValueError where it is none, or is nested too deeply to be read."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _as_json(arguments: Any) -> Any:
    """Arguments that are a text of JSON as what it says: a stream of JSON cannot tell the two apart."""
    try:
        return _loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments


WHOLE = judges("content", "reasoning_content", "tool_calls")


@check("stream.end", area="stream", level="END", requires=("RND-085",), kind="golden", applies=WHOLE)
def a_stream_ends_where_the_whole_does(subject: Subject) -> None:
    """The joined deltas have the content, the reasoning and the calls of the completion."""
    calls = [msgspec.structs.replace(call, arguments=_as_json(call.arguments)) for call in subject.expect.tool_calls]
    expect = msgspec.structs.replace(subject.expect, tool_calls=calls)
    whole = replace(subject, output=joined(subject.output), expect=expect)
    compare(whole)
    if "tool_calls" in subject.expect.judged:
        compare_calls(whole)


@check("stream.ids", area="stream", level="END", requires=("RND-080",), kind="golden", applies=has_ids)
def written_ids_are_told(subject: Subject) -> None:
    """An id that was written is the id that is told of its call."""
    written_ids_come_back(replace(subject, output=joined(subject.output)))


@check("stream.white-space", area="stream", level="SPACE", requires=("RND-066",), kind="golden", applies=TEXTS)
def white_space_is_kept(subject: Subject) -> None:
    """Content and reasoning have their outer white space, without the template's own."""
    compare(replace(subject, output=joined(subject.output)), exactly=True)


def said(output: StreamOutput) -> dict[str, Any]:
    """What counts of an end state; a call of which only the name was told may be one that was cut."""
    whole = joined(output)
    return {
        "content": whole.content.strip(),
        "reasoning": (whole.reasoning_content or "").strip(),
        "calls": [(call.name, call.arguments) for call in whole.tool_calls if call.status == "ok" and call.arguments],
    }


def has_tokens(question: Question) -> bool:
    """The row expresses the case."""
    return question.expect.applies is None and bool(question.expect.token_ids)


def require_words(subject: Subject) -> None:
    """Raise NotComparable where nothing was told: silence is the same however it is cut."""
    if not any(delta.content or delta.reasoning_content or delta.tool_calls for delta in subject.output.deltas):
        raise NotComparable("tells nothing (see RND-085)")


def cut_otherwise(subject: Subject) -> Iterator[tuple[str, StreamOutput]]:
    """The answers to the same completion, cut in the other ways."""
    vocabulary = subject.rows[subject.cell.row].vocabulary
    pieces = pieces_of(vocabulary, subject.expect.token_ids)
    for name, cutting in CUTTINGS.items():
        if (asked := chunks(cutting(pieces))) != subject.request["chunks"]:
            yield name, subject.output_of({**subject.request, "chunks": asked})


@check("stream.cuts", area="stream", level="END", requires=("RND-086",), kind="metamorphic", applies=has_tokens)
def the_cuts_change_nothing(subject: Subject) -> None:
    """By token, by character or at random: the same is said in the end, up to outer white space and broken calls."""
    first = said(subject.output)
    require_words(subject)
    for name, output in cut_otherwise(subject):
        for what, other in said(output).items():
            if first[what] != other:
                raise Violation(
                    f"other {what} where the completion is cut {name}", expected=repr(first[what]), got=repr(other)
                )
