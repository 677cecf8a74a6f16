"""Requirement ids in prose become links to their pages; code stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

CODE = re.compile(r"(`[^`\n]*`)")
ID = re.compile(r"(?<![\[\w#-])([A-Z]{3}-\d{3})(?![\w\]-])")


def linked(text: str, known: set[str], folder: str) -> str:
    """Markdown with each known id linked; ``folder`` leads from the page to ``requirements/``."""
    return "".join(_lines(text, known, folder))


def _lines(text: str, known: set[str], folder: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith(("#", "    ", "(")):
            yield line
            continue
        parts = CODE.split(line)
        yield "".join(
            part if part.startswith("`") else ID.sub(lambda m: _link(m, known, folder), part) for part in parts
        )


def _link(found: re.Match[str], known: set[str], folder: str) -> str:
    id_ = found[1]
    return f"[{id_}]({folder}{id_}.md)" if id_ in known else id_
