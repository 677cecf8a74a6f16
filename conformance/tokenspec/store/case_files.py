"""Cases on disk: ``cases/<area>/<theme>.json``, and ``regressions/<area>.json`` for promoted counterexamples.

A file holds the cases of one generator module, keyed by slug. What a key or a folder says is not said again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.store.canonical import canonical_json, convert, parse_json, read_bytes
from tokenspec.store.records import Case, Outcome
from tokenspec.store.writing import locked, write_atomically


class CaseEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A case without its id and its area."""

    flags: list[str]
    requires: list[str]
    features: list[str] = []
    why: str
    since: str
    issue: str | None = None
    rows: list[str] | None = None
    source: str | None = None
    input: dict[str, Any]
    outcome: Outcome = "ok"
    refusal: dict[str, Any] | None = None


FIELDS = CaseEntry.__struct_fields__


class CaseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cases of one theme, by slug."""

    area: str
    cases: dict[str, CaseEntry]


def case_files(area: str) -> list[Path]:
    """The case files of an area, the promoted counterexamples last."""
    promoted = regressions_path(area)
    return [*sorted((fixtures_dir() / "cases" / area).glob("*.json")), *([promoted] if promoted.exists() else [])]


def regressions_path(area: str) -> Path:
    """Where the promoted counterexamples of an area lie."""
    return fixtures_dir() / "regressions" / f"{area}.json"


def read_cases(path: Path) -> list[Case]:
    """The cases of one file.

    Raises:
        FixtureError: it is not whole, not typed, or of another area than its place says.
    """
    return cases_of_file(decode_cases(read_bytes(path), path))


def decode_cases(content: bytes, path: PurePath) -> CaseFile:
    """One file of cases out of its bytes; ``path`` is its place, which says its area, too."""
    file = convert(parse_json(content, path), CaseFile, where=path)
    said = path.stem if path.parent.name == "regressions" else path.parent.name
    if file.area != said:
        raise FixtureError(path, f"says area {file.area!r}, but lies at {said!r}")
    return file


def cases_of_file(file: CaseFile) -> list[Case]:
    """The cases of a file, whole."""
    return [
        Case(id=f"{file.area}/{slug}", area=file.area, **{name: getattr(entry, name) for name in FIELDS})
        for slug, entry in file.cases.items()
    ]


def cases_in(area: str) -> Iterator[Case]:
    """Every case of an area, file by file.

    Raises:
        FixtureError: two files have a case of one name.
    """
    seen: dict[str, Path] = {}
    for path in case_files(area):
        for case in read_cases(path):
            if case.slug in seen:
                raise FixtureError(path, f"case {case.slug!r} is also in {seen[case.slug].name}; remove one of the two")
            seen[case.slug] = path
            yield case


def write_cases(path: Path, area: str, cases: Iterable[Case]) -> None:
    """Write one file of cases, in their order.

    Raises:
        FixtureError: two cases have one slug.
    """
    entries: dict[str, CaseEntry] = {}
    for case in cases:
        if case.slug in entries:
            raise FixtureError(path, f"{case.id} is defined twice")
        entries[case.slug] = CaseEntry(**{name: getattr(case, name) for name in FIELDS})
    with locked(path):
        write_atomically(path, canonical_json(CaseFile(area=area, cases=entries)))


def add_case(path: Path, case: Case) -> None:
    """Write a case behind those a file has."""
    write_cases(path, case.area, [*(read_cases(path) if path.exists() else ()), case])
