"""Fixtures from outside: a folder somebody hands over is judged before anything in it is believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenspec.areas import areas
from tokenspec.errors import FixtureError, TokenspecError
from tokenspec.store.canonical import convert, input_sha256, read_fixture, read_json
from tokenspec.store.file_lists import parse_list, sha256_of
from tokenspec.store.records import Case, Golden


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
    files = parse_list(path.read_text(encoding="utf-8"), path)
    yield from _files_differ(folder, files, own={"MANIFEST.json", "README.md", listed["path"]})
    for name in files:
        if (folder / name).is_file() and not (folder / name).is_symlink():
            try:
                _typed(folder, name)
            except TokenspecError as error:
                yield str(error)


def _files_differ(folder: Path, files: dict[str, str], own: set[str]) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    for name, path in sorted(there.items()):
        if path.is_symlink():
            yield f"{name}: is a link; fixtures are plain files"
        elif name not in files and name not in own:
            yield f"{name}: is not in the list"
        elif name in files and sha256_of(path) != files[name]:
            yield f"{name}: is not the file the list pins; copy it again"
    for name in sorted(set(files) - set(there)):
        yield f"{name}: is missing"


def _typed(folder: Path, name: str) -> None:
    """Read one file the way the suite would."""
    path, parts = folder / name, name.split("/")
    if parts[0] in {"cases", "regressions"}:
        case = read_fixture(path, Case)
        if case.id != f"{parts[1]}/{path.stem}":
            raise FixtureError(path, f"says it is {case.id!r}")
        if case.area not in areas():
            raise FixtureError(path, f"area {case.area!r} is none of {', '.join(areas())}")
        convert(case.input, areas()[case.area].input_type, where=f"{path}: input")
    elif parts[0] in {"golden", "flips"}:
        golden = read_fixture(path, Golden)
        area = areas().get(parts[-2])
        if area is None or golden.case != f"{parts[-2]}/{path.stem}" or golden.row != parts[-3]:
            raise FixtureError(path, f"says it is {golden.case!r} on {golden.row!r}")
        if golden.expect is not None:
            convert(golden.expect, area.expect_type, where=f"{path}: expect")
        asked = next(
            (
                folder / kind / f"{golden.case}.json"
                for kind in ("cases", "regressions")
                if (folder / kind / f"{golden.case}.json").is_file()
            ),
            None,
        )
        if asked is None:
            raise FixtureError(path, f"the case {golden.case} is not in this folder")
        if golden.input_sha256 != input_sha256(read_fixture(asked, Case).input):
            raise FixtureError(path, "was made from another input than the case has")
    elif path.suffix == ".json":
        read_json(path)
