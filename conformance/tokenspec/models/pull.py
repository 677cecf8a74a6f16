"""Pull rows: download what is missing, build, prove, and say for each row what happened."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec.models.assemble import assemble
from tokenspec.models.errors import ModelError
from tokenspec.models.progress import Notes
from tokenspec.models.rows import carriers, load, spec_of, specs
from tokenspec.models.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenspec.models.progress import Progress


@dataclass(frozen=True)
class Pulled:
    """The outcome of one row: ``reason`` is None on success, ``origins`` is empty when it was cached already."""

    row: str
    origins: tuple[str, ...]
    seconds: float
    downloaded: int
    reason: str | None = None


def default_rows() -> list[str]:
    """Every row a pull without names brings: all but toys (always here) and rows that are opt-in."""
    return [row.id for row in specs().values() if row.status != "toy" and not row.opt_in]


def pull(rows: Iterable[str], *, progress: Progress | None = None, network: bool = True) -> list[Pulled]:
    """Bring rows into the cache, one after the other; a row that fails does not stop the rest.

    Raises:
        UnknownRow: before anything is fetched.
    """
    wanted = [row for row in map(spec_of, dict.fromkeys(rows)) if row.status != "toy"]
    listener = progress or Notes()
    sources = Sources(carriers(), listener, network=network, rows=wanted)
    results = []
    for row in wanted:
        began, before = time.monotonic(), sources.downloaded
        origins: tuple[str, ...] = ()
        reason = None
        try:
            origins = assemble(row, sources).origins
        except ModelError as error:
            reason = str(error)
        results.append(Pulled(row.id, origins, time.monotonic() - began, sources.downloaded - before, reason))
    load.cache_clear()
    return results
