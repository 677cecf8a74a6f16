"""Importing single modules of a large package: its ``__init__`` files are not run, and what nobody calls is empty."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

NOT_INSTALLED = "not installed"


def folders(root: Path, *names: str) -> None:
    """Packages below a folder, by their whole names: themselves empty, and their modules there to be imported."""
    for name in names:
        if name not in sys.modules:
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(Path(root, *name.split(".")))]
            sys.modules[name] = importlib.util.module_from_spec(spec)


def placeholder(name: str, **attributes: object) -> None:
    """A module that holds what is given and nothing else, unless it is there already."""
    if name not in sys.modules:
        sys.modules[name] = importlib.util.module_from_spec(ModuleSpec(name, None))
        vars(sys.modules[name]).update(attributes)


def installed_at(package: str) -> Path | None:
    """The folder a package is installed in, without importing it."""
    found = importlib.util.find_spec(package)
    return None if found is None or found.origin is None else Path(found.origin).parent.parent


def checkout_version(variable: str, *files: str) -> str:
    """The first digits of the hash of some files of the checkout that a variable names."""
    root = os.environ.get(variable)
    paths = [Path(root or "", name) for name in files]
    if root is None or not all(path.is_file() for path in paths):
        return NOT_INSTALLED
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]
