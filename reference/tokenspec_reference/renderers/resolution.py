"""What a renderer says of how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Resolution:
    """Which family renders, and how that was found.

    Attributes:
        family: its name; ``template`` for the generic renderer.
        by: ``argument``, ``hash``, ``name`` (of the tokenizer), ``witnesses`` or ``none``.
        why: the same in words.
    """

    family: str
    by: Literal["argument", "hash", "name", "witnesses", "none"]
    why: str
