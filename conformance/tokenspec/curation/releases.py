"""What was released does not change silently: expectations are compared with releases, and each change is an erratum.

A release is known in two ways: as the list of an earlier spec version (``fixtures/files/<version>.txt``, which the
wheel has too), and as a git tag ``v*`` of the checkout.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tokenspec.data import checkout_root, fixtures_dir
from tokenspec.errors import FixtureError, UsageError
from tokenspec.store.canonical import read_json
from tokenspec.store.errata import REMOVED, Erratum, parse_errata, read_errata
from tokenspec.store.file_lists import SPEC_VERSION, current_files, list_path, read_list, sha256_of, versions

EXPECTATIONS = ("golden/", "flips/")
CASES = ("cases/", "regressions/")


@dataclass(frozen=True)
class Release:
    """What was released.

    Attributes:
        name: a spec version, or a git tag.
        files: identity of every file by path; what the identity is, ``identity`` says.
        identity: the same identity of a file as it is now.
        excuses: whether an erratum came after this release.
    """

    name: str
    files: Mapping[str, str]
    identity: Callable[[Path], str]
    excuses: Callable[[Erratum], bool]


def release_of_version(version: str) -> Release:
    """An earlier spec version, by its list."""
    files = read_list(version)
    return Release(version, files, sha256_of, lambda erratum: Version(erratum.version) > Version(version))


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
    listed = git(repository, "ls-tree", "-r", "-z", f"refs/tags/{tag}", "fixtures/")
    files: dict[str, str] = {}
    for line in filter(None, listed.split("\0")):
        head, _, path = line.partition("\t")
        files[path.removeprefix("fixtures/")] = head.split(" ")[2]
    then = parse_errata(git(repository, "show", f"refs/tags/{tag}:fixtures/ERRATA.toml").encode(), f"{tag}:ERRATA.toml")
    blobs = blobs_of(repository, files)
    return Release(tag, files, lambda path: blobs.get(path, ""), lambda erratum: erratum not in then)


def blobs_of(repository: Path, files: Mapping[str, str]) -> dict[Path, str]:
    """What git would call the content of each file that is still there."""
    paths = [fixtures_dir() / path for path in files if (fixtures_dir() / path).is_file()]
    stdin = "".join(f"{path}\n" for path in paths)
    found = git(repository, "hash-object", "--no-filters", "--stdin-paths", stdin=stdin).split()
    return dict(zip(paths, found, strict=True))


def repository_root() -> Path | None:
    """The git checkout the fixtures belong to; for an installed wheel the one it is run from."""
    here = fixtures_dir().parent
    root = checkout_root() if here.name == "_data" else here
    return root if root is not None and (root / ".git").exists() and shutil.which("git") else None


def git(repository: Path, *arguments: str, stdin: str | None = None) -> str:
    """What git prints; nothing where the command fails."""
    program = shutil.which("git") or "git"
    done = subprocess.run(  # noqa: S603 - fixed program, no shell; tags are checked before they are used
        [program, "-C", str(repository), *arguments], capture_output=True, text=True, check=False, input=stdin
    )
    return done.stdout if done.returncode == 0 else ""


def tags(repository: Path) -> list[str]:
    """The release tags that lead to this commit, oldest first."""
    found: list[tuple[Version, str]] = []
    for tag in git(repository, "tag", "--list", "v*", "--merged", "HEAD").split():
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


def carries_expectation(path: str) -> bool:
    """Whether what the file says decides a verdict: goldens, and cases whose expectation is their own."""
    if path.startswith(EXPECTATIONS):
        return True
    if not path.startswith(CASES):
        return False
    case = fixtures_dir() / path
    try:
        return isinstance(found := read_json(case), dict) and found.get("expect") is not None
    except FixtureError:
        return True


def changed_since(then: Release) -> Iterator[str]:
    """Released files that are gone, expectations that differ, lists that were touched; unless an erratum says why."""
    errata = [erratum for erratum in read_errata() if then.excuses(erratum)]
    root = fixtures_dir()
    for path, was in then.files.items():
        if path.startswith("files/"):
            if not (root / path).exists() or then.identity(root / path) != was:
                yield (
                    f"{path}: belongs to release {then.name} and changed; restore it, and set SPEC_VERSION "
                    "(tokenspec/fixtures/file_lists.py) to the next version first"
                )
        elif path.startswith((*EXPECTATIONS, *CASES)):
            there = (root / path).is_file()
            if there and (then.identity(root / path) == was or not carries_expectation(path)):
                continue
            now = sha256_of(root / path) if there else REMOVED
            if not any(erratum.files.get(path) == now for erratum in errata):
                what = "changed" if there else "is gone"
                yield (
                    f"{path}: {what} since {then.name} without an erratum; restore it, or say why: "
                    f"tokenspec fixtures erratum {path} --reason TEXT"
                )


def released_files_are_kept() -> Iterator[str]:
    """The rule of ``fixtures lint``: the current list is the tree, errata are well formed, releases are kept."""
    from tokenspec.store.file_lists import list_text

    path = list_path(SPEC_VERSION)
    if not path.exists() or path.read_text(encoding="utf-8") != list_text(current_files()):
        yield f"files/{SPEC_VERSION}.txt: out of date; run: tokenspec fixtures lint --write-manifest"
    for erratum in read_errata():
        if len(erratum.reason.split()) < 3 or not erratum.files:
            yield f"ERRATA.toml: the erratum of {erratum.date} needs a reason in plain words and the files it is about"
    for then in last_releases():
        yield from changed_since(then)
