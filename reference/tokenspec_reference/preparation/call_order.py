"""Calls and results: each call that goes on has its result, each result its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.given_text import calls_of


def unanswered(messages: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """``call-without-result`` and ``result-without-call``.

    Results are told apart by id where both sides have one, else by order. Calls that end the conversation need none.
    """
    pending: list[tuple[int, Mapping[str, Any]]] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            given = message.get("tool_call_id")
            place = next((k for k, (_, call) in enumerate(pending) if _answers(given, call.get("id"))), None)
            if place is None:
                named = f" (tool_call_id {given!r})" if given else ""
                yield Finding("result-without-call", f"message {index}{named} answers no open call", index)
            else:
                del pending[place]
            continue
        yield from _left(pending)
        pending = [(index, call) for call in calls_of(message)] if message["role"] == "assistant" else []
    if messages[-1]["role"] == "tool":
        yield from _left(pending)


def _answers(given: Any, wanted: Any) -> bool:
    return not given or not wanted or given == wanted


def _left(pending: list[tuple[int, Mapping[str, Any]]]) -> Iterator[Finding]:
    for index, call in pending:
        yield Finding("call-without-result", f"the call of {call.get('name')} in message {index}", index)
