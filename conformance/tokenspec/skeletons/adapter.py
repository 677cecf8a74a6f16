"""The source of a new adapter: a program of its language with the chosen operations, each ready to be filled in.

A template is a whole program. Lines between ``>>> NAME`` and ``<<<``, and lines that end in ``only NAME``, belong to
the operation NAME, which they show on an input so simple that no library is needed; those of ``*`` are written once
for every chosen operation that no example is of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

ANY = "*"
STUB = "other_operation"
BEGIN = re.compile(r"^\s*(?://|#) >>> (\S+)$")
END = re.compile(r"^\s*(?://|#) <<<$")
ONE = re.compile(r"\s+(?://|#) only (\S+)$")


@dataclass(frozen=True)
class Language:
    """How an adapter in a language is written and run.

    Attributes:
        template: its file among the templates.
        file: what it is called.
        build: the command that makes a program of it, with ``{source}`` and ``{program}``; empty where none is needed.
        run: the command that starts it.
        in_process: whether it is an object rather than a program.
    """

    template: str
    file: str
    run: str
    build: str = ""
    in_process: bool = False


LANGUAGES = {
    "python": Language("python_program.py", "adapter.py", "python3 {source}"),
    "node": Language("node_program.mjs", "adapter.mjs", "node {source}"),
    "go": Language("program.go", "adapter.go", "{program}", "go build -o {program} {source}"),
    "rust": Language("program.rs", "adapter.rs", "{program}", "rustc --edition 2021 -O -o {program} {source}"),
    "java": Language("Program.java", "Adapter.java", "java {source}"),
    "c": Language("program.c", "adapter.c", "{program}", "cc -std=c11 -O2 -o {program} {source}"),
}
IN_PROCESS = Language("python_object.py", "my_adapter.py", "my_adapter:MyAdapter", in_process=True)


def examples() -> tuple[str, ...]:
    """The operations that a new adapter answers something of; any other is ``unsupported`` until it is written."""
    text = _template(LANGUAGES["python"])
    return tuple(name for line in text.splitlines() if (found := BEGIN.match(line)) and (name := found[1]) != ANY)


def source(language: Language, operations: Sequence[str]) -> str:
    """The program with these operations."""
    shown = set(operations) & set(examples())
    stubs = [name for name in operations if name not in shown]
    written: list[str] = []
    block: list[str] | None = None
    name = ""
    for line in _template(language).splitlines():
        if block is None:
            if found := BEGIN.match(line):
                name, block = found[1], []
            elif found := ONE.search(line):
                written += _kept(found[1], [line[: found.start()]], shown, stubs)
            else:
                written.append(line)
        elif END.match(line):
            written += _kept(name, block, shown, stubs)
            block = None
        else:
            block.append(line)
    return "\n".join(written).rstrip() + "\n"


def _kept(name: str, lines: list[str], shown: set[str], stubs: Sequence[str]) -> list[str]:
    if name == ANY:
        return [line.replace(STUB, stub) for stub in stubs for line in lines]
    return lines if name in shown else []


def _template(language: Language) -> str:
    return files("tokenspec.adapters.templates").joinpath(language.template).read_text(encoding="utf-8")
