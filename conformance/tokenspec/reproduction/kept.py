"""Reproductions that are kept: ``fixtures/reproductions/<column>/<slug>.toml``, each a divergence that a script shows.

    package = "xgrammar==0.2.8"        # what it was seen in
    needs = ["transformers==5.23.0"]   # what the script imports besides
    model = "qwen3"                    # the row whose folder is its argument, where it takes one
    ci = true                          # whether what it needs is in the environment of all tests
    title = "one line"
    verdict = "real"                   # real | policy | sources disagree
    why = "what comes of it"
    cites = ["MSK-001"]                # the requirements
    case = "grammar-mask/..."          # a case that shows it, too
    script = '''...'''                 # prints two lines, `expected ...` and `got ...`
    expected = "..."
    got = "..."

Nothing is called real that its makers document as their choice.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Literal

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.report.deviations import Judgement
from tokenspec.store.canonical import convert

REQUIREMENT = re.compile(r"(?P<name>@?[\w./-]+)==(?P<version>[\w.+-]+)")


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file."""

    package: str
    needs: list[str] = []
    model: str | None = None
    language: Literal["python", "javascript"] = "python"
    ci: bool
    title: str
    verdict: Judgement
    why: str
    cites: list[str]
    case: str | None = None
    script: str
    expected: str
    got: str

    def __post_init__(self) -> None:
        """Versions are exact, and there is a difference."""
        for text in (self.package, *self.needs):
            if not REQUIREMENT.fullmatch(text):
                raise ValueError(f"{text!r} names no version; write it like 'minijinja==3.0.5'")
        if self.expected == self.got:
            raise ValueError("expected and got are the same")


@dataclass(frozen=True)
class Reproduction:
    """One reproduction: its column, its slug, and what its file says."""

    column: str
    slug: str
    written: Written

    @property
    def id(self) -> str:
        """``xgrammar/special-tokens``."""
        return f"{self.column}/{self.slug}"

    @property
    def prints(self) -> str:
        """What its script prints."""
        return f"expected {self.written.expected}\ngot      {self.written.got}\n"

    @property
    def pins(self) -> dict[str, str]:
        """Everything its script imports, with the version."""
        found = (REQUIREMENT.fullmatch(text) for text in (self.written.package, *self.written.needs))
        return {one["name"]: one["version"] for one in found if one is not None}


@cache
def reproductions() -> dict[str, Reproduction]:
    """All of them by id.

    Raises:
        FixtureError: a file is not well formed.
    """
    found = {}
    for path in sorted((fixtures_dir() / "reproductions").glob("*/*.toml")):
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FixtureError(path, str(error)) from error
        one = Reproduction(path.parent.name, path.stem, convert(content, Written, where=path))
        found[one.id] = one
    return found
