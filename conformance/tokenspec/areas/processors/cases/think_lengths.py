"""How a thinking segment is closed, and how long it has to last: closing sequences and minima."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import advance, allow, case, refused, status, think, watched

if TYPE_CHECKING:
    from tokenspec.store.records import Case

CLOSING, MINIMUM = "THINK_CLOSING", "THINK_MINIMUM"
WORDS = [4, 5, 8, 9]  # what is said before the tag 8 9


def without(*banned: int, vocab_size: int = 16) -> list[int]:
    """Every id but these."""
    return [token for token in range(vocab_size) if token not in banned]


CASES: list[Case] = [
    case(
        "think-closing-words",
        "At the budget the sequence is forced from its first id; the tag it ends with closes.",
        CLOSING,
        "051 053 059",
        [think([8, 9], 2, closing_ids=WORDS)],
        watched([advance(token) for token in (3, 3, *WORDS, 3, 8)], allow, status),
    ),
    case(
        "think-closing-natural-end",
        "The tag alone closes before the budget: no words are forced any more.",
        CLOSING,
        "053 059",
        [think([8, 9], 3, closing_ids=WORDS)],
        watched([advance(token) for token in (3, 8, 9, 3, 3)]),
    ),
    case(
        "think-closing-begun-tag",
        "A tag begun at the budget is completed, without the words.",
        CLOSING,
        "052 059",
        [think([8, 9], 2, closing_ids=WORDS)],
        watched([advance(token) for token in (3, 8, 9, 3)]),
        facts=[["ALL"], ["ALL"], [[9]], ["ALL"], ["ALL"]],
    ),
    case(
        "think-closing-begun-words",
        "The model has begun the words itself: they are continued.",
        CLOSING,
        "059",
        [think([8, 9], 2, closing_ids=WORDS)],
        watched([advance(token) for token in (3, 4, 5, 8, 9)]),
        facts=[["ALL"], ["ALL"], [[5]], [[8]], [[9]], ["ALL"]],
    ),
    case(
        "think-closing-equal-parts",
        "As much of the words as of the tag: the words go on.",
        CLOSING,
        "059",
        [think([8, 9], 1, closing_ids=[8, 5, 8, 9])],
        watched([advance(token) for token in (8, 5, 8, 9)]),
        facts=[["ALL"], [[5]], [[8]], [[9]], ["ALL"]],
    ),
    case(
        "think-closing-longer-tag-part",
        "More of the tag than of the words: the tag is completed.",
        CLOSING,
        "059",
        [think([8, 9, 7], 2, closing_ids=[9, 5, 8, 9, 7])],
        watched([advance(token) for token in (8, 9, 7)]),
        facts=[["ALL"], ["ALL"], [[7]], ["ALL"]],
    ),
    case(
        "think-closing-tag-token-in-words",
        "The words contain a token of the tag: they are not mistaken for it.",
        CLOSING,
        "059",
        [think([8, 9], 0, closing_ids=[5, 8, 4, 8, 9])],
        watched([advance(token) for token in (5, 8, 4, 8, 9)]),
        facts=[[[5]], [[8]], [[4]], [[8]], [[9]], ["ALL"]],
    ),
    case(
        "think-closing-overlap",
        "The words overlap themselves: after 1 1 1 the longest border is two.",
        CLOSING,
        "050 059",
        [think([8], 3, closing_ids=[1, 1, 2, 8])],
        watched([advance(token) for token in (1, 1, 1, 2, 8)]),
    ),
    case(
        "think-closing-eager",
        "Eager closing completes the tag before the budget, and in the middle of the words.",
        "THINK_CLOSING THINK_EAGER",
        "054 059",
        [think([8, 9], 4, close="eager", closing_ids=[5, 8, 4, 8, 9])],
        [*watched([advance(token, 3) for token in (3, 3, 3, 3)]), *watched([advance(5, 5), advance(8, 8)])],
        rows=2,
    ),
    case(
        "think-closing-eager-before-the-budget",
        "Half a tag long before the budget.",
        "THINK_CLOSING THINK_EAGER",
        "054 059",
        [think([8, 9], 6, close="eager", closing_ids=WORDS)],
        watched([advance(token) for token in (3, 8, 9, 3)]),
        facts=[["ALL"], ["ALL"], [[9]], ["ALL"], ["ALL"]],
    ),
    case(
        "think-closing-after-begin",
        "What came before the begin tag is no part of the words.",
        "THINK_CLOSING THINK_COUNTING",
        "056 059",
        [think([8, 9], 0, begin_ids=[4], counting="after_begin", closing_ids=WORDS)],
        watched([advance(token) for token in (5, 4, 4, 5, 8, 9, 1)]),
    ),
    case(
        "think-closing-masks",
        "The begin id is banned but where it is forced as a word.",
        "THINK_CLOSING THINK_BOUNDARY",
        "055 059",
        [think([8, 9], 1, begin_ids=[4], mask_boundaries="both", closing_ids=WORDS)],
        watched([advance(token) for token in (3, *WORDS, 3)]),
    ),
    case(
        "think-closing-rows",
        "Rows of any progress, reordered with what they have seen.",
        "THINK_CLOSING ROW_STATE BEAM_REORDER",
        "003 004 059",
        [think([8, 9], 2, closing_ids=WORDS)],
        [
            advance([3, 4], [3, 8], [8, 9]),
            allow,
            {"op": "reorder", "src": [2, 0, 1, 0]},
            allow,
            advance(3, 5, 9, 5),
            allow,
        ],
        rows=3,
    ),
    case(
        "think-minimum",
        "The end id is banned until the segment holds three tokens.",
        MINIMUM,
        "049",
        [think([8], 6, min_tokens=3)],
        watched([advance(token) for token in (5, 5, 5, 8, 5)]),
        facts=[[without(8)], [without(8)], [without(8)], ["ALL"], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-without-budget",
        "A minimum needs no budget.",
        MINIMUM,
        "049",
        [think([8], None, min_tokens=2)],
        watched([advance(token) for token in (5, 5, 8)]),
    ),
    case(
        "think-minimum-two-token-tag",
        "Only what would complete the tag is banned: its first token may be text.",
        MINIMUM,
        "049",
        [think([8, 9], 6, min_tokens=3)],
        watched([advance(token) for token in (9, 8, 8, 9, 5)]),
        facts=[["ALL"], ["ALL"], [without(9)], ["ALL"], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-is-the-budget",
        "Exactly as many tokens as wanted.",
        MINIMUM,
        "049 051",
        [think([8], 2, min_tokens=2)],
        watched([advance(token) for token in (5, 5, 8, 5)]),
        facts=[[without(8)], [without(8)], [[8]], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-eager",
        "Eager closing completes what is begun, so nothing may begin.",
        "THINK_MINIMUM THINK_EAGER",
        "049 054",
        [think([8, 9], 6, close="eager", min_tokens=2)],
        watched([advance(token) for token in (9, 5, 8, 9, 8)]),
        facts=[[without(8)], [without(8)], ["ALL"], [[9]], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-eager-begun",
        "A tag that was begun all the same is completed: what is forced is not banned.",
        "THINK_MINIMUM THINK_EAGER",
        "049 054",
        [think([8, 9], 6, close="eager", min_tokens=4)],
        watched([advance(token) for token in (8, 9, 5)]),
        facts=[[without(8)], [[9]], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-after-begin",
        "Before the begin tag nothing is banned.",
        "THINK_MINIMUM THINK_COUNTING",
        "049 056",
        [think([8], 4, begin_ids=[7], counting="after_begin", min_tokens=1)],
        watched([advance(token) for token in (8, 7, 5, 8, 5)]),
        facts=[["ALL"], ["ALL"], [without(8)], ["ALL"], ["ALL"], ["ALL"]],
    ),
    case(
        "think-minimum-masks",
        "The begin id and the end id are banned together, and the former alone later.",
        "THINK_MINIMUM THINK_BOUNDARY",
        "049 055",
        [think([6, 7], 4, begin_ids=[7], mask_boundaries="both", min_tokens=2)],
        watched([advance(token) for token in (6, 5, 6, 7, 5)]),
    ),
    case(
        "think-minimum-and-closing",
        "A minimum, a budget and words.",
        "THINK_MINIMUM THINK_CLOSING",
        "049 059",
        [think([8], 2, min_tokens=1, closing_ids=[4, 8])],
        watched([advance(token) for token in (5, 5, 4, 8, 5)]),
        facts=[[without(8)], ["ALL"], [[4]], [[8]], ["ALL"], ["ALL"]],
    ),
    *(
        refused(f"think-refuse-{slug}", why, "THINK_CONFIG", "058", [think([8, 9], 3, **policy)], [pointer])
        for slug, why, policy, pointer in (
            ("closing-without-tag", "The closing words lack the tag.", {"closing_ids": [4, 5]}, "/closing_ids"),
            ("closing-empty", "No words at all.", {"closing_ids": []}, "/closing_ids"),
            ("closing-half-tag", "The words end with half a tag.", {"closing_ids": [4, 8]}, "/closing_ids"),
            ("closing-beyond-tag", "Words behind the tag.", {"closing_ids": [4, 8, 9, 5]}, "/closing_ids"),
            ("closing-tag-twice", "The tag in the middle closes.", {"closing_ids": [8, 9, 8, 9]}, "/closing_ids"),
            ("closing-outside", "A word outside the vocabulary.", {"closing_ids": [16, 8, 9]}, "/closing_ids/0"),
            ("minimum-negative", "A negative minimum.", {"min_tokens": -1}, "/min_tokens"),
            ("minimum-number", "A minimum that is no integer.", {"min_tokens": 1.5}, "/min_tokens"),
            ("minimum-above-budget", "A minimum above the budget.", {"min_tokens": 4}, "/min_tokens"),
        )
    ),
    refused(
        "think-refuse-minimum-one-id",
        "A minimum where the end id is all there is.",
        "THINK_CONFIG",
        "058",
        [think([0], 3, min_tokens=1)],
        ["/min_tokens"],
        vocab_size=1,
    ),
]
