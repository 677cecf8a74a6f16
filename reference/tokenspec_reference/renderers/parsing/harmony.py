"""gpt-oss: a completion is a row of messages, each with a channel and maybe a recipient."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.parsing.call_formats import Attempt, ToolSchemas, called
from tokenspec_reference.renderers.parsing.parsed import ParsedResponse, ParsedToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.parsing.completion import Completion

CHANNEL, MESSAGE, END = "<|channel|>", "<|message|>", "<|end|>"
_RECIPIENT = re.compile(r"to=([^\s<]+)")


def parse_harmony(view: Completion, tools: ToolSchemas) -> ParsedResponse:
    """Analysis is reasoning, a message to ``functions.NAME`` is a call, everything else is content.

    The prompt ended in ``<|start|>assistant``, so the first header begins with the completion.
    """
    reasoning: list[str] = []
    content: list[str] = []
    calls: list[ParsedToolCall] = []
    complete = True
    for start, header, body_start, end, ended in _messages(view):
        closed = ended or view.stopped
        text = view.text[body_start:end]
        recipient = _RECIPIENT.search(header)
        if recipient and recipient[1].startswith("functions."):
            attempt = _call(recipient[1].removeprefix("functions."), text, tools, is_cut=not closed)
            span = view.span(start, end)
            calls.append(ParsedToolCall(view.text[start:end], attempt.name, attempt.arguments, attempt.status, span))
        elif "analysis" in header.split(CHANNEL)[-1]:
            reasoning.append(text)
            complete = ended
        else:
            content.append(text)
    return ParsedResponse("".join(content), "\n".join(reasoning) if reasoning else None, calls, complete)


def _messages(view: Completion) -> Iterator[tuple[int, str, int, int, bool]]:
    """Start, header, start and end of the body of each message, and whether ``<|end|>`` ended it.

    A completion without any header is one message of plain text.
    """
    position = 0
    if view.find(MESSAGE) < 0:
        if view.find(CHANNEL) < 0:
            yield 0, "", 0, len(view.text), False
        else:
            yield 0, view.text, len(view.text), len(view.text), False
        return
    while position < len(view.text):
        begin = view.find(MESSAGE, position)
        if begin < 0:
            return
        body = begin + len(MESSAGE)
        end = view.find(END, body)
        stop = len(view.text) if end < 0 else end
        yield position, view.text[position:begin], body, stop, end >= 0
        position = stop + len(END)


def _call(name: str, text: str, tools: ToolSchemas, *, is_cut: bool) -> Attempt:
    if is_cut:
        return Attempt(name or None, text, "unclosed_block")
    try:
        value = json.loads(text)
    except ValueError:
        return Attempt(name or None, text, "invalid_json")
    return called(name, value, tools)
