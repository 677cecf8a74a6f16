"""Model rows: what each is pinned to, where its files come from, and the loaded result.

>>> from tokenspec import models
>>> row = models.load("qwen3")                     # doctest: +SKIP
>>> row.tokenizer.encode("<|im_end|>")             # doctest: +SKIP
[151645]
"""

from __future__ import annotations

from tokenspec.models.errors import (
    AssetsMissing,
    BuildError,
    FetchError,
    IntegrityError,
    ModelError,
    RowSpecError,
    UnknownRow,
)
from tokenspec.models.pull import Pulled, default_rows, how_to_get, pull
from tokenspec.models.rows import Row, available, carriers, load, spec_of, specs
from tokenspec.models.spec import Carrier, RowSpec

__all__ = [
    "AssetsMissing",
    "BuildError",
    "Carrier",
    "FetchError",
    "IntegrityError",
    "ModelError",
    "Pulled",
    "Row",
    "RowSpec",
    "RowSpecError",
    "UnknownRow",
    "available",
    "carriers",
    "default_rows",
    "how_to_get",
    "load",
    "pull",
    "spec_of",
    "specs",
]
