"""What ``tokenspec new`` writes: text that is whole but for its places marked ``UNFILLED``, and fails until they are.

A file below ``files/`` holds one or more parts, each behind a line ``--- name``; ``$word`` stands for a value. A place
to fill in is marked where it stands, ``UNFILLED: what belongs here``; ``tokenspec spec check`` lists those left (T11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from string import Template

MARK = re.compile(r"UNFILLED: (?P<what>.*?)(?: \{#.*)?$")
PART = re.compile(r"^--- (?P<name>.+)\n", re.MULTILINE)
FILLED_IN = (
    "spec/*.md",
    "conformance/tokenspec/areas/**/*.py",
    "reference/tokenspec_reference/renderers/families/*.py",
    "fixtures/cases/**/*.json",
)
"""Where skeletons are put, and what is made of them."""


def skeleton(kind: str, /, **words: str) -> dict[str, str]:
    """The parts of one kind of skeleton by name, values put in; a part's name may have values, too."""
    text = files("tokenspec.skeletons").joinpath("files", f"{kind}.txt").read_text(encoding="utf-8")
    _, *parts = PART.split(Template(text).substitute(words))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def unfilled(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each place of one file that is still to be filled in."""
    text = path.read_text(encoding="utf-8")
    if "UNFILLED: " in text:
        for number, line in enumerate(text.splitlines(), start=1):
            if found := MARK.search(line):
                yield number, found["what"].rstrip("\"')],")


def all_unfilled(root: Path) -> Iterator[tuple[str, int, str]]:
    """Path, line and text of each such place in a checkout."""
    for pattern in FILLED_IN:
        for path in sorted(root.glob(pattern)):
            yield from ((path.relative_to(root).as_posix(), number, what) for number, what in unfilled(path))
