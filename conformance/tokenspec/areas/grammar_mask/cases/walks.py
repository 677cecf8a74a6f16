"""Endless grammars to a depth: every sequence of some ids, there and back, on vocabularies of a handful of merges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.areas.grammar_mask.cases.build import accept, case, mask, rollback, vocabulary
from tokenspec.areas.grammar_mask.oracle.automaton import Automaton, States
from tokenspec.areas.grammar_mask.oracle.golden import mask_of, symbols

if TYPE_CHECKING:
    from tokenspec.store.records import Case

DEPTH = 3
MOST_STEPS = 120
GRAMMARS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("pairs", {"regex": "(ab|ba)*"}, vocabulary("ab", "ba", "aba", "bab")),
    ("nested", {"regex": "((a|bc)+,)*!"}, vocabulary("bc", "a,", "c,", ",!", "abc")),
    ("numbers", {"json_schema": {"type": "number"}}, vocabulary("10", "0.", ".5", "e+", "-0")),
    (
        "arrays",
        {"json_schema": {"type": "array", "items": {"type": "boolean"}}},
        vocabulary("[t", "true", ",f", "false", "e]", "[]"),
    ),
    (
        "characters",
        {"regex": "[\\u00e9-\\u00eb]+x?"},
        vocabulary("\u00e9", {"hex": "a9c3"}, {"hex": "aac3"}, "\u00eax"),
    ),
    ("several-ways", {"regex": "a{2,}b|a+c"}, vocabulary("aa", "aaa", "ab", "aab", "ac")),
)


def walk(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Depth first over the merged ids and the first byte of each mask: accept, ask, and take back."""
    known = vocabulary_of(given, "-")
    automaton = Automaton(given["grammar"], known.special_ids)

    def below(states: States, depth: int) -> Iterator[dict[str, Any]]:
        yield mask
        if depth == DEPTH:
            return
        ids = mask_of(known, automaton, states, small=True)
        for token in [*ids[:1], *(token for token in ids[1:] if token > 255)]:
            yield accept(token)
            yield from below(automaton.after(states, symbols(known, [token])), depth + 1)
            yield rollback(1)

    return list(below(automaton.start, 0))[:MOST_STEPS]


CASES: list[Case] = [
    *(
        case(
            f"walk-{slug}",
            "Every way of some ids to a depth, and back again.",
            "MASK_STATE",
            grammar,
            *walk({"grammar": grammar, "vocabulary": known}),
            vocabulary=known,
        )
        for slug, grammar, known in GRAMMARS
    ),
]
