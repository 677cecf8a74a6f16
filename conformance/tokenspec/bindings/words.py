"""Names and comments, as languages write them."""

from __future__ import annotations

import re
import textwrap

WIDTH = 110


def pascal(name: str) -> str:
    """Return a type or variant name; capitals inside a word stay.

    A sign in front is spelt out, so ``-inf`` (``MinusInf``) and ``inf`` (``Inf``) are two names.
    """
    signed = re.sub(r"^-(?=.)", "minus-", name)
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", signed) if part]
    joined = "".join(part.capitalize() if part.isupper() else part[0].upper() + part[1:] for part in parts)
    return f"N{joined}" if joined[:1].isdigit() else joined


def comment(text: str, mark: str, indent: str = "") -> list[str]:
    """A text as comment lines; none where there is none."""
    return [f"{indent}{mark} {line}" for line in textwrap.wrap(text.replace("``", "`"), WIDTH - len(indent))]
