"""The spec as data: requirement blocks parsed out of the chapters.

A block is a heading ``### RND-012 MUST: title {#RND-012}`` and the text up to the next heading.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tokenspec.data import spec_dir

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")
STRENGTH = {"MUST": 2, "MUST NOT": 2, "SHOULD": 1, "SHOULD NOT": 1, "MAY": 0}
HEADING = re.compile(
    r"^### (?P<id>[A-Z]{3}-\d{3}) (?P<level>MUST NOT|MUST|SHOULD NOT|SHOULD|MAY): "
    r"(?P<title>.+?) \{#(?P<anchor>[A-Z]{3}-\d{3})\}$"
)
UNTESTABLE = re.compile(r"^Untestable: (?P<reason>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Requirement:
    """One normative block.

    ``text`` is the block's body; ``text_sha256`` pins heading and body, so that a changed requirement sends its checks
    back to review.
    """

    id: str
    level: str
    title: str
    chapter: str
    line: int
    text: str

    @property
    def text_sha256(self) -> str:
        """Hash of level, title and body, white space at line ends ignored."""
        body = "\n".join(line.rstrip() for line in self.text.strip().splitlines())
        return hashlib.sha256(f"{self.level}: {self.title}\n{body}".encode()).hexdigest()

    @property
    def untestable(self) -> str | None:
        """The stated reason why no check can judge this requirement."""
        found = UNTESTABLE.search(self.text)
        return found["reason"] if found else None

    @property
    def link(self) -> str:
        """``10-renderers.md#RND-012``."""
        return f"{self.chapter}#{self.id}"


def chapters(folder: Path | None = None) -> list[Path]:
    """The chapter files in order, by default those that the suite judges by."""
    return sorted((folder or spec_dir()).glob("[0-9][0-9]-*.md"))


def parse_chapter(path: Path) -> list[Requirement]:
    """All requirement blocks of one chapter, in order."""
    blocks: list[Requirement] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    start: int | None = None
    heading: re.Match[str] | None = None

    def close(end: int) -> None:
        if heading is not None and start is not None:
            text = "\n".join(lines[start + 1 : end])
            blocks.append(Requirement(heading["id"], heading["level"], heading["title"], path.name, start + 1, text))

    fenced = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and re.match(r"#{1,3} ", line):
            close(number)
            heading, start = HEADING.match(line), number
    close(len(lines))
    return blocks


@cache
def requirements() -> dict[str, Requirement]:
    """All requirements by id."""
    return {block.id: block for path in chapters() for block in parse_chapter(path)}


def withdrawn_ids() -> set[str]:
    """Ids that may never be used again: those ``spec/withdrawn.md`` lists."""
    path = spec_dir() / "withdrawn.md"
    return set(re.findall(r"\b[A-Z]{3}-\d{3}\b", path.read_text(encoding="utf-8"))) if path.exists() else set()


def severity_of(ids: Iterable[str]) -> str:
    """The strongest level among cited requirements: ``MUST``, ``SHOULD`` or ``MAY``. Unknown ids count as MUST."""
    known = requirements()
    strongest = max((STRENGTH[known[id_].level] if id_ in known else 2 for id_ in ids), default=2)
    return ("MAY", "SHOULD", "MUST")[strongest]
