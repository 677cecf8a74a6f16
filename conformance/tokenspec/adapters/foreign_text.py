"""Text that an implementation gives to be printed: it can neither forge a line nor change how a line is read.

It is made harmless where it comes in: who an implementation says it is, its refusals and errors, and what a check says
of its output. What prints it needs no care of its own. Outputs that are judged stay as they are.
"""

from __future__ import annotations

import re
from typing import Any

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
UNSEEN = f"\x00-\x1f\x7f-\x9f\u2028\u2029{BIDIRECTIONAL}\ufeff\ud800-\udfff"
REORDERING = re.compile(f"[{BIDIRECTIONAL}]")
HIDDEN = re.compile(f"[{UNSEEN}]")
LINE_ENDS = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
COMMAND = re.compile(rf"(?<![^\s{UNSEEN}])::")
"""Two colons that can come to begin a line: there a job of GitHub Actions takes what follows for a command."""


def foreign_text(text: str, *, lines: bool = False) -> str:
    r"""The text with control and bidirectional characters, and line ends, as escapes: ``\x1b``, ``\u202e``, ``\n``.

    With ``lines`` a line end stays one, as ``\n``, and a tab stays. ``::`` in front of a word becomes ``: :``.
    """
    if lines:
        return "\n".join("\t".join(map(foreign_text, line.split("\t"))) for line in LINE_ENDS.split(text))
    return HIDDEN.sub(_escape, COMMAND.sub(": :", text))


def in_reading_order(text: str) -> str:
    """The text with bidirectional characters alone as escapes: what a token spells, shown where it stands."""
    return REORDERING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]


def foreign_value(value: Any) -> Any:
    """A JSON value with all its texts harmless, keys included."""
    if isinstance(value, str):
        return foreign_text(value)
    if isinstance(value, dict):
        return {foreign_value(key): foreign_value(item) for key, item in value.items()}
    return [foreign_value(item) for item in value] if isinstance(value, list | tuple) else value
