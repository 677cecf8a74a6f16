"""Read single members of wheels and source archives without unpacking them to disk."""

from __future__ import annotations

import tarfile
import zipfile
from typing import TYPE_CHECKING

from tokenspec.models.cache import check_sha256
from tokenspec.models.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tokenspec.models.spec import RegistrySource


def read_members(archive: Path, wanted: Iterable[RegistrySource]) -> Iterator[tuple[RegistrySource, bytes]]:
    """Yield each wanted member with its verified bytes. A tar archive is read in one pass.

    Raises:
        IntegrityError: the archive is damaged, or a member is absent, has another size or another sha256.
    """
    sources = {source.member: source for source in wanted}
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                sizes = {info.filename: info.file_size for info in bundle.infolist()}
                for member, source in sources.items():
                    _check_size(source, sizes.get(member), archive)
                    yield source, check_sha256(bundle.read(member), source.sha256, f"{archive.name}:{member}")
            return
        with tarfile.open(archive) as bundle:
            for info in bundle:
                stream = bundle.extractfile(info) if info.isfile() and info.name in sources else None
                if stream:
                    source = sources.pop(info.name)
                    _check_size(source, info.size, archive)
                    yield source, check_sha256(stream.read(), source.sha256, f"{archive.name}:{info.name}")
                if not sources:
                    return
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
        raise IntegrityError(f"{archive.name}: cannot be read ({error}); it was not used") from error
    for source in sources.values():
        _check_size(source, None, archive)


def _check_size(source: RegistrySource, found: int | None, archive: Path) -> None:
    """Refuse before reading: a member that grew is not read into memory."""
    if found is None:
        raise IntegrityError(f"{archive.name}: has no member {source.member}")
    if found != source.bytes:
        raise IntegrityError(f"{archive.name}:{source.member}: {found} bytes, pinned are {source.bytes}")
