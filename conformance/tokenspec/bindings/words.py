"""Names and comments, as languages write them."""

from __future__ import annotations

import re
import textwrap

WIDTH = 110


def pascal(name: str) -> str:
    """``id_profile``, ``sampled-boundary`` and ``-inf`` as type and variant names; capitals inside a word stay."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
    joined = "".join(part.capitalize() if part.isupper() else part[0].upper() + part[1:] for part in parts)
    return f"N{joined}" if joined[:1].isdigit() else joined


def comment(text: str, mark: str, indent: str = "") -> list[str]:
    """A text as comment lines; none where there is none."""
    return [f"{indent}{mark} {line}" for line in textwrap.wrap(text.replace("``", "`"), WIDTH - len(indent))]
