"""Files are written whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from filelock import FileLock

from tokenspec.data import cache_dir
from tokenspec.errors import UsageError

QUICKLY = 3
"""How hard a compressed file is worked on: reports repeat themselves so much that more gains little."""


@contextmanager
def open_atomically(path: Path) -> Iterator[TextIO]:
    """A stream into a temporary file that is renamed at the end: a crash leaves the old file or the new one.

    A name that ends in ``.gz`` is written compressed. Links are followed; a pipe or a device is written to.
    """
    if is_special(path):
        with naming(path), path.open("wb") as raw, _text(raw, path) as stream:
            yield stream
        return
    path = path.resolve() if path.is_symlink() else path
    handle, temporary = _beside(path)
    try:
        with naming(path), os.fdopen(handle, "wb") as raw, _text(raw, path) as stream:
            yield stream
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def naming(path: object) -> Iterator[None]:
    """Have an error of the system that is raised here name the file: a full disk does not say what was written."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def _text(raw: BinaryIO, path: Path) -> Iterator[TextIO]:
    """Text into a stream of bytes, compressed where the name says so."""
    if path.suffix == ".gz":
        with gzip.open(raw, "wt", compresslevel=QUICKLY, encoding="utf-8", newline="\n") as stream:
            yield cast("TextIO", stream)
    else:
        with io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as stream:
            yield stream


def is_special(path: Path) -> bool:
    """Whether something is there that is neither a file nor a folder: a pipe, a device, a socket."""
    return path.exists() and not path.is_file() and not path.is_dir()


def refuse_unwritable(path: Path) -> None:
    """Ask, before a work begins, whether its outcome can be written there.

    Raises:
        UsageError: it cannot.
    """
    if is_special(path) and os.access(path, os.W_OK):
        return
    handle, temporary = _beside(path.resolve() if path.is_symlink() else path)
    os.close(handle)
    Path(temporary).unlink()


def refuse_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None] = ()) -> None:
    """Ask, before a work begins, whether its files can be written without loss of an input or of each other.

    Of an input that is a folder each file directly in it counts. None, ``-`` and what is no path of this machine are
    left out; a pipe or a device may be named twice.

    Raises:
        UsageError: an output cannot be written, or is an input or another output, links resolved.
    """
    read = [file for path in inputs if path not in {None, "-"} for file in _files(Path(str(path)))]
    written: list[Path] = []
    for path in outputs:
        if path is None:
            continue
        if not is_special(path):
            if any(_is_same(path, other) for other in read):
                raise UsageError(f"cannot write {path}: this command reads it; name another file")
            if any(_is_same(path, other) for other in written):
                raise UsageError(f"cannot write {path}: another option of this command writes it; name another file")
        refuse_unwritable(path)
        written.append(path)


def _files(path: Path) -> list[Path]:
    """A file itself, and those of a folder."""
    try:
        return [one for one in path.iterdir() if one.is_file()] if path.is_dir() else [path]
    except OSError:
        return []


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names are those of one file, links and the file system's own rules of spelling included."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError):
        return False


def _beside(path: Path) -> tuple[int, str]:
    """A new temporary file in the folder of a file, which is made where it is missing."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder; name a file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another file, or make its folder") from error


def _umask() -> int:
    """The process's file mode mask: a temporary file is private, a finished one is like any other."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_atomically(path: Path, text: str) -> None:
    """Write a whole file at once, or leave the old one."""
    with open_atomically(path) as stream:
        stream.write(text)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes of this machine from writing the same file between a reading and a writing of it."""
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    folder = cache_dir() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{name}.lock"):
        yield
