"""Where the node example and its npm packages lie, and how they get there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import platformdirs

from tokenspec.data import examples_dir
from tokenspec.errors import AdapterError
from tokenspec.store.writing import write_atomically

INSTALL = "tokenspec adapter node-packages"
TIMEOUT = 600.0


def program() -> Path:
    """The example adapter on node."""
    return examples_dir() / "node" / "adapter.mjs"


def cache_folder() -> Path:
    """The npm prefix ``tokenspec adapter node-packages`` fills; ``TOKENSPEC_CACHE_DIR`` moves it."""
    return Path(os.environ.get("TOKENSPEC_CACHE_DIR") or platformdirs.user_cache_dir("tokenspec")) / "node"


def modules_folder(package: str) -> Path | None:
    """The ``node_modules`` that has a package: beside the program, in ``NODE_PATH``, or in the cache folder."""
    named = [Path(part) for part in os.environ.get("NODE_PATH", "").split(os.pathsep) if part]
    folders = (program().parent / "node_modules", *named, cache_folder() / "node_modules")
    return next((folder for folder in folders if (folder / package / "package.json").is_file()), None)


def package_version(package: str) -> str | None:
    """The installed version of an npm package, or None."""
    folder = modules_folder(package)
    if folder is None:
        return None
    return str(json.loads((folder / package / "package.json").read_text(encoding="utf-8"))["version"])


def install() -> Path:
    """Install the pinned packages of the example through the user's npm; its registry and proxy apply, no script runs.

    Raises:
        AdapterError: npm is not there, or failed; its last line is quoted.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise AdapterError("npm is not installed; install node, then run: " + INSTALL)
    folder = cache_folder()
    pins = (program().parent / "package.json").read_text(encoding="utf-8")
    write_atomically(folder / "package.json", pins)
    options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    command = [npm, "install", *options, "--prefix", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise AdapterError(f"npm install did not end within {TIMEOUT:g} s; run again: {INSTALL}") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise AdapterError(f"npm install failed: {last}; mend npm, then run: {INSTALL}")
    return folder
