"""Tokens taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import (
    PREFIXES,
    advance,
    after,
    allow,
    case,
    commit,
    finish,
    multi_seq,
    recommendation,
    reorder,
    rollback,
    status,
    think,
    tree,
    watched,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case


CASES: list[Case] = [
    case(
        "rollback-think",
        "Half a tag and tokens of the budget are taken back.",
        "DRAFTS",
        "027",
        [think([8, 9], 3)],
        [
            advance([5, 5, 8], [5, 8, 9], [8, 9, 5]),
            allow,
            rollback(1, 2, 0),
            allow,
            status,
            advance(5, 5, 5),
            allow,
            rollback(3, 2, 3),
            allow,
            status,
        ],
        rows=3,
    ),
    case(
        "rollback-tree",
        "A finished and a lost row of a tree are live again.",
        "DRAFTS",
        "027 033",
        [tree(PREFIXES)],
        [advance([3, 5, 2], [4, 9, 9]), status, rollback(1, 2), allow, status, advance(9, 6), rollback(1, 1), allow],
        rows=2,
    ),
    case(
        "rollback-after",
        "The tag is taken back, and what waited is closed again.",
        "DRAFTS AFTER",
        "024 027",
        [after([8, 9], tree(PREFIXES))],
        [advance([8, 9, 3], [8, 9, 4]), rollback(2, 1), allow, status, advance(3, 3), allow, advance(8, 5), allow],
        rows=2,
    ),
    case(
        "rollback-held",
        "Steps a row stood still in are not counted.",
        "DRAFTS",
        "005 027",
        [think([8, 9], 2)],
        [
            advance(5, 5),
            advance(5, 8, active=[True, False]),
            advance(8, 8, active=[False, True]),
            rollback(1, 1),
            allow,
            status,
            rollback(1, 1),
            allow,
        ],
        rows=2,
    ),
    case(
        "rollback-reorder",
        "Rows keep their past when they change places.",
        "DRAFTS",
        "004 027",
        [tree(PREFIXES)],
        [advance([3, 5], [4, 6]), reorder(1, 0, 1), advance(5, 2, 5), rollback(2, 1, 3), allow, status],
        rows=2,
    ),
    case(
        "rollback-row-between",
        "One token is taken back of the row in the middle only.",
        "DRAFTS",
        "027",
        [tree(PREFIXES)],
        [commit([3, 5], [4, 6], [4, 7]), rollback(0, 1, 0), allow, status],
        rows=3,
    ),
    case(
        "rollback-commit-again",
        "Taken back, committed otherwise, and taken back again beyond that.",
        "DRAFTS",
        "026 027",
        [tree(PREFIXES)],
        [commit([3, 5]), rollback(2), commit([4, 6, 5]), *watched([rollback(1)] * 3, allow, status)],
    ),
    case(
        "rollback-flags-stay",
        "Finished flags are the caller's.",
        "DRAFTS FINISHED_ROWS",
        "022 027",
        [multi_seq(0), tree(PREFIXES)],
        [
            advance(3, 4),
            finish(True, False),
            advance(5, 6),
            rollback(1, 1),
            allow,
            finish(False, False),
            allow,
            status,
        ],
        rows=2,
    ),
    case(
        "rollback-combos",
        "A completed combo is forgotten with its tokens.",
        "DRAFTS",
        "027 061",
        [recommendation(2, banned_combo_token_ids=[[3, 4]])],
        [advance([5, 6, 5]), allow, rollback(2), allow, advance([7, 5]), allow, rollback(3), allow],
    ),
    case(
        "rollback-nothing",
        "Zero tokens.",
        "DRAFTS",
        "027",
        [think([8], 1)],
        [advance(5), rollback(0), allow],
    ),
    *(
        case(
            f"rollback-{slug}", why, "DRAFTS", "027", [think([8], 4)], [advance(5, 5), rollback(*counts), allow], rows=2
        )
        for slug, why, counts in (
            ("too-many", "More tokens than the second row has.", (1, 2)),
            ("negative", "A negative number.", (1, -1)),
        )
    ),
]
