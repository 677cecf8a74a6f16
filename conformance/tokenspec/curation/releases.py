"""What was released does not change silently: expectations are compared with releases, and each change is an erratum.

A release is known in two ways: as the list of an earlier spec version (``fixtures/files/<version>.txt``, which the
wheel has too), and as a git tag ``v*`` of the checkout.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tokenspec.data import checkout_root, fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.store.entries import (
    SPEC_VERSION,
    current_entries,
    entries_of,
    list_path,
    list_text,
    read_list,
    sha256_of,
    versions,
)
from tokenspec.store.errata import REMOVED, Erratum, parse_errata, read_errata

EXPECTATIONS = ("golden/", "flips/")
CASES = ("cases/", "regressions/")


@dataclass(frozen=True)
class Release:
    """What was released.

    Attributes:
        name: a spec version, or a git tag.
        entries: hash of every case, golden and file.
        excuses: whether an erratum came after this release.
    """

    name: str
    entries: Mapping[str, str]
    excuses: Callable[[Erratum], bool]


def release_of_version(version: str) -> Release:
    """An earlier spec version, by its list."""
    return Release(version, read_list(version), lambda erratum: Version(erratum.version) > Version(version))


def release_of_tag(tag: str) -> Release:
    """A git tag of the checkout.

    Raises:
        UsageError: there is no checkout, no git, or no such tag.
    """
    repository = repository_root()
    if repository is None:
        raise UsageError(f"--since {tag}: tags need a git checkout. Versions known here: {', '.join(versions())}")
    if not git(repository, "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}").strip():
        known = ", ".join(tags(repository)) or "none"
        raise UsageError(f"--since {tag}: neither a version ({', '.join(versions())}) nor a tag ({known})")
    files = dict(files_at(repository, f"refs/tags/{tag}"))
    then = parse_errata(files["ERRATA.toml"], f"{tag}:ERRATA.toml")
    return Release(tag, entries_of(files.items()), lambda erratum: erratum not in then)


def files_at(repository: Path, revision: str) -> Iterator[tuple[str, bytes]]:
    """Every file below ``fixtures/`` at a revision: its path there, and its content."""
    with tarfile.open(fileobj=io.BytesIO(git(repository, "archive", revision, "fixtures"))) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name.removeprefix("fixtures/"), stream.read()


def repository_root() -> Path | None:
    """The git checkout the fixtures belong to; for an installed wheel the one it is run from."""
    here = fixtures_dir().parent
    root = checkout_root() if here.name == "_data" else here
    return root if root is not None and (root / ".git").exists() and shutil.which("git") else None


def git(repository: Path, *arguments: str) -> bytes:
    """What git prints; nothing where the command fails."""
    program = shutil.which("git") or "git"
    done = subprocess.run(  # noqa: S603 - fixed program, no shell; tags are checked before they are used
        [program, "-C", str(repository), *arguments], capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else b""


def tags(repository: Path) -> list[str]:
    """The release tags that lead to this commit, oldest first."""
    found: list[tuple[Version, str]] = []
    for tag in git(repository, "tag", "--list", "v*", "--merged", "HEAD").decode().split():
        try:
            found.append((Version(tag), tag))
        except InvalidVersion:
            continue
    return [tag for _, tag in sorted(found)]


def release(name: str) -> Release:
    """A release by spec version or tag."""
    return release_of_version(name) if name in versions() else release_of_tag(name)


def last_releases() -> list[Release]:
    """What the tree is held against by default: every earlier spec version, and the last tag."""
    earlier = [release_of_version(version) for version in versions() if version != SPEC_VERSION]
    repository = repository_root()
    tagged = tags(repository)[-1:] if repository is not None else []
    return earlier + [release_of_tag(tag) for tag in tagged]


def changed_since(then: Release) -> Iterator[str]:
    """Released cases that are gone, expectations that differ, lists that were touched; unless an erratum says why."""
    errata = [erratum for erratum in read_errata() if then.excuses(erratum)]
    now = current_entries()
    for name, was in then.entries.items():
        if name.startswith("files/"):
            path = fixtures_dir() / name
            if not path.exists() or sha256_of(path) != was:
                yield (
                    f"{name}: belongs to release {then.name} and changed; restore it, and set SPEC_VERSION "
                    "(tokenspec/store/entries.py) to the next version first"
                )
        elif name.startswith((*EXPECTATIONS, *CASES)):
            there = now.get(name, REMOVED)
            if there == was or (there != REMOVED and name.startswith(CASES)):
                continue
            if not any(erratum.entries.get(name) == there for erratum in errata):
                what = "is gone" if there == REMOVED else "changed"
                yield (
                    f"{name}: {what} since {then.name} without an erratum; restore it, or say why: "
                    f"tokenspec fixtures erratum '{name}' --reason TEXT"
                )


def released_entries_are_kept() -> Iterator[str]:
    """The rule of ``fixtures lint``: the current list is the tree, errata are well formed, releases are kept."""
    path = list_path(SPEC_VERSION)
    if not path.exists() or path.read_text(encoding="utf-8") != list_text(current_entries()):
        yield f"files/{SPEC_VERSION}.txt: out of date; run: tokenspec fixtures lint --write-manifest"
    for erratum in read_errata():
        if len(erratum.reason.split()) < 3 or not erratum.entries:
            yield f"ERRATA.toml: the erratum of {erratum.date} needs a reason in plain words, and entries"
    for then in last_releases():
        yield from changed_since(then)
