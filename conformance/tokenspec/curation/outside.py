"""Fixtures from outside: a folder somebody hands over is judged before anything in it is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from tokenspec.areas import areas
from tokenspec.errors import FixtureError, TokenspecError
from tokenspec.store.canonical import convert, input_sha256, parse_json, read_bytes, read_json
from tokenspec.store.case_files import cases_of_file, decode_cases
from tokenspec.store.entries import CASES, GOLDENS, entries_of, parse_list, sha256_of
from tokenspec.store.golden_files import decode_goldens
from tokenspec.store.records import Case

OWN = ("MANIFEST.json", "README.md", "SHA256SUMS")


def problems_in(folder: Path) -> Iterator[str]:
    """What is wrong with an exported folder, one printable line each; nothing outside it is read.

    Raises:
        FixtureError: it is no exported folder at all.
    """
    described = convert(read_json(folder / "MANIFEST.json"), dict[str, Any], where=folder / "MANIFEST.json")
    listed = described.get("file_list")
    if not isinstance(listed, dict) or not isinstance(listed.get("path"), str):
        raise FixtureError(folder / "MANIFEST.json", "names no file_list; export the folder again")
    path = folder / listed["path"]
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise FixtureError(folder / "MANIFEST.json", f"file_list {listed['path']!r} is no file of this folder")
    if sha256_of(path) != listed.get("sha256"):
        yield f"{listed['path']}: is not the list MANIFEST.json pins"
    wanted = parse_list(path.read_text(encoding="utf-8"), path)
    found: dict[str, str] = {}
    cases: dict[str, Case] = {}
    for name, file in sorted(_plain_files(folder).items(), key=lambda one: (_is_golden(PurePosixPath(one[0])), one[0])):
        if file is None:
            yield f"{name}: is a link; fixtures are plain files"
        elif name not in {*OWN, listed["path"]}:
            try:
                content = read_bytes(file)
                found |= entries_of([(name, content)])
                yield from _typed(PurePosixPath(name), content, cases)
            except TokenspecError as error:
                yield str(error)
    yield from _differ(wanted, found)


def _is_golden(name: PurePosixPath) -> bool:
    return name.parts[0] in GOLDENS


def _plain_files(folder: Path) -> dict[str, Path | None]:
    """Files by their path inside the folder; a link is None."""
    there = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    return {path.relative_to(folder).as_posix(): None if path.is_symlink() else path for path in there}


def _differ(wanted: dict[str, str], found: dict[str, str]) -> Iterator[str]:
    for name in sorted({*wanted, *found}):
        if name not in wanted:
            yield f"{name}: is not in the list"
        elif name not in found:
            yield f"{name}: is missing"
        elif wanted[name] != found[name]:
            yield f"{name}: is not what the list pins; copy it again"


def _typed(name: PurePosixPath, content: bytes, cases: dict[str, Case]) -> Iterator[str]:
    """Read one file the way the suite would. Cases come before goldens, which are held against them."""
    if name.parts[0] in CASES:
        for case in cases_of_file(decode_cases(content, name)):
            if case.area not in areas():
                raise FixtureError(name, f"area {case.area!r} is none of {', '.join(areas())}")
            convert(case.input, areas()[case.area].input_type, where=f"{name}: {case.slug}: input")
            cases[case.id] = case
    elif _is_golden(name):
        file = decode_goldens(content, name)
        if file.area not in areas():
            raise FixtureError(name, f"area {file.area!r} is none of {', '.join(areas())}")
        for slug, golden in file.cases.items():
            asked = cases.get(f"{file.area}/{slug}")
            for expect in (golden.expect, *(answer.expect for answer in golden.answers.values())):
                if expect is not None:
                    convert(expect, areas()[file.area].expect_type, where=f"{name}: {slug}: expect")
            if asked is None:
                yield f"{name}: {slug}: the case is not in this folder"
            elif golden.input_sha256 != input_sha256(asked.input):
                yield f"{name}: {slug}: was made from another input than the case has"
    elif name.suffix == ".json":
        parse_json(content, name)
