"""What a column is called where people read: a registered name as it is, a command or path by what it says it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def labels(implementations: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Per column its label: ``info().name`` of what was given as ``cmd:...`` or ``module:attribute``, if unique."""
    said = {impl: str(info.get("name") or impl) if ":" in impl else impl for impl, info in implementations.items()}
    often = Counter(said.values())
    return {impl: label if often[label] == 1 else impl for impl, label in said.items()}
