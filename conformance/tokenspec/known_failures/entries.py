"""The file format: typed entries that know their line, so that every complaint names it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from tokenspec.errors import UsageError

HEADING = re.compile(r"\s*\[\[\s*(?:failure|\"failure\"|'failure')\s*\]\]")
ISSUE = re.compile(r"https?://\S+|(?:[\w.-]+/[\w.-]+)?#\d+")
NOT_INSTALLED = "not installed"  # what first-party columns give for a version then
KEYS = "case, row, requirement or check, class, reason, issue; optional: impl, transformers, wontfix"

FailureClass = Literal["fail", "error", "rejected", "warning"]


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One ``[[failure]]`` table, in the order its keys are written."""

    case: str
    row: str
    requirement: str | None = None
    check: str | None = None
    class_: FailureClass = msgspec.field(name="class")
    reason: str
    issue: str
    impl: str | None = None
    transformers: str | None = None
    wontfix: bool = False

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What the entry is about, ready to sort by."""
        return (self.case, self.row, self.requirement or "", self.check or "")


def pattern(text: str) -> re.Pattern[str]:
    """A pattern in which ``*`` stands for any characters and everything else for itself."""
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """One failure and where it stands. ``number`` counts from 1; ``line`` is None for tables written inline."""

    failure: Failure
    file: str
    number: int
    line: int | None

    @property
    def where(self) -> str:
        """``known-failures.toml:12``: what complaints begin with."""
        return place_of(self.file, self.number, self.line)

    @cached_property
    def case_pattern(self) -> re.Pattern[str]:
        """Which cases it is about."""
        return pattern(self.failure.case)

    @cached_property
    def row_pattern(self) -> re.Pattern[str]:
        """Which rows it is about."""
        return pattern(self.failure.row)

    @cached_property
    def name_pattern(self) -> re.Pattern[str]:
        """Which requirements, or which checks, it is about."""
        return pattern(self.failure.requirement or self.failure.check or "")

    def covers(self, case: str, row: str) -> bool:
        """Whether the entry is about this cell."""
        return bool(self.case_pattern.fullmatch(case) and self.row_pattern.fullmatch(row))

    def __str__(self) -> str:
        """``render/tool-* on qwen3, RND-022``."""
        named = self.failure.requirement or self.failure.check
        return f"{self.failure.case} on {self.failure.row}, {named}"


@dataclass(frozen=True)
class KnownFailures:
    """One file, read and checked. ``implementation`` is the name its ``info()`` gives."""

    file: str
    implementation: str
    entries: tuple[Entry, ...] = field(default=())

    def in_force(self, version: str, transformers: str | None) -> list[Entry]:
        """The entries whose version ranges hold. A range on something not installed does not hold."""
        return [
            entry
            for entry in self.entries
            if _holds(entry, "impl", entry.failure.impl, version)
            and _holds(entry, "transformers", entry.failure.transformers, transformers)
        ]


def place_of(file: str, number: int, line: int | None) -> str:
    """``file:line``, or the entry's number where it has no line of its own."""
    return f"{file}:{line}" if line is not None else f"{file}, failure {number}"


def _holds(entry: Entry, key: str, wanted: str | None, version: str | None) -> bool:
    if wanted is None:
        return True
    if version is None or version == NOT_INSTALLED:
        return False
    try:
        return SpecifierSet(wanted).contains(Version(version), prereleases=True)
    except InvalidVersion as error:
        raise UsageError(
            f"{entry.where}: {key} = {wanted!r} cannot be compared with version {version!r}; "
            "let info() give a version like 1.2.0, or drop the range"
        ) from error


def load_known_failures(path: Path) -> KnownFailures:
    """Read a file.

    Raises:
        UsageError: it cannot be read, or an entry is not well formed. The message names the line and what to do.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UsageError(
            f"{path}: no such file. Make it with: tokenspec run --impl NAME --write-known-failures {path}"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    return parse_known_failures(text, path.name)


def parse_known_failures(text: str, file: str) -> KnownFailures:
    """The same from text; ``file`` is what messages call it."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: not TOML: {error}") from error
    name, tables = content.pop("implementation", None), content.pop("failure", [])
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f'{file}: say whose failures these are in the first line: implementation = "NAME"')
    if content:
        raise UsageError(f"{file}: unknown key {min(content)!r}; a file has implementation and [[failure]] tables")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{file}: failure is an array of tables; head each entry with [[failure]]")
    lines = _lines_of_entries(text, len(tables))
    entries = tuple(
        Entry(_typed(table, place_of(file, number, line)), file, number, line)
        for number, (table, line) in enumerate(zip(tables, lines, strict=True), start=1)
    )
    _refuse_duplicates(entries)
    return KnownFailures(file, name, entries)


def _lines_of_entries(text: str, count: int) -> list[int] | list[None]:
    """The line of each ``[[failure]]`` heading; a heading inside a multi-line string does not count."""
    lines = text.splitlines(keepends=True)
    found = [number for number, line in enumerate(lines, start=1) if HEADING.match(line)]
    if len(found) != count:
        found = [number for number in found if _is_toml("".join(lines[: number - 1]))]
    return found if len(found) == count else [None] * count


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _typed(table: dict[str, Any], where: str) -> Failure:
    """One table, checked field by field."""
    try:
        failure = msgspec.convert(table, Failure, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}. The keys of an entry are {KEYS}") from error
    for key in ("case", "row", "reason", "issue"):
        if not getattr(failure, key).strip():
            raise UsageError(f"{where}: {key} is empty; {_cure(key)}")
    if not ISSUE.fullmatch(failure.issue):
        raise UsageError(f"{where}: issue {failure.issue!r} is no link; {_cure('issue')}")
    if bool(failure.requirement) == bool(failure.check):
        raise UsageError(f'{where}: give requirement = "RND-000" or check = "render.ids", one of the two')
    for key in ("impl", "transformers"):
        value = getattr(failure, key)
        try:
            SpecifierSet(value or "")
        except InvalidSpecifier as error:
            raise UsageError(f"{where}: {key} = {value!r} is no version range; write it like '>=1.0,<2'") from error
    return failure


def _cure(key: str) -> str:
    return {
        "case": "name a case or a pattern like render/tool-*. See: tokenspec list cases",
        "row": "name a row, '-' or '*'. See: tokenspec list rows",
        "reason": "say in one line why it fails",
        "issue": "link where it is tracked: https://..., owner/repo#7 or #7",
    }[key]


def _refuse_duplicates(entries: tuple[Entry, ...]) -> None:
    seen: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        key = (*entry.failure.place, entry.failure.impl, entry.failure.transformers)
        if key in seen:
            raise UsageError(f"{entry.where}: lists {entry} again, after {seen[key].where}; remove one of the two")
        seen[key] = entry
