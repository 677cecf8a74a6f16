"""The options of a case, tools among them, and the case without one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TOOLS = "tools"


def given_options(given: Mapping[str, Any]) -> list[str]:
    """The names of the options a case's input gives."""
    return [*sorted(given.get("options", {})), *([TOOLS] if given.get(TOOLS) is not None else [])]


def without_option(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A case's input without one option; what a row sets by default holds again."""
    if name == TOOLS:
        return {**given, TOOLS: None}
    return {**given, "options": {key: value for key, value in given["options"].items() if key != name}}
