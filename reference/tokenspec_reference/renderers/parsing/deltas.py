"""What a stream tells of a completion, chunk by chunk."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.parsed import ParsedToolCall, Status


@dataclass(frozen=True)
class CallDelta:
    """A call that became known: its place among the calls, and its arguments as JSON text.

    ``arguments`` of an attempt that is not ``ok`` are the text that was written.
    """

    index: int
    name: str | None
    arguments: str
    status: Status = "ok"
    id: str | None = None


@dataclass(frozen=True)
class Delta:
    """What became known with a chunk: text to append to content and reasoning, and further calls."""

    content: str = ""
    reasoning_content: str = ""
    tool_calls: list[CallDelta] = field(default_factory=list)


def call_delta(index: int, call: ParsedToolCall) -> CallDelta:
    """The delta of a call that was parsed."""
    value = call.arguments
    arguments = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return CallDelta(index, call.name, arguments, call.status, call.id)
