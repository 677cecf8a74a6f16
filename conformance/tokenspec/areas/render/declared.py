"""What an implementation declares of its answers, applied: to the request it gets, and to what is expected of it."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.render.records import RenderExpect, RenderOutput, SpanKind
from tokenspec.oracle.clock import FROZEN
from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from tokenspec.adapters.capability import Profile
    from tokenspec.areas.check import Question

Span = tuple[SpanKind, "int | None", int, str]
EMPTY_THOUGHT = re.compile(r"<(\w*think\w*)>\s*</\1>\n*")
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
    elif profile.ending == "stop":
        spans = _cut(question, spans)
    if spans == list(expect.spans):
        return expect
    text = "".join(span[3] for span in spans)
    tokenizer = question.rows[question.cell.row].vocabulary
    ids = expect.token_ids if text == expect.text else tokenizer.encode(text, add_special_tokens=False)
    counted = _counted(spans, token_starts(tokenizer, ids, text))
    return msgspec.structs.replace(expect, spans=counted, token_ids=ids, sampled=None, is_content=None)


def _counted(spans: list[Span], starts: Sequence[int] | None) -> list[Span]:
    """The spans with how many tokens begin in each; as they are where the tokens do not spell the text."""
    if starts is None:
        return spans
    ends = [0, *accumulate(len(span[3]) for span in spans)]
    places = [bisect_left(starts, end) for end in ends]
    return [
        (kind, message, last - first, text)
        for (kind, message, _, text), first, last in zip(spans, places, places[1:], strict=False)
    ]


def _in_form(question: Question, spans: list[Span], profile: Profile) -> list[Span]:
    """The spans as far as the form depends on whose they are."""
    if profile.ending == "stop" and spans and any(span[0] == "sampled" for span in spans):
        spans = _ended(spans)
    if profile.after_stop == "sampled" and _opens_the_next(question, spans):
        profile = msgspec.structs.replace(profile, after_stop="scaffold")
    policy = (profile.empty_thought, profile.after_stop, profile.sampled)
    if policy != ("sampled", "scaffold", "turn"):
        spans = list(_by_policy(question, spans, profile))
    return spans


def _opens_the_next(question: Question, spans: list[Span]) -> bool:
    """Whether a token that ends the assistant's turns is the header of others, so that the newline is theirs."""
    headers = tuple(f"{one}\n" for one in question.rows[question.cell.row].spec.wire.assistant_close)
    before = ""
    for kind, _, _, text in spans:
        if kind == "content" and before.endswith(headers):
            return True
        before += text
    return False


def _text_of(question: Question, output: RenderOutput) -> str:
    """The text that was given, or what the ids spell."""
    if output.text is not None:
        return output.text
    return question.rows[question.cell.row].vocabulary.decode(output.token_ids or [])


def _ended(spans: list[Span]) -> list[Span]:
    """Without the scaffold behind the last turn, where that is the assistant's."""
    last = max(index for index, span in enumerate(spans) if span[0] != "scaffold")
    return spans[: last + 1] if spans[last][0] == "sampled" else spans


def _cut(question: Question, spans: list[Span]) -> list[Span]:
    """A text of which nobody can tell whose it is, without the newline behind the token that ends its last turn."""
    text = "".join(span[3] for span in spans)
    closers = tuple(question.rows[question.cell.row].spec.wire.assistant_close)
    messages = question.input["messages"]
    is_ended = isinstance(messages, list) and messages and messages[-1].get("role") == "assistant"
    if not is_ended or not text.removesuffix("\n").endswith(closers):
        return spans
    return [("unattributed", None, 0, text.removesuffix("\n"))]


def date_of(spans: Sequence[Span]) -> tuple[str, int] | None:
    """The form that the frozen date stands in first, and its place in the text; None where it stands nowhere."""
    whole = "".join(span[3] for span in spans)
    found = ((form, whole.find(FROZEN.strftime(form))) for form in DATES)
    return next(((form, at) for form, at in found if at >= 0), None)


def dated(spans: Sequence[Span], form: str, date: str) -> list[Span]:
    """The spans with another date where the frozen one stands in the scaffold.

    Where differences cannot tell the scaffold, the first is the template's.
    """
    frozen = FROZEN.strftime(form)
    return [
        (kind, message, tokens, part.replace(frozen, date, TIMES[kind]) if kind in TIMES else part)
        for kind, message, tokens, part in spans
    ]


def _at_its_own_time(spans: list[Span], text: str) -> list[Span]:
    """With the date that stands in ``text`` where the frozen one stands; it has to be a date."""
    if (found := date_of(spans)) is None:
        return spans
    form, at = found
    own = _date_at(text, at, form)
    return dated(spans, form, own) if own else spans


def _date_at(text: str, at: int, form: str) -> str | None:
    """The longest date of this form that begins at a place, or None."""
    for length in range(20, 7, -1):
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
