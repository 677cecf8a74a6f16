"""A file or folder, of this machine or of an object store: read as a stream, written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tokenspec.errors import UsageError
from tokenspec.store.writing import naming

READ_AHEAD = 4 * 2**20
"""Bytes that are asked of an object store at once."""


@dataclass(frozen=True)
class Place:
    """``uri`` is an absolute path, or begins with a scheme that pyarrow has a file system for (``s3://bucket/key``)."""

    uri: str

    @classmethod
    def of(cls, text: str) -> Place:
        """What a person names. Paths become absolute: a worker may stand in another folder."""
        if text.startswith("file:"):
            text = url2pathname(urlsplit(text).path)
        return cls(text if "://" in text else str(Path(text).absolute()))

    @property
    def is_local(self) -> bool:
        """Whether it is a path of this machine."""
        return "://" not in self.uri

    @property
    def path(self) -> Path:
        """The path, where it is one."""
        return Path(self.uri)

    @property
    def name(self) -> str:
        """The last part."""
        return self._parts[0].rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """What the name ends with, the dot included."""
        return Path(self.name).suffix

    @property
    def _parts(self) -> tuple[str, str]:
        """The URI before and behind its options (``?endpoint_override=...``)."""
        if self.is_local:
            return self.uri, ""
        head, mark, options = self.uri.partition("?")
        return head.rstrip("/"), mark + options

    def __str__(self) -> str:
        return self.uri

    def __truediv__(self, name: str) -> Place:
        head, options = self._parts
        return Place(f"{head.rstrip('/')}/{name}{options}")

    def is_file(self) -> bool:
        """Whether there is such a file."""
        if self.is_local:
            return self.path.is_file()
        files, key = self._remote()
        return bool(files.get_file_info(key).type.name == "File")

    def files(self) -> list[Place]:
        """The files directly in this folder, by name; none where there is no such folder."""
        if self.is_local:
            return [self / path.name for path in sorted(self.path.glob("*")) if path.is_file()]
        from pyarrow import fs

        files, key = self._remote()
        found = files.get_file_info(fs.FileSelector(key, allow_not_found=True))
        return [self / one.base_name for one in sorted(found, key=lambda one: one.base_name) if one.type.name == "File"]

    def is_empty(self) -> bool:
        """Whether nothing lies in this folder."""
        if self.is_local:
            return not self.path.is_dir() or not any(self.path.iterdir())
        from pyarrow import fs

        files, key = self._remote()
        return not files.get_file_info(fs.FileSelector(key, allow_not_found=True))

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """The bytes; they can be read from any offset.

        Raises:
            OSError: it cannot be read.
        """
        if self.is_local:
            with self.path.open("rb") as stream:
                yield stream
            return
        files, key = self._remote()
        with files.open_input_file(key) as raw, io.BufferedReader(raw, READ_AHEAD) as buffered:
            yield buffered

    def read(self) -> bytes:
        """All of it.

        Raises:
            OSError: it cannot be read.
        """
        with self.open() as stream:
            return stream.read()

    def sha256(self) -> str:
        """What it hashes to."""
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def write(self, data: bytes) -> None:
        """Write it; others see the old file or the new one: a rename here, one object put there.

        Raises:
            OSError: there is no room, or no right to.
        """
        if not self.is_local:
            files, key = self._remote()
            with files.open_output_stream(key, buffer_size=0) as stream:
                stream.write(data)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with naming(self), os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise

    def remove(self) -> None:
        """Remove a file, if it is there."""
        if self.is_local:
            self.path.unlink(missing_ok=True)
            return
        files, key = self._remote()
        with suppress(FileNotFoundError):
            files.delete_file(key)

    def remove_folder(self) -> None:
        """Remove a folder and all in it, if it is there."""
        if self.is_local:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        files, key = self._remote()
        with suppress(FileNotFoundError):
            files.delete_dir(key)

    def _remote(self) -> tuple[Any, str]:
        head, options = self._parts
        scheme, _, rest = head.partition("://")
        root, _, key = rest.partition("/")
        files, base = _file_system(f"{scheme}://{root}{options}")
        return files, "/".join(part for part in (base.rstrip("/"), key) if part)


@lru_cache(maxsize=8)
def _file_system(root: str) -> tuple[Any, str]:
    """The file system of a bucket, and what its paths begin with; credentials are those of the environment."""
    try:
        from pyarrow import fs

        files, base = fs.FileSystem.from_uri(root)
    except ImportError as error:
        raise UsageError("pyarrow is not installed: pip install 'tokenspec[datasets]'") from error
    except (OSError, ValueError) as error:
        cure = "Give a path, or a URI of s3, gs, abfs or hdfs; copy what lies elsewhere"
        raise UsageError(f"{root}: no file system for it: {error}. {cure}") from error
    return files, base
