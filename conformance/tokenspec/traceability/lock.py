"""``spec/requirements.lock.json``: the reviewed state of every requirement.

It pins the text each check was reviewed against and the mutants that prove the checks can fail.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from tokenspec.data import spec_dir
from tokenspec.requirements import requirements, withdrawn_ids
from tokenspec.store.canonical import canonical_json, read_fixture
from tokenspec.store.writing import write_atomically


class LockedRequirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One requirement as last reviewed. ``mutants`` are those that a check citing it kills, each with a cell."""

    id: str
    level: str
    title: str
    chapter: str
    text_sha256: str
    checks: list[str]
    mutants: dict[str, str]


def read_lock() -> dict[str, LockedRequirement]:
    """The lock by id; empty when none was written yet."""
    path = spec_dir() / "requirements.lock.json"
    if not path.exists():
        return {}
    return {entry.id: entry for entry in read_fixture(path, list[LockedRequirement])}


def write_lock(
    acknowledged: set[str] | None, kills: dict[str, dict[str, str]] | None = None, ran: Collection[str] | None = None
) -> list[str]:
    """Write the lock and return the ids whose text hash was renewed.

    Only what is acknowledged is renewed or added. A requirement that is gone from the chapters stays in the lock until
    ``spec/withdrawn.md`` lists it, so that its id is not forgotten and used again.

    Args:
        acknowledged: ids whose current text was reviewed; None means all of them.
        kills: requirement id -> mutants killed by a check citing it -> a cell where; None keeps what the lock says.
        ran: the mutants that ``kills`` tells of; the lock keeps what it says of the others. None means all there are.
    """
    from tokenspec.areas.check import all_checks

    old = read_lock()
    citing: dict[str, list[str]] = {}
    for check in all_checks().values():
        for id_ in check.requires:
            citing.setdefault(id_, []).append(check.name)
    renewed: list[str] = []
    entries: list[LockedRequirement] = []
    for id_, block in sorted(requirements().items()):
        before = old.get(id_)
        sha = block.text_sha256
        if acknowledged is not None and id_ not in acknowledged:
            if before is None:
                continue
            sha = before.text_sha256
        elif before is None or before.text_sha256 != sha:
            renewed.append(id_)
        known = before.mutants if before is not None else {}
        if kills is not None:
            kept = {} if ran is None else {name: cell for name, cell in known.items() if name not in ran}
            known = kept | kills.get(id_, {})
        entries.append(
            LockedRequirement(
                id=id_,
                level=block.level,
                title=block.title,
                chapter=block.chapter,
                text_sha256=sha,
                checks=sorted(citing.get(id_, [])),
                mutants=dict(sorted(known.items())),
            )
        )
    gone = set(old) - set(requirements()) - withdrawn_ids()
    entries = sorted([*entries, *(old[id_] for id_ in gone)], key=lambda entry: entry.id)
    write_atomically(spec_dir() / "requirements.lock.json", canonical_json(entries))
    return renewed
