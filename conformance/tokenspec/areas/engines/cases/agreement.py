"""Measures of agreement with a gold segmentation."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.engines.cases.build import case
from tokenspec.areas.engines.cases.rules import PASSAGE
from tokenspec.store.records import Case

GOLD = [[0, 31], [31, 59], [59, 84]]


def agreements() -> Iterator[Case]:
    """Measures against a gold segmentation; the result is a given one."""
    text = (PASSAGE + " " * 84)[:84]
    compared = {
        "fewer": ("One boundary is missing.", [[0, 31], [31, 84]]),
        "finer": ("Every gold segment but the last is cut in two.", [[0, 16], [16, 31], [31, 46], [46, 59], [59, 84]]),
        "off-by-three": ("Both boundaries are three characters off.", [[0, 34], [34, 56], [56, 84]]),
        "off-by-four": ("Both boundaries are four characters off.", [[0, 35], [35, 55], [55, 84]]),
        "whole": ("The result has no boundary at all.", [[0, 84]]),
        "same": ("The result is gold.", GOLD),
        "many": ("Boundaries everywhere.", [[at, at + 2] for at in range(0, 84, 2)]),
    }
    for slug, (why, offsets) in compared.items():
        yield case(
            f"agree-{slug}",
            why,
            "SEGMENT_AGREEMENT",
            "ENG-090 ENG-091 ENG-092",
            trace=text,
            given=[{"offsets": offsets}],
            gold=GOLD,
        )
    yield case(
        "agree-gold-whole",
        "Gold has no boundary, so the window is half the trace.",
        "SEGMENT_AGREEMENT",
        "ENG-090 ENG-091 ENG-092",
        trace=text,
        given=[{"offsets": GOLD}],
        gold=[[0, 84]],
    )
    yield case(
        "agree-half-even",
        "Half the mean segment is 2.5, which rounds to 2.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="0123456789",
        given=[{"offsets": [[0, 4], [4, 10]]}],
        gold=[[0, 5], [5, 10]],
    )
    yield case(
        "agree-half-even-up",
        "Half the mean segment is 3.5, which rounds to 4.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="0123456789abcd",
        given=[{"offsets": [[0, 4], [4, 14]]}],
        gold=[[0, 7], [7, 14]],
    )
    yield case(
        "agree-nothing",
        "Of an empty trace there is one segmentation.",
        "SEGMENT_AGREEMENT",
        "ENG-090 ENG-091 ENG-092",
        trace="",
        engines=["new-line"],
        gold=[],
    )
    yield case(
        "agree-one-character",
        "No window fits into one character.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="a",
        given=[{"offsets": [[0, 1]]}],
        gold=[[0, 1]],
    )


def groups() -> Iterator[Case]:
    """Agreement of gold and several others."""
    text = (PASSAGE + " " * 84)[:84]
    others: dict[str, tuple[str, list[list[list[int]]]]] = {
        "near": ("Near misses.", [[[0, 33], [33, 59], [59, 84]], [[0, 31], [31, 66], [66, 84]]]),
        "same": ("All the same.", [GOLD, GOLD]),
        "more": (
            "One that cuts everywhere, one that never does.",
            [[[at, at + 2] for at in range(0, 84, 2)], [[0, 84]], GOLD],
        ),
    }
    for slug, (why, given) in others.items():
        yield case(
            f"agree-group-{slug}",
            why,
            "SEGMENT_AGREEMENT",
            "ENG-094 ENG-095",
            trace=text,
            given=[{"offsets": each} for each in given],
            fusion="merge",
            gold=GOLD,
        )
    yield case(
        "agree-group-far",
        "Boundaries ten characters apart, which is near, and eleven, which is not.",
        "SEGMENT_AGREEMENT",
        "ENG-094 ENG-095",
        trace=text[:60],
        given=[{"offsets": [[0, 30], [30, 60]]}, {"offsets": [[0, 41], [41, 60]]}],
        fusion="merge",
        gold=[[0, 20], [20, 60]],
    )
    yield case(
        "agree-group-beside",
        "Boundaries three characters apart, which is the same place, and four, which is not.",
        "SEGMENT_AGREEMENT",
        "ENG-094 ENG-095",
        trace=text[:60],
        given=[{"offsets": [[0, 23], [23, 60]]}, {"offsets": [[0, 27], [27, 60]]}],
        fusion="merge",
        gold=[[0, 20], [20, 60]],
    )
    yield case(
        "agree-group-never",
        "Nobody cuts.",
        "SEGMENT_AGREEMENT",
        "ENG-094 ENG-095",
        trace=text,
        given=[{"offsets": [[0, 84]]}, {"offsets": [[0, 84]]}],
        fusion="voting",
        gold=[[0, 84]],
    )


CASES = (*agreements(), *groups())
