"""Where the fixtures and the spec lie: packaged inside the wheel, or beside the code in a checkout; and the cache."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


@cache
def data_root() -> Path:
    """The folder that holds ``fixtures/`` and ``spec/``: the wheel's ``_data`` or the checkout's root."""
    packaged = PACKAGE / "_data"
    return packaged if packaged.is_dir() else PACKAGE.parents[1]


def cache_dir() -> Path:
    """What is kept for this user; ``TOKENSPEC_CACHE_DIR`` wins over the platform's folder."""
    import platformdirs  # not in the environments of columns, which import this module

    return Path(os.environ.get("TOKENSPEC_CACHE_DIR") or platformdirs.user_cache_dir("tokenspec"))


def fixtures_dir() -> Path:
    """The language-neutral fixtures."""
    return data_root() / "fixtures"


def spec_dir() -> Path:
    """The normative chapters."""
    return data_root() / "spec"


def checkout_root() -> Path | None:
    """The source checkout the code lies in, or the one an installed wheel is run from; None elsewhere.

    Mutants and the README are not shipped: what needs them needs a checkout.
    """
    roots = (PACKAGE.parents[1], Path.cwd())
    return next((root for root in roots if (root / "conformance" / "tokenspec").is_dir()), None)
