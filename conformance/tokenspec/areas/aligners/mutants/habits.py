"""Broken aligners that show on long texts, cut sides, and tokenizers with habits of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokenspec.areas.aligners.mutants.patched import replaced
from tokenspec_reference.aligners import boundary_batch, boundary_text, token_aligner


def _sixteen_bits(*arguments: Any, **options: Any) -> Any:
    side = READ_SIDE(*arguments, **options)
    return replace(side, ends=side.ends.clamp(max=2**15 - 1))


def _first_stretch_only(text: Any, code: Any, real: Any, _rule: str) -> Any:
    return FIRST_OF_STRETCH(text, code, real, "first")


READ_SIDE = boundary_batch.read_side
FIRST_OF_STRETCH = boundary_batch._first_of_stretch

MUTANTS = (
    replaced(
        "sixteen-bits",
        "ALN-012",
        "byte ends stop at sixteen bits",
        (token_aligner, "read_side", _sixteen_bits),
    ),
    replaced(
        "cut-characters-unseen",
        "ALN-016",
        "a side that ends inside a character is another text",
        (boundary_text, "_cut", lambda *_: None),
    ),
    replaced(
        "later-spaces-kept",
        "ALN-014",
        "optional spaces after special tokens are text",
        (boundary_text, "strip_added_spaces", lambda side, _other: side),
    ),
    replaced(
        "first-stretch-only",
        "ALN-014",
        "spaces are added before the first text only",
        (boundary_batch, "_first_of_stretch", _first_stretch_only),
    ),
)
