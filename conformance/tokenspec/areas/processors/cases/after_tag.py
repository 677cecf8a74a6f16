"""Constraints that wait for a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import (
    CROSSING,
    PREFIXES,
    advance,
    after,
    allow,
    case,
    finish,
    multi_seq,
    recommendation,
    refused,
    reorder,
    select,
    status,
    think,
    tree,
    watched,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case


CASES: list[Case] = [
    case(
        "after-tree",
        "A tree behind a tag of two tokens: free before it, at its root behind it.",
        "AFTER",
        "024",
        [after([8, 9], tree(PREFIXES))],
        watched([advance(token) for token in (3, 8, 3, 8, 9, 4, 6, 8, 9)], allow, status),
    ),
    case(
        "after-border",
        "The tag is found by its longest border, and only once.",
        "AFTER",
        "024 050",
        [after([1, 1, 2], tree({"1": [1], "1_1": [1], "1_1_1": [2]}))],
        watched([advance(token) for token in (1, 1, 1, 2, 1, 1, 2)]),
    ),
    case(
        "after-several-tokens",
        "The tag ends within a batch of tokens, and the rest of it is the inner row's.",
        "AFTER",
        "002 024",
        [after([8, 9], tree(PREFIXES))],
        [advance([8, 9, 3], [3, 8, 9], [9, 8, 3]), allow, status],
        rows=3,
    ),
    case(
        "after-held-rows",
        "Held rows see no tag.",
        "AFTER",
        "005 024",
        [after([8], tree(PREFIXES))],
        [advance(8, 8, active=[True, False]), allow, advance(3, 8, active=[True, True]), allow, status],
        rows=2,
    ),
    case(
        "after-reorder",
        "Rows take along whether they have seen the tag.",
        "AFTER",
        "004 024",
        [after([8], tree(PREFIXES))],
        [advance([8, 3], [3, 8], [3, 3]), reorder(2, 0, 1, 0), allow, status, advance(8, 5, 4, 9), allow],
        rows=3,
    ),
    case(
        "after-think-chain",
        "A thinking budget first, then a tree for the answer.",
        "AFTER COMPOSE",
        "020 024",
        [think([8, 9], 2), after([8, 9], tree(PREFIXES))],
        watched([advance(token, other) for token, other in ((5, 8), (5, 9), (8, 3), (9, 5), (4, 2))]),
        rows=2,
    ),
    case(
        "after-after",
        "A tag behind a tag.",
        "AFTER",
        "024",
        [after([8], after([9], tree(PREFIXES)))],
        watched([advance(token) for token in (9, 8, 9, 4)], allow, status),
    ),
    case(
        "after-think",
        "A second budget that counts from the first segment's end.",
        "AFTER",
        "024 051",
        [after([9], think([8], 1, closing_ids=[4, 8]))],
        watched([advance(token) for token in (5, 5, 9, 5, 4, 8, 5)]),
    ),
    case(
        "after-combos",
        "Combos are cut behind the tag.",
        "AFTER",
        "024 061",
        [after([9], recommendation(2, banned_combo_token_ids=[[3, 4]]))],
        watched([advance(token) for token in (3, 9, 3, 5, 3, 5)]),
    ),
    case(
        "after-combos-crossing",
        "Rows hear of combos behind the tag, once they are behind it themselves.",
        "AFTER COMBO_CROSS",
        "024 062",
        [after([9], CROSSING)],
        [advance([9, 5], [9, 9], [3, 9]), advance(6, 9, 5), allow, advance(5, 5, 5), allow, advance(6, 6, 6), allow],
        rows=3,
    ),
    case(
        "after-divergence",
        "Divergence looks at logits behind the tag only.",
        "AFTER COMBO_DIVERGE",
        "024 063",
        [after([5], recommendation(2, cross_sequence_ban=True))],
        [
            select(*[[1.0, 5.0, 3.0, 4.0, 2.0, 0.0]] * 3),
            advance(5, 5, 3),
            select(*[[1.0, 5.0, 3.0, 4.0, 2.0, 0.0]] * 3),
        ],
        rows=3,
        vocab_size=6,
    ),
    case(
        "after-finished",
        "A finished row neither sees the tag nor the tree.",
        "AFTER FINISHED_ROWS",
        "022 024",
        [multi_seq(0), after([8], tree(PREFIXES))],
        [finish(False, True), advance(8, 8), allow, finish(False, False), allow],
        rows=2,
    ),
    case(
        "after-conflict",
        "A conflict behind the tag names who waited.",
        "AFTER COMPOSE",
        "021 024",
        [think([9], 1), after([8], tree(PREFIXES))],
        [advance(8), allow],
    ),
    case(
        "after-checked",
        "Checked: free before the tag, held to the tree behind it.",
        "AFTER CHECKED",
        "024 064",
        [after([8], tree(PREFIXES))],
        [advance([5, 8, 3]), allow, advance(6)],
        checked=True,
    ),
    *(
        refused(f"after-refuse-{slug}", why, "AFTER", "024", [processor], pointers)
        for slug, why, processor, pointers in (
            ("no-tag", "Nothing to wait for.", after([], tree(PREFIXES)), ["/tag_ids"]),
            ("tag-outside", "A tag that cannot come.", after([8, 16], tree(PREFIXES)), ["/tag_ids/1"]),
            ("flags", "Finished flags wait for no tag.", after([8], multi_seq(0)), ["/processor/kind"]),
            ("inner", "What waits is no better than alone.", after([8], think([], 3)), ["/processor/end_ids"]),
            (
                "inner-twice",
                "Two tags deep.",
                after([8], after([9], think([8], -1))),
                ["/processor/processor/max_tokens"],
            ),
        )
    ),
]
