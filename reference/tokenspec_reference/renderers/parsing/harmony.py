"""gpt-oss: a completion is a row of messages, each with a channel and maybe a recipient."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokenspec_reference.renderers.parsing.call_formats import Attempt, ToolSchemas, called
from tokenspec_reference.renderers.parsing.json_values import loads
from tokenspec_reference.renderers.parsing.parsed import ParsedResponse, ParsedToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.parsing.completion import Completion

START, CHANNEL, MESSAGE, END = "<|start|>", "<|channel|>", "<|message|>", "<|end|>"
_RECIPIENT = re.compile(r"to=([^\s<]+)")
_CUT_RECIPIENT = re.compile(r"\sto=?()\Z")
_BEFORE_CHANNEL = re.compile(r"\s*(?:assistant)?\s*(?:to=[^\s<]+)?\s*")
_OPENING = re.compile(r"<\|start\|>\s*(?:assistant)?|<\|end\|>")
_OWN_WORDS = re.compile(
    rf"{_OPENING.pattern}|<\|(?:channel|constrain)\|>\s*(?:analysis|commentary|final|json|code)?|\b(?:json|code)\b"
)
"""What headers consist of; other words in one are content."""
_ROLE = re.compile(r"\A\s*(?:assistant)?")
_CHANNEL_NAME = re.compile(r"\s*(?:analysis|commentary|final)?")


class Message(NamedTuple):
    """One message of a completion; ``header`` is None for text that stands in none, and ``ended`` whether it closed."""

    start: int
    header: str | None
    body: int
    end: int
    ended: bool


def parse_harmony(view: Completion, tools: ToolSchemas) -> ParsedResponse:
    """Analysis is reasoning, a message to somebody is a call, everything else is content. No word is dropped.

    The prompt ended in ``<|start|>assistant``, so the first header begins with the completion. A recipient outside
    ``functions.`` (``browser.search``, ``python``) is a tool of that name.
    """
    reasoning: list[str] = []
    content: list[str] = []
    calls: list[ParsedToolCall] = []
    complete = True
    for start, header, body, end, ended in _messages(view):
        text = view.text[body:end]
        recipient = _RECIPIENT.search(header or "") or (not ended and _CUT_RECIPIENT.search(header or ""))
        if recipient:
            is_cut = not (ended or view.stopped)
            is_named = not is_cut or start + recipient.end() < len(view.text)
            name = recipient[1].removeprefix("functions.") if is_named else ""
            attempt = _call(name, text, tools, is_cut=is_cut)
            span = view.span(start, end)
            calls.append(ParsedToolCall(view.text[start:end], attempt.name, attempt.arguments, attempt.status, span))
            continue
        odd = _OWN_WORDS.sub("", header or "")
        content.append(odd if odd.strip() else "")
        if header is not None and "analysis" in header.split(CHANNEL)[-1]:
            reasoning.append(text)
            complete = ended
        elif header is not None:
            content.append(text)
        else:
            content.append(_OPENING.sub("", text) if text.strip() else "")
    return ParsedResponse("".join(content), "\n".join(reasoning) if reasoning else None, calls, complete)


def ended_and_open(view: Completion) -> tuple[int, int, bool]:
    """Up to where all messages have ended, where the text of an open one begins (-1: none), whether it is a call."""
    position = 0
    while (begin := view.find(MESSAGE, position)) >= 0:
        body = begin + len(MESSAGE)
        end = view.find(END, body)
        if end < 0:
            header = view.text[_header(view, position, begin) : begin]
            return position, body, bool(_RECIPIENT.search(header) or _CUT_RECIPIENT.search(header))
        position = end + len(END)
    return position, -1, False


def _messages(view: Completion) -> Iterator[Message]:
    """The messages in their order, and the text between, before and behind them."""
    position = 0
    while (begin := view.find(MESSAGE, position)) >= 0:
        opens = _header(view, position, begin)
        if opens > position:
            yield Message(position, None, position, opens, ended=True)
        body = begin + len(MESSAGE)
        end = view.find(END, body)
        stop = len(view.text) if end < 0 else end
        yield Message(opens, view.text[opens:begin], body, stop, end >= 0)
        position = stop + len(END)
    opens = _header(view, position, len(view.text))
    if opens > position:
        yield Message(position, None, position, opens, ended=True)
    yield from _unfinished(view, opens)


def _unfinished(view: Completion, opens: int) -> Iterator[Message]:
    """A header that no message follows: what it holds beside its own words is text of its channel, or of none."""
    channel = view.find(CHANNEL, opens)
    if channel >= 0:
        body = channel + len(CHANNEL)
        named = _CHANNEL_NAME.match(view.text, body)
        is_cut = named and not view.stopped and _CUT_RECIPIENT.match(view.text, named.end())
        body = named.end() if named and not (is_cut or _RECIPIENT.search(view.text, opens)) else len(view.text)
        yield Message(opens, view.text[opens:body], body, len(view.text), ended=False)
    elif opens < len(view.text):
        end = len(view.text)
        body = end - len(_ROLE.sub("", view.text[opens + len(START) :]))
        is_call = not view.stopped and (_RECIPIENT.search(view.text, body) or _CUT_RECIPIENT.search(view.text, body))
        yield Message(opens, view.text[opens:] if is_call else None, end if is_call else body, end, ended=False)


def _header(view: Completion, start: int, end: int) -> int:
    """Where the header begins that ends at ``end``; there, where none does."""
    opens = -1
    while (found := view.find(START, max(start, opens + 1), end)) >= 0:
        opens = found
    if opens >= 0:
        return opens
    channel = view.find(CHANNEL, start, end)
    if channel < 0:
        return start if _BEFORE_CHANNEL.fullmatch(view.text, start, end) and end < len(view.text) else end
    return start if _BEFORE_CHANNEL.fullmatch(view.text, start, channel) else channel


def _call(name: str, text: str, tools: ToolSchemas, *, is_cut: bool) -> Attempt:
    if is_cut:
        return Attempt(name or None, text, "unclosed_block")
    try:
        value = loads(text)
    except ValueError:
        return Attempt(name or None, text, "invalid_json")
    return called(name, value, tools)
