"""Completions written by hand in the notation of some rows, and the words that say what they hold."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import ENDED_THOUGHT, STOP, TOOLS, Piece, parse, text
from tokenspec.areas.render.cases.build import Tool, function
from tokenspec.store.records import Case

BROKEN = ("RND-061", "RND-063")
ROME = {"name": "get_weather", "arguments": {"city": "Rome"}}
JSON_ERROR = {"status": ["invalid_json"]}
CUT = {"status": ["unclosed_block"]}
MALFORMED = {"status": ["malformed_structure"]}
NAMELESS = {"status": ["missing_name"]}
NO_NAME = {"status": ["missing_name", "malformed_structure"]}
UNREADABLE = {"status": ["invalid_json", "malformed_structure"]}
NO_CLOSE = {"status": ["unclosed_block", "invalid_json", "malformed_structure"]}
READ = function(
    "read",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": ["integer", "null"]},
            "unit": {"enum": ["C", "F"]},
            "level": {"enum": [1, 2]},
            "place": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "tag": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "free": {},
        },
    },
    "Read.",
)

TOOLS_OF_CASES = [*TOOLS, READ]


def odd(
    slug: str,
    why: str,
    rows: list[str],
    written: str,
    *calls: dict[str, Any],
    stop: Piece | None = STOP,
    content: str | None = "",
    reasoning: str | None = None,
    requires: tuple[str, ...] = BROKEN,
    tools: list[Tool] | None = TOOLS_OF_CASES,
    options: dict[str, Any] | None = None,
    flags: tuple[str, ...] = (),
    tried: str | None = "",
) -> Case:
    """One completion written in the notation of some rows, and what it says; `content=None` is not judged.

    `tried` is the name that was written whole in the broken calls; None where none was.
    """
    named = {"name": tried} if tried else {}
    says: dict[str, Any] = {"tool_calls": [call if "name" in call else {**named, **call} for call in calls]}
    if tried != "" or NAMELESS in calls:
        requires = (*requires, "RND-084")
    if content is not None:
        says["content"] = content
    if reasoning is not None:
        says["reasoning_content"] = reasoning
    cut = stop is None
    return parse(
        slug,
        why,
        [ENDED_THOUGHT, text(written), *([] if stop is None else [stop])],
        "TOOL_CALLS",
        *(("TRUNCATION",) if cut else ()),
        *flags,
        requires=requires,
        says=says,
        tools=tools,
        options=options,
        rows=rows,
    )
