"""What a completion says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "invalid_json", "unclosed_block", "missing_name", "malformed_structure", "unknown_tool"]


@dataclass(frozen=True)
class ParsedToolCall:
    """One attempt to call a tool. ``token_span`` is half-open into the completion's ids; ``raw`` is its text.

    Name and arguments are what could be read; they are reliable when ``status`` is ``ok``.
    """

    raw: str
    name: str | None
    arguments: Any = None
    status: Status = "ok"
    token_span: tuple[int, int] | None = None
    id: str | None = None


@dataclass(frozen=True)
class ParsedResponse:
    """Content, reasoning and calls of one completion.

    ``content`` is always text, ``tool_calls`` always a list with one record per attempt, in order.
    ``reasoning_content`` is None where the model did not think; ``reasoning_complete`` is False for a cut thought.
    """

    content: str
    reasoning_content: str | None = None
    tool_calls: list[ParsedToolCall] = field(default_factory=list)
    reasoning_complete: bool = True
