"""The first difference of two texts in words that are the same wherever it happens: what failures are grouped by."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

WINDOW = 240
AGREES = 4
"""So many characters alike end a difference: fewer are alike by chance."""
SHOWN = 24


def first_difference(expected: Sequence[object], got: Sequence[object]) -> int:
    """The first position at which two sequences differ; where one begins with the other, the end of the shorter."""
    pairs = enumerate(zip(expected, got, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(expected), len(got)))


def difference(expected: str, got: str) -> str:
    r"""``missing '<s>'``, ``added '\n'``, ``'é'`` written ``'\\u00e9'``; what is long is only said to be text."""
    at = first_difference(expected, got)
    wanted, found = expected[at : at + WINDOW], got[at : at + WINDOW]
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    i, j = next(((block.a, block.b) for block in blocks if block.size >= AGREES), (len(wanted), len(found)))
    lost, new = wanted[:i], found[:j]
    if not new:
        return f"missing {short(lost)}"
    return f"added {short(new)}" if not lost else f"{short(new)} instead of {short(lost)}"


def short(text: str) -> str:
    """A text as it is printed in a cause."""
    return repr(text) if len(text) <= SHOWN else "text" if text.strip() else "white space"
