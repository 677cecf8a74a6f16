"""Every command that a document or a help text shows: where it stands, and its words."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from tokenspec.cli import group
from tokenspec.data import checkout_root

ROOT = checkout_root() or Path()
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "BENCHMARKS.md", "CHANGELOG.md", "fixtures/README.md")),
    *sorted((ROOT / "spec").glob("*.md")),
    *sorted((ROOT / "conformance/docs/pages").glob("*.md")),
]
BLOCK = re.compile(r"^ *```(?:sh|bash|shell)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:tokenspec|tokenspec-segment|tox|pytest|pip|uvx|docker) [^`]+)`")
IN_HELP = re.compile(r"(?:Example|See|One of|First steps): +(tokenspec .+?)(?:\.?$|\.? +(?:or|then) +(?=tokenspec))")
ASSIGNED = re.compile(r"[A-Z_]+=\S*")


@dataclass(frozen=True)
class Shown:
    """A command: of which document or help, whether a block shows it to be typed, and its words."""

    source: str
    typed: bool
    text: str

    @property
    def words(self) -> list[str]:
        """Its words without assignments before them; what a pipe or a file takes of it is left out."""
        words = shlex.split(self.text, comments=True)
        while words and ASSIGNED.fullmatch(words[0]):
            words.pop(0)
        ends = [words.index(mark) for mark in ("|", ">") if mark in words]
        return words[: min(ends)] if ends else words


def of_document(path: Path) -> Iterator[Shown]:
    """The commands of one document, line by line of its blocks, then those within sentences."""
    text = path.read_text(encoding="utf-8")
    source = path.relative_to(ROOT).as_posix()
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            for part in line.split(" && "):
                if shlex.split(part, comments=True):
                    yield Shown(source, True, part.strip())
    for found in INLINE.findall(text):
        yield Shown(source, False, " ".join(found.split()))


def of_help(
    command: click.Command = group, name: str = "tokenspec", above: click.Context | None = None
) -> Iterator[Shown]:
    """The commands of a help text and of those below it."""
    context = click.Context(command, info_name=name.rsplit(maxsplit=1)[-1], parent=above)
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        for found in IN_HELP.findall(" ".join(paragraph.split())):
            yield Shown(f"{name} --help", paragraph.startswith("Example"), found)
    for parameter in command.params:
        for found in IN_HELP.findall(getattr(parameter, "help", None) or ""):
            yield Shown(f"{name} --help", False, found)
    for below in command.list_commands(context) if isinstance(command, click.Group) else ():
        found_below = command.get_command(context, below) if isinstance(command, click.Group) else None
        if found_below is not None:
            yield from of_help(found_below, f"{name} {below}", context)


def shown() -> list[Shown]:
    """All, each text once a place."""
    return list(dict.fromkeys([*(one for path in DOCUMENTS for one in of_document(path)), *of_help()]))
