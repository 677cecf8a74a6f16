"""First-party columns: what people compare with. Each says *unsupported: not installed* when its package is absent."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from tokenspec.adapters import Unsupported
from tokenspec.errors import installing


def installed_version(package: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def not_installed(package: str) -> Unsupported:
    """What a column raises where its package is absent; it names the command that installs the package."""
    return Unsupported(f"not installed; run: {installing(package)}")
