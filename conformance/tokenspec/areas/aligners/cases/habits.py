"""``boundary`` on made-up tokenizers with habits: normal forms, spaces of their own; sides cut anywhere; long texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

from tokenspec.areas.aligners.cases.build import BOUNDARY, STRUCTURE, case
from tokenspec.areas.aligners.cases.pieces import Piece, spelled
from tokenspec.store.records import Case

COMPOSED = "a\u00e9 \u1e69 \ud55c\u00f1"
LONG = (20_000, 20_000, 30_000, 60_000, 90_000)
EVERY = {"prefix_space": "every"}
FIRST = {"prefix_space": "first"}
MAYBE = {"prefix_optional": True}


def form(name: Literal["NFC", "NFD"], text: str) -> str:
    """A normal form."""
    return unicodedata.normalize(name, text)


def bytewise(data: bytes) -> list[Piece]:
    """One piece a byte."""
    return [["hex", f"{byte:02x}"] for byte in data]


def characterwise(text: str) -> list[Piece]:
    """One piece a character."""
    return [["text", char] for char in text]


def batch(rows: list[tuple[list[Piece], list[Piece]]]) -> dict[str, Any]:
    """Rows of both sides, padded on the right."""
    sides = zip(*rows, strict=True)
    padded = []
    for side in sides:
        width = max(map(len, side))
        padded.append([[*row, *([["padding", ""]] * (width - len(row)))] for row in side])
    return {"student": padded[0], "teacher": padded[1]}


def cases() -> Iterator[Case]:
    """Cases ``habit-*`` and ``pieces-long-*``."""
    yield from forms()
    yield from spaces()
    yield from lengths()


def forms() -> Iterator[Case]:
    """A tokenizer that composes or decomposes beside one that does not, whole and cut at every place."""
    both: tuple[tuple[Literal["NFC", "NFD"], Literal["NFC", "NFD"]], ...] = (("NFC", "NFD"), ("NFD", "NFC"))
    for mine, theirs in both:
        text = form(theirs, COMPOSED)
        other = characterwise(text)
        data = form(mine, COMPOSED).encode()
        whole = {"unicode_form": mine}
        rows = [
            (characterwise(form(mine, COMPOSED)), other),
            (bytewise(data), other),
            (bytewise(data), bytewise(text.encode())),
        ]
        yield case(
            f"habit-{mine.lower()}",
            "ALIGN_NORMAL_FORM",
            (*BOUNDARY, "ALN-015"),
            f"One side brings its text into {mine}, the other has it in {theirs}.",
            task="align-pieces",
            data={**batch(rows), "student_habits": whole, "texts": [text] * len(rows)},
        )
        for slug, pieces in (("bytes", bytewise(data)), ("characters", characterwise(form(mine, COMPOSED)))):
            cut = [(pieces[:count], other) for count in range(len(pieces))]
            yield case(
                f"habit-{mine.lower()}-cut-{slug}",
                "ALIGN_NORMAL_FORM ALIGN_TRUNCATION",
                (*BOUNDARY, "ALN-015", "ALN-016"),
                "The side that normalises ends anywhere: inside a character, or before a mark.",
                task="align-pieces",
                data={**batch(cut), "student_habits": whole, "texts": [text] * len(cut)},
            )
            cut = [(pieces, other[:count]) for count in range(len(other))]
            yield case(
                f"habit-{mine.lower()}-cut-other-{slug}",
                "ALIGN_NORMAL_FORM ALIGN_TRUNCATION",
                (*BOUNDARY, "ALN-015", "ALN-016"),
                "The side that does not normalise ends anywhere.",
                task="align-pieces",
                data={**batch(cut), "student_habits": whole, "texts": [text] * len(cut)},
            )

    differ = ("caf", "x", "\u00e9"), ("caf", "y", "e", "\u0301")
    yield case(
        "habit-nfc-differs-before-the-last",
        "ALIGN_NORMAL_FORM ALIGN_TRUNCATION",
        (*STRUCTURE, "ALN-015", "ALN-018"),
        "Two texts that differ just before a last unit that is the same: nothing behind the difference is aligned.",
        task="align-pieces",
        options={"on_mismatch": "truncate"},
        data={
            **batch([([["text", piece] for piece in differ[0]], [["text", piece] for piece in differ[1]])]),
            "student_habits": {"unicode_form": "NFC"},
            "student_texts": ["".join(differ[0])],
            "teacher_texts": ["".join(differ[1])],
        },
    )


def spaces() -> Iterator[Case]:
    """Where a space of the tokenizer's own may stand, and whether it always does."""
    rows = {
        "plain": (" a|b| c", "a|b c", "ab c"),
        "after-special": (" a|<x>| b|c", "a|<x>|bc", "abc"),
        "after-two-special": (" a|<x>|<y>| b", "a|<x>|<y>|b", "ab"),
        "before-special": ("<x>| a|b", "<x>|ab", "ab"),
        "twice": (" a|<x>| b|<x>| c| d", "a|<x>|b|<x>|c d", "abc d"),
        "alone": (" |a|<x>| |b", "a|<x>|b", "ab"),
    }
    for rule, habits in (("every", EVERY), ("every-optional", {**EVERY, **MAYBE})):
        for slug, (student, teacher, text) in rows.items():
            yield case(
                f"habit-{rule}-{slug}",
                "ALIGN_PREFIX_SPACE ALIGN_SPECIAL",
                (*BOUNDARY, "ALN-013", "ALN-014"),
                "A space before every stretch between special tokens.",
                task="align-pieces",
                data={
                    "student": [spelled(student)],
                    "teacher": [spelled(teacher)],
                    "student_habits": habits,
                    "texts": [text],
                },
            )
    for rule, habits in (("first", FIRST), ("first-optional", {**FIRST, **MAYBE})):
        for slug, (student, teacher, text) in {
            "plain": (" a|b| c", "a|b c", "ab c"),
            "after-special": (" a|<x>| b|c", "a|<x>| bc", "a bc"),
            "before-special": ("<x>| a|b", "<x>|ab", "ab"),
        }.items():
            yield case(
                f"habit-{rule}-{slug}",
                "ALIGN_PREFIX_SPACE ALIGN_SPECIAL",
                (*BOUNDARY, "ALN-013", "ALN-014"),
                "A space before the text, and none of its own after a special token.",
                task="align-pieces",
                data={
                    "student": [spelled(student)],
                    "teacher": [spelled(teacher)],
                    "student_habits": habits,
                    "texts": [text],
                },
            )
    kept = batch([(spelled(" a|<x>| b"), spelled(" a|<x>| b")), (spelled(" a|b"), spelled(" ab"))])
    yield case(
        "habit-every-optional-text",
        "ALIGN_PREFIX_SPACE ALIGN_SPECIAL",
        (*BOUNDARY, "ALN-013", "ALN-014"),
        "Spaces that the other side has are text.",
        task="align-pieces",
        data={**kept, "student_habits": {**EVERY, **MAYBE}, "texts": [" a b", " ab"]},
    )


def lengths() -> Iterator[Case]:
    """More bytes than sixteen bits hold."""
    yield case(
        "pieces-long",
        "ALIGN_BASIC",
        BOUNDARY,
        "A text of more than 32 KB, whose last pieces are cut differently.",
        task="align-pieces",
        data={
            "student": [[["text", "a"], *[["run", f"{length} x"] for length in LONG], *spelled("xab|c|d")]],
            "teacher": [[["text", "ax"], *[["run", f"{length} x"] for length in LONG], *spelled("a|b|cd")]],
        },
    )
    yield case(
        "pieces-long-in-two",
        "ALIGN_BASIC",
        BOUNDARY,
        "A piece of 300 bytes that the other side has in two: their lengths decide where the chunk ends.",
        task="align-pieces",
        data={
            "student": [[["run", "300 x"], ["text", "a"]]],
            "teacher": [[["run", "150 x"], ["run", "150 x"], ["text", "a"]]],
        },
    )


CASES = tuple(cases())
