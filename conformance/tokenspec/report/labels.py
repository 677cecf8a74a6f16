"""What a column is called where people read: a registered name as it is, a command or path by what it says it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tokenspec.errors import UnknownName


def labels(implementations: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Per column its label: ``info().name`` of what was given as ``cmd:...`` or ``module:attribute``, if unique."""
    said = {impl: str(info.get("name") or impl) if ":" in impl else impl for impl, info in implementations.items()}
    often = Counter(said.values())
    return {impl: label if often[label] == 1 else impl for impl, label in said.items()}


def impl_called(text: str, implementations: Mapping[str, Mapping[str, Any]]) -> str:
    """The column that is called so: as it was given to ``--impl``, or by the label that is printed of it.

    Raises:
        UnknownName: none is.
    """
    if text in implementations:
        return text
    named = labels(implementations)
    found = [impl for impl, label in named.items() if label == text]
    if len(found) != 1:
        raise UnknownName("column", text, dict.fromkeys([*named.values(), *implementations]))
    return found[0]
