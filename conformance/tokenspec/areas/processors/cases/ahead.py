"""What is forced ahead, and the steps that rows which hear of each other refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import (
    CROSSING,
    PREFIXES,
    advance,
    after,
    allow,
    case,
    commit,
    finish,
    forced,
    masks,
    multi_seq,
    rollback,
    think,
    tree,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case


CASES: list[Case] = [
    *(
        case(
            f"{slug}-crossing",
            "Refused where rows hear of each other, also behind a tag.",
            "DRAFTS COMBO_CROSS",
            "025 026 027 028 062",
            [processor],
            [step],
            rows=2,
        )
        for slug, processor, step in (
            ("masks", CROSSING, masks([3], [3])),
            ("commit", CROSSING, commit([3], [3])),
            ("rollback", after([9], CROSSING), rollback(0, 0)),
            ("forced", CROSSING, forced(2)),
        )
    ),
    case(
        "forced-think",
        "The whole closing sequence is forced at the budget.",
        "DRAFTS",
        "028 059",
        [think([8, 9], 1, closing_ids=[4, 5, 8, 9])],
        [forced(9), advance(5, 4), forced(9), forced(2), forced(0), allow],
        rows=2,
        facts=[[[], []], [[4, 5, 8, 9], [5, 8, 9]], [[4, 5], [5, 8]], [[], []], [[4], [5]]],
    ),
    case(
        "forced-tree",
        "Single candidates, then the end, which is forced for ever: to the limit, or once with a stop id.",
        "DRAFTS",
        "028",
        [tree(PREFIXES)],
        [advance(3, 4), forced(5), forced(5, 2), advance(5, 6), forced(5, 5), allow],
        rows=2,
    ),
    case(
        "forced-chain",
        "Two choices leave one id.",
        "DRAFTS COMPOSE",
        "020 028",
        [tree({"1": [3, 4], "1_3": [5]}), tree({"1": [4, 3], "1_4": [5]}), tree({"1": [3, 9], "1_3": [5, 6]})],
        [forced(2), advance(3), allow],
    ),
    case(
        "forced-after",
        "A forced tag opens what waits, and its forced run goes on.",
        "DRAFTS AFTER",
        "024 028",
        [think([8, 9], 0), after([8, 9], tree({"1": [3], "1_3": [4, 5], "1_3_4": [2], "1_3_5": [2]}))],
        [forced(9)],
        facts=[[[8, 9, 3]]],
    ),
    case(
        "forced-finished",
        "A finished row needs no drafts.",
        "DRAFTS FINISHED_ROWS",
        "022 028",
        [multi_seq(0), think([8], 0)],
        [finish(True, False), forced(3), allow],
        rows=2,
        facts=[[[], [8]], [[0], [8]]],
    ),
    case(
        "forced-one-id",
        "In a vocabulary of one id everything is forced.",
        "DRAFTS",
        "028",
        [],
        [forced(3)],
        vocab_size=1,
        facts=[[[0, 0, 0]]],
    ),
]
