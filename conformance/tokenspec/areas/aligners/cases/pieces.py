"""``boundary`` without tokenizers: pieces with their bytes, special tokens with their roles."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import BOUNDARY, case
from tokenspec.store.records import Case

Piece = list[str]


def spelled(words: str) -> list[Piece]:
    """``ab|c`` as pieces; ``<role>`` is a special token, ``#e4b8`` bytes, ``_`` padding, ``~`` a piece of no bytes."""
    return [piece(word) for word in words.split("|")] if words else []


def piece(word: str) -> Piece:
    """One piece."""
    if word == "_":
        return ["padding", ""]
    if word == "~":
        return ["text", ""]
    if word.startswith("<"):
        return ["special", word.strip("<>")]
    return ["hex", word[1:]] if word.startswith("#") else ["text", word]


TOKENS = {
    "crossing-two-three": ("abc|defg", "ab|cde|fg", "Two tokens against three: one chunk."),
    "one-to-five": ("abcde", "a|b|c|d|e", "One token against five, beyond any combination length."),
    "repeats": ("a|a|a|a|a|a", "aa|aa|aa", "Repeated pieces align by place, not by spelling."),
    "shifted-pairs": ("a|ab|ab|ab|b", "aa|ba|ba|bb", "Shifted pieces share no boundary before the end."),
    "same-places-other-order": ("aa|a", "a|aa", "Boundaries at 2 and at 1: one chunk."),
    "split-character": ("#e4|#b8|#ad|x", "#e4b8|#ad78", "A character cut at different bytes on both sides."),
    "split-emoji": ("#f09f|#988a|#f09f988a", "#f0|#9f988a|#f09f98|#8a", "Two emoji cut differently."),
    "roles": ("<begin>|ab|c|<end>", "<begin>|a|bc|<end>", "Equal roles at equal places pair."),
    "role-inside-chunk": ("ab|<turn>|cd", "abcd", "A special token where the other side has no boundary has no chunk."),
    "role-twice": ("a|<end>|<end>|b", "a|<end>|b", "The first of two pairs."),
    "roles-crossing": ("<begin>|<end>|a", "<end>|<begin>|a", "Candidates that cross are all dropped."),
    "roles-interleaved": ("<x>|<y>|<x>|a", "<x>|<x>|<y>|a", "The k-th pairs with the k-th, unless they cross."),
    "roles-one-crossing": ("a|<x>|<y>|<z>", "a|<x>|<z>|<y>", "A crossing pair leaves its straight neighbour alone."),
    "padding-everywhere": ("_|ab|_|c|_", "a|_|_|bc|_", "Padding between tokens changes nothing."),
    "no-bytes": ("~|ab|~|c", "a|b|c|~", "Pieces of no bytes belong to the chunk that follows, the last to none."),
    "no-bytes-before-role": ("a|~|<end>|b", "a|<end>|b", "A piece of no bytes before a special token stays out."),
    "prefix": ("abc|d", "ab|c|de", "One side is a prefix and ends inside a piece of the other."),
    "empty-student": ("", "a|b", "No student tokens."),
}  # fmt: skip


def cases() -> Iterator[Case]:
    """One row each, and one batch of several."""
    for slug, (student, teacher, why) in TOKENS.items():
        flags = "ALIGN_SPECIAL" if "<" in student else "ALIGN_SPLIT_BYTES" if "#" in student else "ALIGN_BASIC"
        requires = ("ALN-013",) if "<" in student else ("ALN-016",) if slug in {"prefix", "empty-student"} else ()
        yield case(
            f"pieces-{slug}",
            flags,
            (*BOUNDARY, *requires),
            why,
            task="align-pieces",
            data={"student": [spelled(student)], "teacher": [spelled(teacher)]},
        )
    yield case(
        "pieces-batch",
        "ALIGN_PADDING",
        BOUNDARY,
        "Rows with different numbers of chunks.",
        task="align-pieces",
        data={
            "student": [spelled("a|b|c"), spelled("abc|_|_"), spelled("_|_|_")],
            "teacher": [spelled("ab|c"), spelled("_|abc"), spelled("_|_")],
        },
    )


CASES = tuple(cases())
