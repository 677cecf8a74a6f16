"""Markers over given base units, and lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from tokenspec.areas.engines.cases.build import case
from tokenspec.areas.engines.oracle.signals import WORDS
from tokenspec.store.records import Case

PASSAGE = "We add two to three, so that is five. But wait, this is wrong: the sum holds only once."


def rules() -> Iterator[Case]:
    """Markers over given base units, and lines."""
    units = [0, 20, 38, 48]
    yield case(
        "rule-markers",
        "Two of three later units contain a marker.",
        "SEGMENT_RULES",
        "ENG-075",
        trace=PASSAGE,
        engines=["rule-regex"],
        base_units=units,
    )
    words = {
        "rule-whole-words": (
            "Markers inside words do not count: something, butter, also.",
            "Aa bb. Something soft. Butter also melts. Thus it ends.",
            [0, 7, 23, 42],
        ),
        "rule-case": ("Markers count in any case.", "Aa bb. THUS cc. On The Other Hand dd. ee.", [0, 7, 16, 38]),
        "rule-first-unit": ("A marker in the first unit opens nothing new.", "So aa bb. Cc dd. Ee.", [0, 10, 17]),
        "rule-phrases": (
            "Phrases of several words.",
            "Aa. It follows that b. We need to c. In conclusion d. Dd.",
            [0, 4, 23, 37, 54],
        ),
        "rule-revision-of-another": ("Who was mistaken is somebody else.", "Aa bb. He was mistaken. Cc.", [0, 7, 24]),
        "rule-revision": (
            "Words of doubt.",
            "Aa. This is wrong. Bb. I was mistaken. Cc. Let me reconsider. Wait.",
            [0, 4, 19, 23, 39, 43, 62],
        ),
    }
    for slug, (why, trace, starts) in words.items():
        yield case(slug, why, "SEGMENT_RULES", "ENG-075", trace=trace, engines=["rule-regex"], base_units=starts)
    for slug, sentence in (
        ("every-marker", "Aa {} bb. "),
        ("every-marker-inside", "Aa{}bb. "),
        ("every-marker-in-brackets", "Aa ({}) bb. "),
    ):
        passage = ["Start. "]
        passage += [sentence.format(word) for word in WORDS]
        edges = [0, *accumulate(map(len, passage))][:-1]
        why = "Every marker in a unit of its own, as words or inside longer ones."
        trace = "".join(passage)
        yield case(
            f"rule-{slug}", why, "SEGMENT_RULES", "ENG-075", trace=trace, engines=["rule-regex"], base_units=edges
        )
    lines = {
        "line-paragraphs": ("Blank lines end segments, single breaks do not.", "a\n\nb\nc\n\n\nd"),
        "line-at-the-ends": ("Line feeds at both ends make no segment of their own.", "\n\na b\n\n"),
        "line-blank-between": ("White space between two blank lines belongs to what follows.", "a\n\n  \n\nb\n \nc"),
        "line-only-white": ("White space alone is one segment.", " \n\n \n"),
        "line-carriage-returns": ("A carriage return between line feeds breaks the run.", "a\r\n\r\nb\n\nc"),
        "line-blank-at-the-end": ("White space after the last break joins what stands before it.", "a\n\nb\n\n \n \t"),
        "line-blank-at-the-start": ("White space before the first break joins what follows.", " \t\n\n\na\n\nb"),
        "line-one-break-at-the-end": ("One break, and blanks after it.", "a\nb\n  "),
        "line-other-white": ("Other white space is white space.", "a\n\n\u00a0\u3000\n\n\u2028\n\nb\n\n\x0c"),
        "line-empty": ("The empty trace has no segments.", ""),
    }
    for slug, (why, trace) in lines.items():
        requires = "ENG-076 ENG-050" if not trace else "ENG-076 ENG-001"
        yield case(slug, why, "SEGMENT_RULES", requires, trace=trace, engines=["new-line"])
        yield case(f"{slug}-verbose", why, "SEGMENT_RULES", requires, trace=trace, engines=["new-line-verbose"])


CASES = tuple(rules())
