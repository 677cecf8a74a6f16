"""Goldens that change are errata: each change is written down with its reason and with what the entry is now."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError
from tokenspec.store.canonical import convert, toml_string
from tokenspec.store.entries import SPEC_VERSION, current_entries
from tokenspec.store.writing import write_atomically

REMOVED = "removed"


class Erratum(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One ``[[erratum]]``: what changed with spec version ``version``, and why.

    ``entries`` gives for each entry its hash after the change, or ``removed``: a later change of the same entry needs
    an erratum of its own.
    """

    date: dt.date
    version: str
    reason: str
    entries: dict[str, str]


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


def record_erratum(names: Iterable[str], reason: str) -> None:
    """Append one erratum to ``ERRATA.toml``, with what each entry is now."""
    target = fixtures_dir() / "ERRATA.toml"
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    entries = current_entries()
    now = {name: entries.get(name, REMOVED) for name in sorted(names)}
    lines = [
        "",
        "[[erratum]]",
        f"date = {dt.datetime.now(dt.UTC).date().isoformat()}",
        f"version = {toml_string(SPEC_VERSION)}",
        f"reason = {toml_string(reason)}",
        "[erratum.entries]",
        *(f"{toml_string(name)} = {toml_string(sha)}" for name, sha in now.items()),
    ]
    write_atomically(target, old + "\n".join(lines) + "\n")
