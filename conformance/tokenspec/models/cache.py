"""The local cache: members by sha256, finished row folders, and one lock per thing being written.

``TOKENSPEC_CACHE_DIR`` overrides the platform's cache folder. Nothing is ever read without checking its sha256, and
nothing appears under its final name before it is complete.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from tokenspec.data import cache_dir
from tokenspec.models.errors import FetchError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STALE_SECONDS = 24 * 3600.0


def cache_root() -> Path:
    """The folder everything is kept in; ``TOKENSPEC_CACHE_DIR`` wins over the platform's default."""
    return cache_dir() / "models"


def sha256(data: bytes) -> str:
    """Lower-case hex digest."""
    return hashlib.sha256(data).hexdigest()


def check_sha256(data: bytes, expected: str, what: str) -> bytes:
    """``data`` unchanged, or an :class:`IntegrityError` that names what it was."""
    if (found := sha256(data)) != expected:
        raise IntegrityError(
            f"{what}: sha256 is {found}, pinned is {expected}; the file is damaged or was replaced upstream, "
            "it was not used"
        )
    return data


def file_sha256(path: Path) -> str:
    """Digest of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def writable(name: str) -> Path:
    """A folder of the cache.

    Raises:
        FetchError: it cannot be made, as for a user without a home folder.
    """
    folder = cache_root() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FetchError(f"{folder}: {error.strerror}; name a folder you can write to: TOKENSPEC_CACHE_DIR") from error
    return folder


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the cache's lock ``name`` against other processes; waits for them."""
    folder = writable("locks")
    with FileLock(folder / f"{name}.lock"):
        yield


@contextmanager
def staging() -> Iterator[Path]:
    """A temporary folder on the cache's own disk (so that a rename is atomic), removed afterwards."""
    parent = writable("staging")
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_staging() -> None:
    """Remove what killed pulls left behind; a folder a day old belongs to no running pull."""
    for folder in (cache_root() / "staging").glob("*"):
        with suppress(FileNotFoundError):  # another pull has just finished with it
            if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def write_file(path: Path, data: bytes) -> None:
    """Write through a temporary file and a rename: the old bytes or the new ones, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with staging() as folder:
        temporary = folder / path.name
        temporary.write_bytes(data)
        temporary.replace(path)


def member_path(digest: str) -> Path:
    """Where the member with this sha256 is kept."""
    return cache_root() / "members" / digest[:2] / digest


def read_member(digest: str) -> tuple[bytes | None, str | None]:
    """A verified member and a warning: ``(bytes, None)``, ``(None, None)`` when absent, ``(None, why)`` when damaged.

    A damaged file is removed, so the next source is asked for a good one.
    """
    path = member_path(digest)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, None
    if sha256(data) == digest:
        return data, None
    path.unlink(missing_ok=True)
    return None, f"cached file {path.name[:12]} is damaged ({len(data)} bytes); removed, fetching it again"


def keep_member(digest: str, data: bytes) -> None:
    """Store bytes under their sha256."""
    write_file(member_path(digest), check_sha256(data, digest, "member"))


def row_folder(row_id: str, pin: str) -> Path:
    """Where the finished folder of a row lies; a changed pin is another folder."""
    return cache_root() / "rows" / row_id / pin[:16]


def keep_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Write a whole folder at once: temporary folder, then rename; an older damaged one is replaced."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with staging() as folder:
        fresh = folder / "new"
        fresh.mkdir()
        for name, data in files.items():
            (fresh / name).write_bytes(data)
        if target.exists():
            target.rename(folder / "old")
        fresh.rename(target)
