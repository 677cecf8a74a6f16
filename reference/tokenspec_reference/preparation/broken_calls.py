"""Calls that no parser reads: as they were given, and as the template wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.given_text import calls_of, content_text
from tokenspec_reference.preparation.json_text import oddities, parse
from tokenspec_reference.preparation.rendering import Rendering

_TYPED = re.compile(r"<\W{0,2}tool[_▁]calls?\b|\[TOOL_CALLS\]")
"""What announces a call that is written into the content, as ShareGPT data have it."""


def broken_calls(renderer: Any, found: Rendering) -> Iterator[Finding]:
    """``broken-call``: malformed as given, or not read back by the parser of the row."""
    for index, message in enumerate(found.conversation.messages):
        if message["role"] != "assistant":
            continue
        calls, run = calls_of(message), found.message_runs.get(index)
        wrong = [(call, why) for call in calls if (why := malformed(call)) is not None]
        for call, why in wrong:
            yield Finding("broken-call", f"the call of {call.get('name')} in message {index}: {why}", index, run)
        if run is not None and not wrong and (calls or _TYPED.search(content_text(message))):
            yield from _read_back(renderer, found, index, calls, run)


def malformed(call: Mapping[str, Any]) -> str | None:
    """What is wrong with a call as it was given."""
    if not isinstance(call.get("name"), str) or not call["name"]:
        return "it has no name"
    arguments = call.get("arguments")
    if isinstance(arguments, str) and arguments.strip():
        try:
            arguments = parse(arguments)
        except ValueError as error:
            return f"its arguments are no JSON: {error}"
        except RecursionError:
            return "its arguments are nested too deeply to be read"
        if odd := next(oddities(arguments), None):
            return f"its arguments: {odd}"
        return None if isinstance(arguments, dict) else "its arguments are JSON, but no object"
    return None if arguments is None or isinstance(arguments, (str, dict)) else "its arguments are no object"


def _read_back(
    renderer: Any, found: Rendering, index: int, calls: Sequence[Mapping[str, Any]], run: tuple[int, int]
) -> Iterator[Finding]:
    try:
        parsed = renderer.parse_response(found.sampled_ids(index), tools=found.conversation.tools).tool_calls
    except TokenSpecError:
        return  # nobody knows the notation: nothing is claimed
    broken = [call for call in parsed if call.status not in {"ok", "unknown_tool"}]
    for call in broken:
        yield Finding("broken-call", f"message {index}: {call.raw[:60]!r} reads as {call.status}", index, run)
    if not broken and calls and [call.name for call in parsed] != [call["name"] for call in calls]:
        written = [call for call in calls if call["name"] in found.regions.get(index, "")]
        if len(written) == len(calls):
            names = ", ".join(str(call.name) for call in parsed) or "no call"
            yield Finding("broken-call", f"message {index} reads back as {names}", index, run)
