"""Named sets of characters: classes, POSIX classes, Unicode properties, and letters that differ by case only."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache

from tokenspec_reference.fast_forward.utf8 import LAST_CODE_POINT, CodeRange, complement, merged

DIGITS = [(0x30, 0x39)]
WORD = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
SPACE = [(0x09, 0x0D), (0x20, 0x20)]
LETTERS = [(0x41, 0x5A), (0x61, 0x7A)]
EVERY_SPACE = [
    *SPACE,
    *((code, code) for code in (0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF)),
    *((0x2000, 0x200A), (0x2028, 0x2029)),
]
POSIX: dict[str, list[CodeRange]] = {
    "alnum": [*DIGITS, *LETTERS],
    "alpha": LETTERS,
    "ascii": [(0x00, 0x7F)],
    "blank": [(0x09, 0x09), (0x20, 0x20)],
    "cntrl": [(0x00, 0x1F), (0x7F, 0x7F)],
    "digit": DIGITS,
    "graph": [(0x21, 0x7E)],
    "lower": [(0x61, 0x7A)],
    "print": [(0x20, 0x7E)],
    "punct": [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    "space": SPACE,
    "upper": [(0x41, 0x5A)],
    "word": WORD,
    "xdigit": [*DIGITS, (0x41, 0x46), (0x61, 0x66)],
}
SURROGATE = "Cs"


@cache
def _categories() -> dict[str, list[CodeRange]]:
    """Ranges of every general category, by its two letters and by its first."""
    found: dict[str, list[CodeRange]] = {}
    start, known = 0, unicodedata.category("\0")
    for code in range(1, LAST_CODE_POINT + 2):
        category = unicodedata.category(chr(code)) if code <= LAST_CODE_POINT else ""
        if category != known:
            for name in (known, known[0]):
                found.setdefault(name, []).append((start, code - 1))
            start, known = code, category
    del found[SURROGATE]
    return {name: merged(ranges) for name, ranges in found.items()}


def of_property(name: str) -> list[CodeRange] | None:
    r"""The characters of ``\p{name}``: a general category; None for a name that is none.

    >>> of_property("Zl")
    [(8232, 8232)]
    """
    if name == "Any":
        return [(0, LAST_CODE_POINT)]
    return _categories().get(name)


@cache
def _alike() -> dict[int, tuple[int, ...]]:
    """Of each character, those that differ from it by case only; in the order of their numbers."""
    groups: dict[str, list[int]] = {}
    for code in range(LAST_CODE_POINT + 1):
        char = chr(code)
        folded = char.casefold()
        if len(folded) > 1:  # ẞ and ß are one letter, though both may be written ss
            folded = char.lower()
        if len(folded) == 1 and {folded, char.upper(), char.lower()} != {char}:
            groups.setdefault(folded, []).append(code)
    return dict(sorted((code, tuple(group)) for group in groups.values() if len(group) > 1 for code in group))


def without_case(ranges: Sequence[CodeRange]) -> list[CodeRange]:
    """The characters, and those that differ from them by case only.

    >>> without_case([(0x41, 0x42)])
    [(65, 66), (97, 98)]
    """
    own = merged(ranges)
    more: list[CodeRange] = []
    alike = _alike()
    codes = list(alike)
    for low, high in own:
        cased = codes[bisect_left(codes, low) : bisect_right(codes, high)]
        more += [(other, other) for code in cased for other in alike[code]]
    return merged([*own, *more])


CLASSES: dict[str, list[CodeRange]] = {
    "d": DIGITS,
    "w": WORD,
    "s": SPACE,
    "D": complement(DIGITS),
    "W": complement(WORD),
    "S": complement(SPACE),
}
