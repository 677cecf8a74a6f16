"""Write cases as canonical JSON; refuse what the lint would refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas import modules
from tokenspec.store.canonical import canonical_json
from tokenspec.store.records import Case
from tokenspec.store.writing import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_BYTES = 64 * 1024


def write_cases(cases: Iterable[Case], target: Path) -> list[Path]:
    """One file per case under `target`; a file there that no case writes is removed."""
    texts: dict[Path, str] = {}
    for case in cases:
        path = target / f"{case.slug}.json"
        text = canonical_json(case)
        if path in texts:
            raise SystemExit(f"{case.id} is defined twice")
        if len(text.encode()) > MAX_BYTES:
            raise SystemExit(f"{case.id} is larger than 64 KiB: make it shorter")
        texts[path] = text
    for path, text in texts.items():
        write_atomically(path, text)
    for stale in set(target.glob("*.json")) - set(texts):
        stale.unlink()
    return sorted(texts)


def cases_of(area: str) -> list[Case]:
    """Every case that the generators of an area make."""
    return [case for module in modules("cases", area) for case in getattr(module, "CASES", ())]
