"""The upstream vectors of the think processor and of its automaton, as policies of the chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.processors.cases.build import RTP, advance, allow, case, status, think, watched

if TYPE_CHECKING:
    from tokenspec.store.records import Case

TESTS = f"{RTP}: ThinkModeLogitsProcessorTest"
AUTOMATON = f"{RTP}: DFAUtilTest"


def head(end: list[int], max_tokens: int, begin: list[int]) -> dict[str, Any]:
    """The class of the pinned commit, in the chapter's parameters."""
    return think(end, max_tokens, begin_ids=begin, close="eager", mask_boundaries="both")


def without(*banned: int, vocab_size: int = 16) -> list[int]:
    """Every id but these."""
    return [token for token in range(vocab_size) if token not in banned]


CASES: list[Case] = [
    *(
        case(
            f"think-automaton-{slug}",
            why,
            "THINK_MATCH",
            "050",
            [think(pattern, None)],
            watched([advance(token) for token in feed], status),
            vocab_size=128,
            facts=[["0"], *([str(length)] for length in lengths)],
            source=AUTOMATON if upstream else "facts of the seed (K11)",
        )
        for slug, why, pattern, feed, lengths, upstream in (
            ("single", "A pattern of one token, found once.", [3], [1, 2, 3, 1, 1, 3], [0, 0, 1, 1, 1, 1], True),
            (
                "overlap",
                "A pattern that overlaps itself.",
                [1, 1, 2],
                [1, 1, 1, 3, 1, 1, 2],
                [1, 2, 2, 0, 1, 2, 3],
                True,
            ),
            (
                "overlap-hit",
                "1 1 1 2 contains 1 1 2; a restarting matcher misses it.",
                [1, 1, 2],
                [1, 1, 1, 2],
                [1, 2, 2, 3],
                False,
            ),
            ("repeat", "99 99 100 contains 99 100.", [99, 100], [99, 99, 100], [1, 1, 2], False),
            (
                "border",
                "The border of 1 2 1 keeps 1 after a mismatch.",
                [1, 2, 1, 3],
                [1, 2, 1, 2, 1, 3],
                [1, 2, 3, 2, 3, 4],
                False,
            ),
        )
    ),
    case(
        "think-four-rows-5",
        "Four rows, end tag 5: only the row that samples it matches.",
        "THINK_MATCH",
        "003 050",
        [think([5], None)],
        [advance(0, 1, 5, 9), status],
        rows=4,
        facts=[["0", "0", "1", "0"]],
        source=TESTS,
    ),
    case(
        "think-four-rows-5-5",
        "End tag 5 5, two rows with half of it.",
        "THINK_MATCH",
        "003 050",
        [think([5, 5], None)],
        [advance(7, 7, 5, 5), advance(0, 1, 5, 9), status],
        rows=4,
        facts=[["0", "0", "2", "0"]],
        source=TESTS,
    ),
    case(
        "think-four-rows-5-6",
        "End tag 5 6: from half a tag, 5 keeps half and 6 completes.",
        "THINK_MATCH",
        "003 050",
        [think([5, 6], None)],
        [advance(7, 7, 5, 5), advance(5, 6, 5, 6), status],
        rows=4,
        facts=[["1", "0", "1", "2"]],
        source=TESTS,
    ),
    case(
        "think-forced-by-status",
        "At the budget each row is forced to the id after its own matched part.",
        "THINK_BUDGET",
        "003 051 052",
        [think([5, 6], 1)],
        [advance(7, 5), allow],
        rows=2,
        vocab_size=10,
        facts=[[[5], [6]]],
        source=TESTS,
    ),
    case(
        "think-head-ban-begin",
        "The first id of the begin tag is banned while thinking.",
        "THINK_BOUNDARY",
        "055",
        [head([8, 9], 5, [7, 1])],
        [allow],
        facts=[[without(7)]],
        source=TESTS,
    ),
    case(
        "think-head-ban-both-after",
        "After the end tag, the first ids of both tags are banned.",
        "THINK_BOUNDARY",
        "053 055",
        [head([8, 9], 32, [7, 1])],
        [advance([8, 9]), allow],
        facts=[[without(7, 8)]],
        source=TESTS,
    ),
    case(
        "think-head-eager-half",
        "Half a tag long before the budget: eager closing forces the other half; the ban gives way.",
        "THINK_EAGER",
        "054 055",
        [head([8, 9], 32, [7])],
        [advance(8), allow],
        facts=[[[9]]],
        source=TESTS,
    ),
    case(
        "think-head-budget-3",
        "Free until three thinking tokens, then the first id of the end tag.",
        "THINK_BUDGET",
        "051 055",
        [head([8, 9], 3, [7])],
        [advance([1, 1]), allow, advance(1), allow],
        facts=[[without(7)], [[8]]],
        source=TESTS,
    ),
    case(
        "think-head-single-token-tag",
        "A single-token tag is forced once, not twice.",
        "THINK_BUDGET",
        "051 053 055",
        [head([8], 3, [7])],
        [advance([1, 1, 1]), allow, advance(8), allow],
        facts=[[[8]], [without(7, 8)]],
        source=TESTS,
    ),
    case(
        "think-head-two-token-tag",
        "The second id of the tag is forced after the first.",
        "THINK_BUDGET",
        "051 052",
        [head([8, 9], 3, [7])],
        watched([advance([1, 1, 1]), advance(8), advance(9)]),
        facts=[[without(7)], [[8]], [[9]], [without(7, 8)]],
        source=TESTS,
    ),
    case(
        "think-asking-commits-nothing",
        "The forced id is not committed by being forced: asked twice, it is forced twice.",
        "THINK_BUDGET ROW_STATE",
        "001 051",
        [think([8, 9], 1)],
        [advance(1), allow, allow, status, advance(8), status],
        facts=[[[8]], [[8]], ["0"], ["1"]],
        source=f"{TESTS}, without its pre-commit",
    ),
    case(
        "think-overruled-force",
        "Something else was sampled where the tag was forced: the state follows what was sampled.",
        "THINK_BUDGET ROW_STATE",
        "001 051 052",
        [think([8, 9], 1)],
        watched([advance(1), advance(5), advance(8), advance(5), advance(8), advance(9)], allow, status),
    ),
    case(
        "think-draft-window",
        "Of a window of drafts only the accepted token is committed.",
        "ROW_STATE",
        "002 050",
        [think([8, 9], 4)],
        [advance([8]), status],
        facts=[["1"]],
        source=TESTS,
    ),
]
