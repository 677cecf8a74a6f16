"""Base units: the sentences or clauses that rule engines group. Rules only; a parser can be injected instead.

A base segmenter is any callable ``(trace, unit) -> starts`` of code point offsets. Whoever gives them, starts inside
math or code are dropped (ENG-100). The default knows punctuation, paragraphs and common abbreviations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Literal

from tokenspec_reference.engines.offsets import Offsets, partition
from tokenspec_reference.engines.parameters import one_of

BaseUnit = Literal["clause", "sent"]
BaseSegmenter = Callable[[str, BaseUnit], Iterable[int]]

PROTECTED = re.compile(r"\$\$.*?\$\$|\$.*?\$|```.*?```|`.*?`", re.DOTALL)
SENTENCE_END = re.compile(r"[.!?…。！？]+[\"')\]»”’]*(?:\s+|$)|(?<=[。！？])|\n\s*\n\s*|\n+")
ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|Eq|Fig|No|Dr|Mr|Mrs|Ms|St)|(?:^|\n)\s*\d+|\b[A-Z])\.\s+$"
)
CLAUSE_END = re.compile(
    r"[;:]\s+"
    r"|,\s+(?=(?:and|but|so|or|yet|because|since|although|though|while|whereas|which|if|when|then|therefore|thus|hence)\b)"
    r"|\s+(?=(?:because|although|whereas|unless)\b)",
    re.IGNORECASE,
)
SHORT_WORDS, SHORT_CHARACTERS = 3, 10  # a clause below either is joined to the one before it


def rule_based_starts(trace: str, unit: BaseUnit) -> list[int]:
    """Starts of the units: after the end of a sentence, for clauses also after ``;`` ``:`` and before conjunctions."""

    def free(pattern: re.Pattern[str]) -> list[int]:
        return unprotected(trace, (match.end() for match in pattern.finditer(trace)))

    ends = [end for end in free(SENTENCE_END) if not ABBREVIATION.search(trace[:end][-12:])]
    if unit == "sent":
        return sorted(set(ends))
    ends += free(CLAUSE_END)
    joined: list[int] = []
    edges = [0, *sorted(set(ends)), len(trace)]
    for start, end in pairwise(edges[1:]):
        piece = trace[start:end].strip()
        if len(piece.split()) >= SHORT_WORDS and len(piece) >= SHORT_CHARACTERS:
            joined.append(start)
    return joined


def protected_spans(trace: str) -> Offsets:
    """Math and code, ``$$...$$``, ``$...$``, fenced and inline, in the order of the trace."""
    return [match.span() for match in PROTECTED.finditer(trace)]


def unprotected(trace: str, starts: Iterable[int]) -> list[int]:
    """Those of ``starts`` that lie in no protected span, or at an edge of one."""
    spans = protected_spans(trace)
    ends = [end for _, end in spans]

    def inside(start: int) -> bool:
        following = bisect_left(ends, start)
        return following < len(spans) and spans[following][0] < start < spans[following][1]

    return [start for start in starts if not inside(start)]


def base_units(trace: str, unit: BaseUnit, segmenter: BaseSegmenter = rule_based_starts) -> Offsets:
    """The units as a partition of ``trace``.

    Raises:
        InvalidParameter: ``unit`` is neither ``clause`` nor ``sent``.
    """
    one_of(unit, ("clause", "sent"), "seg_base_unit")
    return partition(unprotected(trace, segmenter(trace, unit)), len(trace))
