"""What the fixtures consist of, entry by entry: the unit that releases list, errata name and exports choose.

An entry is one case (``cases/render#role-user``), one golden (``golden/qwen3/render#role-user``), or a plain file
(``flags.toml``). ``fixtures/files/<version>.txt`` lists them with their hashes; the list of ``SPEC_VERSION`` grows with
the tree, the others are releases and never change. A case's hash, and a golden's, is that of its record alone: it does
not change when a neighbour does, when it moves to another theme, or when one more program confirms or contradicts it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec
from packaging.version import Version

from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError, UsageError
from tokenspec.store.canonical import input_sha256
from tokenspec.store.case_files import cases_of_file, decode_cases
from tokenspec.store.golden_files import decode_goldens
from tokenspec.store.records import Golden

SPEC_VERSION = "0.1"
UNLISTED = {"MANIFEST.json", "README.md", "files"}
CASES = ("cases", "regressions")
GOLDENS = ("golden", "flips")
DIGITS = 32
"""Hexadecimal digits of a case's or a golden's hash in a list; a file's has all 64."""

FILE = re.compile(r"(?P<sha>[0-9a-f]{64})  (?P<path>[^\\\s#][^\\#]*)")
HEAD = re.compile(r"(?P<path>[^\\\s#][^\\#]*)#")
MEMBER = re.compile(r"  (?P<sha>[0-9a-f]{32}) (?P<slug>[^\\\s/#]+)")


def refuse_installed(verb: str) -> None:
    """Fixtures change in a checkout only.

    Raises:
        UsageError: these are the fixtures of an installed wheel.
    """
    if fixtures_dir().parent.name == "_data":
        raise UsageError(f"{verb} writes fixtures, and these belong to an installed wheel; use it in a checkout")


def fixture_files() -> Iterator[Path]:
    """Every file below ``fixtures/`` but the manifest, the README and the lists themselves, sorted."""
    root = fixtures_dir()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.relative_to(root).parts[0] not in UNLISTED and "__pycache__" not in path.parts:
            yield path


def current_entries() -> dict[str, str]:
    """Hash by entry of the tree as it is."""
    root = fixtures_dir()
    return entries_of((path.relative_to(root).as_posix(), path.read_bytes()) for path in fixture_files())


def entries_of(files: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Hash by entry of files given as path below the fixtures and content.

    Raises:
        FixtureError: a file of cases or goldens cannot be read.
    """
    found: dict[str, str] = {}
    for name, content in files:
        path = PurePosixPath(name)
        if path.suffix == ".json" and path.parts[0] in CASES:
            cases = cases_of_file(decode_cases(content, path))
            found.update({f"{cases_name(path)}#{case.slug}": record_sha256(case) for case in cases})
        elif path.suffix == ".json" and path.parts[0] in GOLDENS:
            file = decode_goldens(content, path)
            records = {slug: file.golden(slug) for slug in file.cases}
            found.update({f"{path.with_suffix('')}#{slug}": record_sha256(one) for slug, one in records.items()})
        else:
            found[name] = hashlib.sha256(content).hexdigest()
    return found


def cases_name(path: PurePosixPath) -> str:
    """The first half of a case's name: its theme does not count."""
    return str(path.with_suffix("") if path.parts[0] == "regressions" else path.parent)


def record_sha256(record: object) -> str:
    """The hash of one case or golden: of its JSON with sorted keys, no spaces, non-ASCII characters as they are.

    Witnesses and named answers are left out: who confirms an expectation, or says otherwise, does not change it.
    """
    if isinstance(record, Golden):
        record = msgspec.structs.replace(record, witnesses={}, answers={})
    return input_sha256(msgspec.to_builtins(record))[:DIGITS]


def sha256_of(path: Path) -> str:
    """Of one file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def list_path(version: str) -> Path:
    """Where the list of a version lies."""
    return fixtures_dir() / "files" / f"{version}.txt"


def list_text(entries: Mapping[str, str]) -> str:
    """A list: files as ``sha256sum`` prints them; cases and goldens below the name they share."""
    lines: list[str] = []
    head = ""
    for name, sha in sorted(entries.items(), key=lambda item: item[0].split("#")):
        before, mark, slug = name.partition("#")
        if mark and before != head:
            lines.append(f"{before}#")
        head = before if mark else ""
        lines.append(f"  {sha} {slug}" if mark else f"{sha}  {name}")
    return "".join(f"{line}\n" for line in lines)


def parse_list(text: str, where: object) -> dict[str, str]:
    """Hash by entry.

    Raises:
        FixtureError: a line has another form, or names a path outside the folder.
    """
    entries: dict[str, str] = {}
    head: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        file, above, member = FILE.fullmatch(line), HEAD.fullmatch(line), MEMBER.fullmatch(line)
        named = file or above
        outside = named is not None and (named["path"].startswith("/") or ".." in named["path"].split("/"))
        if outside or (named is None and (member is None or head is None)):
            raise FixtureError(
                where,
                f"line {number} is neither '<sha256>  <path inside the folder>' nor '<path>#' nor, below one, "
                f"'  <hash> <slug>': {line[:80]!r}",
            )
        if member is not None:
            entries[f"{head}#{member['slug']}"] = member["sha"]
        else:
            head = above["path"] if above is not None else None
            if file is not None:
                entries[file["path"]] = file["sha"]
    return entries


def versions() -> list[str]:
    """The versions there is a list of, oldest first."""
    return sorted((path.stem for path in (fixtures_dir() / "files").glob("*.txt")), key=Version)


def read_list(version: str) -> dict[str, str]:
    """The list of a version.

    Raises:
        UsageError: there is none.
    """
    path = list_path(version)
    if not path.exists():
        raise UsageError(f"no list of spec version {version!r}. Known: {', '.join(versions()) or 'none'}.")
    return parse_list(path.read_text(encoding="utf-8"), path)
