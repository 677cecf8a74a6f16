"""The list of witnesses, ``fixtures/witnesses.toml``: who is asked about which goldens, and who differs where.

    [[witness]]
    name = "rt-seg"                                  # what its info() calls itself
    version = "0.1.5"                                # the one that was asked
    area = "engines"
    levels = ["SEGMENTS", "LABELS"]                  # what it finds by itself: nothing else of its answer counts
    impl = "rt-seg"                                  # as --impl has it
    how = "its engines over the model of the case"
    publishes = ["gpt-oss"]                          # rows whose publisher it is from; it is asked about no other

    [[difference]]
    witness = "rt-seg"
    case = "engines/fuse-*"                          # '*' stands for any characters
    row = "-"
    check = "engines.segments.eng-080"               # '*' where it gives no answer at all
    reason = "loses what lies behind the last common edge"

A difference that is not listed stops a blessing, and so does a listed one that is none. The answer of a publisher that
differs is written into the golden (CNV-008): it needs no list.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tokenspec.areas.area import Cell
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.known_failures.entries import pattern
from tokenspec.store.canonical import convert


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An outside program that answers the cases of an area by itself."""

    name: str
    version: str
    area: str
    levels: list[str]
    impl: str
    how: str
    publishes: list[str] = []

    def is_asked(self, cell: Cell) -> bool:
        """Whether a cell is one of its own."""
        return cell.area.name == self.area and (not self.publishes or cell.row in self.publishes)

    @property
    def title(self) -> str:
        """What goldens name it by."""
        return f"{self.name} {self.version}"


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a witness is known to answer otherwise, and why the golden stands."""

    witness: str
    case: str
    row: str
    check: str
    reason: str

    def covers(self, witness: Witness, cell: Cell, check: str) -> bool:
        """Whether it is about this finding."""
        return (
            self.witness == witness.name
            and bool(pattern(self.check).fullmatch(check))
            and bool(pattern(self.case).fullmatch(cell.case.id) and pattern(self.row).fullmatch(cell.row))
        )


class WitnessList(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    witness: list[Witness] = []
    difference: list[Difference] = []

    def of(self, areas: Iterable[str]) -> list[Witness]:
        """The witnesses of some areas."""
        wanted = set(areas)
        return [witness for witness in self.witness if witness.area in wanted]


def list_path() -> Path:
    """Where the list lies."""
    return fixtures_dir() / "witnesses.toml"


def read_witnesses() -> WitnessList:
    """The list; an empty one where there is no file.

    Raises:
        FixtureError: it is not well formed.
    """
    path = list_path()
    if not path.exists():
        return WitnessList()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FixtureError(path, str(error)) from error
    return convert(content, WitnessList, where=path)
