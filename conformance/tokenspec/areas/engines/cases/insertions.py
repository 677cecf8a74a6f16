"""Cases on tables about where separators go, and what they do to the rest of the trace."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.engines.cases.build import scripted
from tokenspec.store.records import Case


def insertions() -> Iterator[Case]:
    """Where separators go, and what they do to the rest."""
    yield scripted(
        "insert-before-token-zero",
        "An insertion before token 0 makes no boundary but raises every later gap.",
        "SEGMENT_INSERTION",
        "ENG-032",
        "A b c b c b",
        [9.0, -4, -4, -1, -4, -4],
        delta=4,
        quantile=70,
        beta=0,
    )
    yield scripted(
        "insert-before-token-zero-repels",
        "The invisible first separator keeps the second from going in.",
        "SEGMENT_INSERTION",
        "ENG-032",
        "A b c b c b",
        [9.0, -4, 8, -4, -4, -4],
        delta=-9,
        quantile=60,
        beta=0,
    )
    yield scripted(
        "insert-once-per-token",
        "After the insertion the separator is likelier still, but the token is taken.",
        "SEGMENT_INSERTION",
        "ENG-031",
        "A b c b c",
        [-4.0, 6, -4, -4, -4],
        delta=9,
        quantile=70,
        beta=0,
    )
    yield scripted(
        "insert-before-last-token",
        "The last token can begin a segment.",
        "SEGMENT_INSERTION",
        "ENG-030 ENG-001",
        "A b c. D",
        [-4.0, -4, -4, -4, 6],
        quantile=80,
    )
    yield scripted(
        "insert-many",
        "An attracting separator ends in a segment per token.",
        "SEGMENT_INSERTION",
        "ENG-032 ENG-001",
        "A b c b c b c",
        [-4.0, 2, -4, -4, -4, -4, -4],
        delta=9,
        quantile=80,
        beta=0,
    )
    yield scripted(
        "insert-beside-step",
        "Step and space Step in the trace are separators themselves: nothing goes before, something may go after.",
        "SEGMENT_INSERTION",
        "ENG-031 ENG-011",
        "Step b. Step c. D Step",
        [5.0, 5, 0, 9, 5, 0, 3, 9],
        quantile=20,
    )
    yield scripted(
        "insert-step-wins-the-gap",
        "The likeliest candidate is space Step, while the separator itself is unlikely; the gap takes the best.",
        "SEGMENT_INSERTION",
        "ENG-011 ENG-020",
        "A b c. D e",
        [-9.0] * 6,
        model={
            "rows": [
                {"A": 0.0, "<|seg|>": -9.0},
                {" b": 0.0, " Step": 4.0},
                {" c": 0.0, "Step": 5.0},
                {".": 0.0},
                {" D": 0.0, "<|seg|>": -9.0},
                {" e": 0.0},
            ]
        },
        quantile=50,
    )
    yield scripted(
        "insert-step-is-two-tokens",
        "Without a piece for Step its first piece is no candidate, however likely.",
        "SEGMENT_INSERTION",
        "ENG-011",
        "A b c. D e",
        [-2.0, -3, -4, -2, 2, -3],
        model={
            "pieces": ["<P>", "<|seg|>", "St", "ep", "A", " b", " c", ".", " D", " e"],
            "rows": [
                {"A": 0.0, "<|seg|>": -2.0},
                {" b": 0.0, "<|seg|>": -3.0, "St": 9.0},
                {" c": 0.0, "<|seg|>": -4.0},
                {".": 0.0, "<|seg|>": -2.0},
                {" D": 0.0, "<|seg|>": 2.0},
                {" e": 0.0, "<|seg|>": -3.0},
            ],
        },
        quantile=60,
    )
    yield scripted(
        "insert-another-separator",
        "The separator has another name; the default one is an ordinary token then.",
        "SEGMENT_INSERTION",
        "ENG-011 ENG-031",
        "A<cut> b.<|seg|> c",
        [1.0, 2, 4, 1, 6, 3],
        model={
            "pieces": ["<P>", "<cut>", "<|seg|>", "A", " b", " c", "."],
            "separator": "<cut>",
            "rows": [
                {"<cut>": 1.0, "A": 0.0},
                {"<cut>": 0.0},
                {"<cut>": 4.0, " b": 0.0},
                {"<cut>": 1.0, ".": 0.0},
                {"<cut>": 6.0, "<|seg|>": 0.0},
                {"<cut>": 3.0, " c": 0.0},
            ],
        },
        sep_tok="<cut>",
        quantile=10,
    )
    yield scripted(
        "insert-wide-characters",
        "Offsets count code points: an emoji and an accented letter are one each.",
        "SEGMENT_OFFSETS",
        "ENG-001 ENG-002",
        "😀é.😀 b. c",
        [-3.0, -3, -3, 4, -3, -3, 4],
        quantile=70,
    )
