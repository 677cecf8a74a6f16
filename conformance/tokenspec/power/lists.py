"""What is said of edits by hand: those that change nothing, and code that no cell is meant to judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from tokenspec.errors import FixtureError
from tokenspec.power.edits import Edit, Source

FOLDER = Path(__file__).resolve().parent / "lists"


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An edit after which the reference answers as before, or as a requirement allows as well.

    Attributes:
        file: of the reference.
        within: the qualified name of the function or class it is in; empty at the top of the module.
        before: the code, as ``tokenspec mutants --automatic`` shows it.
        after: what it becomes.
        number: which of the edits that look alike there.
        reason: why no input can tell them apart, or which requirement leaves it open.
    """

    file: str
    within: str = ""
    before: str
    after: str
    number: int = 1
    reason: str

    def names(self, edit: Edit) -> bool:
        """Whether this is said of an edit."""
        same = (self.file, self.within, self.before, self.after) == (edit.file, edit.within, *edit.shown)
        return same and self.number == edit.number


class Outside(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Code that no cell is meant to judge.

    Attributes:
        file: of the reference.
        within: a function or class, with all that is in it; empty for the whole file.
        reason: why the protocol does not reach it, or what judges it instead.
    """

    file: str
    within: str = ""
    reason: str

    def has(self, file: str, within: str) -> bool:
        """Whether a place lies in it."""
        return file == self.file and (not self.within or f"{within}.".startswith(f"{self.within}."))


class Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of what is said by hand."""

    equivalent: list[Equivalent] = []
    outside: list[Outside] = []


@cache
def read_lists(folder: Path = FOLDER) -> Lists:
    """All that is said, one file a part of the reference.

    Raises:
        FixtureError: a file is malformed.
    """
    found = Lists([], [])
    for path in sorted(folder.glob("*.toml")):
        try:
            one = msgspec.toml.decode(path.read_bytes(), type=Lists)
        except msgspec.DecodeError as error:
            raise FixtureError(path, str(error)) from error
        found.equivalent.extend(one.equivalent)
        found.outside.extend(one.outside)
    return found


def reason_of(edit: Edit, lists: Lists) -> str:
    """Why an edit changes nothing; empty where nobody said so."""
    near = (one for one in lists.equivalent if (one.file, one.within) == (edit.file, edit.within))
    return next((one.reason for one in near if one.names(edit)), "")


def stale(lists: Lists, sources: Sequence[Source]) -> Iterator[str]:
    """What is said of edits and places that are not there, ready to print."""
    files = {source.file: source for source in sources}
    for entry in lists.equivalent:
        there = files[entry.file].edits_within(entry.within) if entry.file in files else []
        if not any(entry.names(edit) for edit in there):
            yield f"{entry.file} {entry.within}: no edit {entry.before!r} -> {entry.after!r} (number {entry.number})"
    for place in lists.outside:
        source = files.get(place.file)
        if source is None or not any(place.has(place.file, name) for name in source.places):
            yield f"{place.file} {place.within}: is not there, but is said to be outside"
