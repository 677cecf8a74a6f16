"""Docstrings that a chapter includes, so that what a module does is written once: in the module.

The text between these two comments is the docstring of the named module, turned into Markdown::

    <!-- docstring of reference/package/module.py -->
    <!-- end of docstring -->

The source is parsed, never imported: a chapter may describe what the suite must not depend on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenspec.errors import UsageError
from tokenspec.requirements import chapters
from tokenspec.store.writing import write_atomically

OPENER = re.compile(r"^<!-- docstring of (?P<source>\S+) -->\n", re.MULTILINE)
TEXT = re.compile(r"(?P<text>(?:(?!<!-- ).*\n)*)<!-- end of docstring -->$", re.MULTILINE)
LITERAL = re.compile(r"::\n\n(?P<text>(?:(?: {4}.*)?\n)+)")


@dataclass(frozen=True)
class Included:
    """One place of a chapter: ``text`` is what stands there now, from character ``start`` on."""

    chapter: Path
    line: int
    source: Path
    start: int
    text: str

    @property
    def docstring(self) -> str:
        """What has to stand there."""
        return markdown_of(self.source)


def included_in(chapter: Path, root: Path) -> Iterator[Included]:
    """The places of one chapter, sources taken from the checkout ``root``.

    Raises:
        UsageError: a comment names a file that is not there, or no comment says where its text ends.
    """
    written = chapter.read_text(encoding="utf-8")
    for opener in OPENER.finditer(written):
        line = written.count("\n", 0, opener.start()) + 1
        source, found = root / opener["source"], TEXT.match(written, opener.end())
        if not source.is_file():
            raise UsageError(f"{chapter.name}:{line}: there is no file {opener['source']}")
        if found is None:
            raise UsageError(f"{chapter.name}:{line}: no <!-- end of docstring --> ends the text of this comment")
        yield Included(chapter, line, source, opener.end(), found["text"])


def outdated(root: Path) -> Iterator[Included]:
    """Each place in the chapters of the checkout ``root`` whose text is not its module's docstring."""
    for chapter in chapters(root / "spec"):
        yield from (place for place in included_in(chapter, root) if place.text != place.docstring)


def include(root: Path) -> list[str]:
    """Write the docstrings into the chapters of the checkout ``root``; return the names of the chapters that changed.

    From the end on, so that the places before stay where they were found.
    """
    renewed: dict[Path, str] = {}
    for place in reversed(list(outdated(root))):
        text = renewed.get(place.chapter) or place.chapter.read_text(encoding="utf-8")
        renewed[place.chapter] = text[: place.start] + place.docstring + text[place.start + len(place.text) :]
    for chapter, text in renewed.items():
        write_atomically(chapter, text)
    return sorted(chapter.name for chapter in renewed)


def markdown_of(module: Path) -> str:
    """The docstring of a Python file: literal blocks fenced, ``names`` between single backticks."""
    docstring = (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "") + "\n"
    parts: list[str] = []
    end = 0
    for block in LITERAL.finditer(docstring):
        inside = "\n".join(line[4:] for line in block["text"].strip("\n").split("\n"))
        parts += (_prose(docstring[end : block.start()]), f":\n\n```text\n{inside}\n```\n\n")
        end = block.end()
    return "".join((*parts, _prose(docstring[end:]))).strip("\n") + "\n"


def _prose(text: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", text)
