"""Small implementations that behave in one bad way each; the runner must give each the verdict it deserves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from tokenspec.adapters import Rejected, Unsupported
from tokenspec_reference.adapter import ReferenceAdapter


class Passes(ReferenceAdapter):
    """The reference itself."""


class Raises:
    """Always breaks."""

    def info(self) -> dict[str, str]:
        return {"name": "raises", "version": "1"}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError("out of cheese")


class Hangs(Raises):
    """Never answers, and swallows ordinary exceptions."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                time.sleep(60)
            except Exception:  # noqa: BLE001
                continue


class Refuses(Raises):
    """Refuses everything."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        raise Rejected("too-hard", "I would rather not")


class Claims(Raises):
    """Has the operation, but says it lacks the capability."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        raise Unsupported("not yet", issue="#7")


class HasNothing:
    """Has no operation at all."""

    def info(self) -> dict[str, str]:
        return {"name": "empty", "version": "1"}


class ReturnsNumpy(ReferenceAdapter):
    """Forgets to convert its integers."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        result = super().render(request)
        return {"token_ids": [np.int64(id_) for id_ in result["token_ids"]]}


class ReturnsOtherKeys(Raises):
    """Calls its ids something else."""

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"ids": [1, 2]}


class ReturnsList(Raises):
    """Returns the bare ids."""

    def render(self, request: dict[str, Any]) -> Any:
        return [1, 2]


class ReturnsShortMasks(ReferenceAdapter):
    """Its mask is one entry short; it claims nothing of what it leaves out."""

    capabilities: Mapping[str, Any] = {}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        result = super().render(request)
        return {"token_ids": result["token_ids"], "is_content": [False] * (len(result["token_ids"]) - 1)}


class ReturnsNothing(ReferenceAdapter):
    """Gives ids only: no masks to judge, and claims none."""

    capabilities: Mapping[str, Any] = {}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"token_ids": super().render(request)["token_ids"]}
