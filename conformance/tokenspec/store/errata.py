"""Goldens that change are errata: each change is written down with its reason and with what the file is now."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.store.canonical import convert, toml_string
from tokenspec.store.file_lists import SPEC_VERSION, sha256_of
from tokenspec.store.writing import write_atomically

REMOVED = "removed"


class Erratum(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[erratum]]``: what changed with spec version ``version``, and why.

    ``files`` gives for each path the sha256 of the file after the change, or ``removed``: a later change of the same
    file needs an erratum of its own.
    """

    date: dt.date
    version: str
    reason: str
    files: dict[str, str]


def parse_errata(content: bytes, where: object) -> list[Erratum]:
    """All errata of a file.

    Raises:
        FixtureError: it is not TOML, or an entry lacks something.
    """
    try:
        found: dict[str, Any] = msgspec.toml.decode(content, type=dict[str, Any]) if content.strip() else {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FixtureError(where, f"not TOML: {error}") from error
    unknown = set(found) - {"erratum"}
    if unknown:
        raise FixtureError(where, f"unknown key {min(unknown)!r}; a file has [[erratum]] tables only")
    return convert(found.get("erratum", []), list[Erratum], where=where)


def read_errata() -> list[Erratum]:
    """The errata of ``fixtures/ERRATA.toml``; none where there is no file."""
    path = fixtures_dir() / "ERRATA.toml"
    return parse_errata(path.read_bytes(), path) if path.exists() else []


def snapshot_of_goldens() -> dict[str, str]:
    """sha256 of every golden by path."""
    root = fixtures_dir()
    return {path.relative_to(root).as_posix(): sha256_of(path) for path in sorted((root / "golden").rglob("*.json"))}


def changed_goldens(before: dict[str, str]) -> list[str]:
    """Paths of goldens that existed before and have other bytes now."""
    now = snapshot_of_goldens()
    return [path for path, sha in before.items() if now.get(path) != sha]


def record_erratum(paths: Iterable[str], reason: str) -> None:
    """Append one entry to ``ERRATA.toml``, with what each file is now."""
    root = fixtures_dir()
    target = root / "ERRATA.toml"
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    now = {path: sha256_of(root / path) if (root / path).exists() else REMOVED for path in sorted(paths)}
    lines = [
        "",
        "[[erratum]]",
        f"date = {dt.datetime.now(dt.UTC).date().isoformat()}",
        f"version = {toml_string(SPEC_VERSION)}",
        f"reason = {toml_string(reason)}",
        "[erratum.files]",
        *(f"{toml_string(path)} = {toml_string(sha)}" for path, sha in now.items()),
    ]
    write_atomically(target, old + "\n".join(lines) + "\n")
