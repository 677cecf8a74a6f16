"""Parts of the README in a page: ``<!-- readme: Heading -->`` stands for what is under that heading."""

from __future__ import annotations

import re
from pathlib import Path

PLACE = re.compile(r"^<!-- readme: (?P<heading>.+?) -->$", re.MULTILINE)


def with_readme(page: str, readme: Path) -> str:
    """The page with every such part filled in.

    Raises:
        ValueError: the README has no such heading.
    """
    sections = sections_of(readme.read_text(encoding="utf-8"))

    def section(found: re.Match[str]) -> str:
        if found["heading"] not in sections:
            raise ValueError(f"README.md has no heading {found['heading']!r}; it has {', '.join(sections)}")
        return sections[found["heading"]].strip()

    return PLACE.sub(section, page)


def sections_of(text: str) -> dict[str, str]:
    """The text under each heading, without the heading; fences may contain '#' lines."""
    found: dict[str, list[str]] = {}
    current, fenced = "", False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else re.match(r"#{1,2} (.+)", line)
        if heading:
            current = heading[1]
        else:
            found.setdefault(current, []).append(line)
    return {heading: "\n".join(lines) for heading, lines in found.items()}
