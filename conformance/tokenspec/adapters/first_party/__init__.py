"""First-party columns: what people compare with. Each says *unsupported: not installed* when its package is absent."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@lru_cache(maxsize=2)
def tokenizer_of(directory: str) -> Any:
    """The ``transformers`` tokenizer of a row's folder; columns judged on one row share it."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast.from_pretrained(directory)


def installed_version(package: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
