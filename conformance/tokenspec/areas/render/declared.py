"""What an implementation declares of its answers, applied: to the request it gets, and to what is expected of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.render.records import RenderExpect, RenderOutput, SpanKind
from tokenspec.oracle.clock import FROZEN

if TYPE_CHECKING:
    from tokenspec.adapters.capability import Profile
    from tokenspec.areas.check import Question

Span = tuple[SpanKind, "int | None", int, str]
EMPTY_THOUGHT = re.compile(r"<(\w*think\w*)>\s*</\1>\s*")
TIMES: dict[SpanKind, int] = {"scaffold": -1, "unattributed": 1}
"""How many dates of a span are the template's, -1: all."""
DATES = ("%d %b %Y", "%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d/%m/%Y")


def declared_request(request: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """The request with its messages in the declared form."""
    messages = request["messages"]
    if not isinstance(messages, list):
        return request
    return {**request, "messages": [_message(message, profile) for message in messages]}


def _message(message: Any, profile: Profile) -> Any:
    if not isinstance(message, dict):
        return message
    found = {profile.reasoning if key == "reasoning_content" else key: value for key, value in message.items()}
    calls = found.get("tool_calls")
    if profile.arguments == "string" and isinstance(calls, list):
        found["tool_calls"] = [_written(call) for call in calls]
    return found


def _written(call: Any) -> Any:
    """A call with its arguments as JSON text."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), Mapping):
        return call
    return {**call, "function": {**function, "arguments": json.dumps(function["arguments"], ensure_ascii=False)}}


def declared_expect(question: Question, profile: Profile, output: RenderOutput) -> RenderExpect:
    """What is expected of an implementation that answers in this form."""
    expect: RenderExpect = question.expect
    spans = list(expect.spans)
    if profile.clock == "own":
        spans = _at_its_own_time(spans, _text_of(question, output))
    if expect.unattributed is None:
        spans = _in_form(question, spans, profile)
    text = "".join(span[3] for span in spans)
    if text == expect.text:
        return msgspec.structs.replace(expect, spans=spans)
    tokenizer = question.rows[question.cell.row].vocabulary
    return msgspec.structs.replace(expect, spans=spans, token_ids=tokenizer.encode(text, add_special_tokens=False))


def _in_form(question: Question, spans: list[Span], profile: Profile) -> list[Span]:
    """The spans as far as the form depends on whose they are."""
    if profile.ending == "stop" and spans and any(span[0] == "sampled" for span in spans):
        spans = _ended(spans)
    policy = (profile.empty_thought, profile.after_stop, profile.sampled)
    if policy != ("sampled", "scaffold", "turn"):
        spans = list(_by_policy(question, spans, profile))
    return spans


def _text_of(question: Question, output: RenderOutput) -> str:
    """The text that was given, or what the ids spell."""
    if output.text is not None:
        return output.text
    return question.rows[question.cell.row].vocabulary.decode(output.token_ids or [])


def _ended(spans: list[Span]) -> list[Span]:
    """Without the scaffold behind the last turn, where that is the assistant's."""
    last = max(index for index, span in enumerate(spans) if span[0] != "scaffold")
    return spans[: last + 1] if spans[last][0] == "sampled" else spans


def _at_its_own_time(spans: list[Span], text: str) -> list[Span]:
    """With the date that stands in ``text`` where the frozen one stands in the scaffold; it has to be a date.

    Where differences cannot tell the scaffold, the first is the template's.
    """
    whole = "".join(span[3] for span in spans)
    for form in DATES:
        frozen = FROZEN.strftime(form)
        at = whole.find(frozen)
        if at < 0:
            continue
        own = _date_at(text, at, form)
        return [
            (kind, message, tokens, part.replace(frozen, own, TIMES[kind]) if own and kind in TIMES else part)
            for kind, message, tokens, part in spans
        ]
    return spans


def _date_at(text: str, at: int, form: str) -> str | None:
    """The date of this form that begins at a place, or None."""
    for length in reversed(range(8, 20)):  # the longest: a day may have one digit or two
        try:
            datetime.strptime(text[at : at + length], form)  # noqa: DTZ007 - only its form is asked
        except ValueError:
            continue
        return text[at : at + length]
    return None


def _by_policy(question: Question, spans: list[Span], profile: Profile) -> Iterator[Span]:
    """The spans with what the mask policy leaves out as scaffold of its message, and what it adds as sampled."""
    behind: int | None = None
    for kind, message, tokens, text in spans:
        part = text
        if behind is not None and kind == "scaffold" and part.startswith("\n"):
            yield "sampled", behind, 0, "\n"
            part = part[1:]
        behind = None
        if kind != "sampled":
            if part:
                yield kind, message, tokens, part
            continue
        behind = message if profile.after_stop == "sampled" else None
        begin, end = _trained(question, message, part, profile)
        for own, run in ((False, part[:begin]), (True, part[begin:end]), (False, part[end:])):
            if run:
                yield "sampled" if own else "scaffold", message, tokens, run


def _trained(question: Question, message: int | None, text: str, profile: Profile) -> tuple[int, int]:
    """Which characters of a sampled run the policy trains."""
    begin, end = 0, len(text)
    if profile.empty_thought == "scaffold" and (thought := EMPTY_THOUGHT.match(text)):
        begin = thought.end()
    if profile.sampled == "content":
        body = question.input["messages"][message].get("content") if message is not None else None
        if isinstance(body, str) and body and text.count(body, begin) == 1:
            begin = text.index(body, begin)
            end = begin + len(body)
        else:
            begin = end
    return begin, end
