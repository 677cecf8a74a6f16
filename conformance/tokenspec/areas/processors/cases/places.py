"""Where what is refused lies: behind other members, steps and rows, none of them the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.processors.cases.build import (
    CROSSING,
    PREFIXES,
    advance,
    after,
    allow,
    apply,
    case,
    commit,
    finish,
    forced,
    masks,
    multi_seq,
    recommendation,
    refused,
    reorder,
    rollback,
    status,
    think,
    tree,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case

CALM = think([8], None)
TREE = tree(PREFIXES)
DEAD = ["-inf"] * 16
LIVE = ["3f800000"] * 16
HEARING = [CALM, after([5], CROSSING)]

# slug, why, flags, requirements, processors, steps, options of the script
STEPS: tuple[tuple[str, str, str, str, list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]], ...] = (
    ("token", "The last row's token does not exist.", "VOCABULARY", "006", [CALM], [advance(3, 4, 16)], {}),
    (
        "token-of-a-commit",
        "The last row's second token does not exist.",
        "DRAFTS",
        "006 026",
        [CALM],
        [commit([5], [5], [5, -1])],
        {},
    ),
    ("no-flags", "Three rows, no flag.", "VOCABULARY", "006", [CALM], [advance(3, 4, 5, active=[])], {}),
    ("flags", "Two flags for three rows.", "VOCABULARY", "006", [CALM], [advance(3, 4, 3, active=[True] * 2)], {}),
    ("finished", "Two flags for three rows.", "FINISHED_ROWS", "006", [multi_seq(0)], [finish(True, False)], {}),
    ("tokens", "Two tokens for three rows.", "VOCABULARY", "006", [TREE], [advance(3, 4)], {}),
    ("drafts", "Drafts for two of three rows.", "DRAFTS", "006 025", [CALM], [masks([5], [])], {}),
    ("commits", "Tokens for two of three rows.", "DRAFTS", "006 026", [CALM], [commit([5], [])], {}),
    ("counts", "Counts for two of three rows.", "DRAFTS", "006 027", [CALM], [rollback(0, 0)], {}),
    (
        "logits",
        "Logits for two of three rows.",
        "MASK_BITS",
        "006",
        [TREE],
        [apply("float32", LIVE, LIVE)],
        {},
    ),
    ("width", "Logits of another width.", "VOCABULARY", "008", [TREE], [apply("float32", *[LIVE[1:]] * 3)], {}),
    (
        "type",
        "Logits of a type without minus infinity.",
        "MASK_BITS",
        "015",
        [TREE],
        [apply("int32", *[LIVE] * 3)],
        {},
    ),
    ("dead", "The last row is dead.", "MASK_DEAD", "013", [TREE], [apply("float32", LIVE, LIVE, DEAD)], {}),
    ("source", "The third source does not exist.", "VOCABULARY", "007", [TREE], [reorder(2, 1, 3, 0)], {}),
    ("count", "The last row has no second token.", "DRAFTS", "027", [CALM], [rollback(1, 0, 2)], {}),
    (
        "violation",
        "The last row is refused its token.",
        "CHECKED",
        "064",
        [TREE],
        [advance(6, 5, 6)],
        {"checked": True},
    ),
    (
        "violation-of-a-commit",
        "The last row is refused its second token.",
        "DRAFTS CHECKED",
        "026 064",
        [TREE],
        [commit([6], [], [5, 3])],
        {"checked": True},
    ),
    (
        "conflict",
        "Members conflict on the second row.",
        "COMPOSE",
        "012",
        [think([9], 2), TREE],
        [advance(6, 5, 7)],
        {},
    ),
    ("flags-for-nobody", "No member finishes rows.", "FINISHED_ROWS", "022", [TREE], [finish(True, False, False)], {}),
    ("status-of-nobody", "No member has a status.", "COMPOSE", "035", [recommendation(2), multi_seq(0)], [status], {}),
    (
        "hearing-reorder",
        "The second member's rows hear of each other.",
        "COMBO_CROSS AFTER",
        "062",
        HEARING,
        [reorder(0)],
        {},
    ),
    (
        "hearing-masks",
        "Drafts where the second member's rows hear of each other.",
        "COMBO_CROSS AFTER DRAFTS",
        "025 062",
        HEARING,
        [masks([], [], [])],
        {},
    ),
    (
        "hearing-forced",
        "A forced run where the second member's rows hear of each other.",
        "COMBO_CROSS AFTER DRAFTS",
        "028 062",
        HEARING,
        [forced(2)],
        {},
    ),
)

BROKEN = tree({"1": [3, 16]})
TEXT = {"kind": "tree", "config_text": '{"start_token_id": 1, "prefix_dict": {"1": [3, 16]}}'}

# slug, why, flags, requirement, processors, place below /processors, code
MEMBERS: tuple[tuple[str, str, str, str, list[dict[str, Any]], str, str], ...] = (
    ("kind", "A kind that nobody knows.", "COMPOSE", "039", [CALM, {"kind": "trie"}], "/1/kind", "invalid-config"),
    (
        "think",
        "The second member's minimum.",
        "COMPOSE",
        "058",
        [TREE, think([8], 2, min_tokens=3)],
        "/1/min_tokens",
        "invalid-config",
    ),
    (
        "tree",
        "The second member's tree.",
        "COMPOSE",
        "036",
        [CALM, BROKEN],
        "/1/config/prefix_dict/1/1",
        "invalid-config",
    ),
    (
        "text",
        "The text of the second member's tree.",
        "COMPOSE",
        "036",
        [CALM, TEXT],
        "/1/config_text",
        "invalid-config",
    ),
    (
        "prompt",
        "The second member's prompt.",
        "COMPOSE TREE_ROOT",
        "041",
        [CALM, {**TREE, "prompt_token_ids": [1, 3]}],
        "/1/prompt_token_ids",
        "prompt-not-at-root",
    ),
    (
        "unbound",
        "The second member's tree, bound late.",
        "COMPOSE VOCABULARY",
        "008",
        [CALM, {**BROKEN, "bind": False}],
        "/1/config",
        "vocab-mismatch",
    ),
    (
        "end",
        "The second member's end of sequence.",
        "COMPOSE",
        "060",
        [CALM, multi_seq(16)],
        "/1/eos_token_id",
        "invalid-config",
    ),
    (
        "combo",
        "The second member's second combo.",
        "COMPOSE",
        "061",
        [CALM, recommendation(2, banned_combo_token_ids=[[1, 2], [3]])],
        "/1/banned_combo_token_ids/1",
        "invalid-config",
    ),
    (
        "tag",
        "The second member's tag.",
        "COMPOSE AFTER",
        "024",
        [CALM, after([8, -1], TREE)],
        "/1/tag_ids/1",
        "invalid-config",
    ),
    (
        "tagged-kind",
        "Flags wait for no tag.",
        "COMPOSE AFTER",
        "024",
        [CALM, after([8], multi_seq(0))],
        "/1/processor/kind",
        "invalid-config",
    ),
    (
        "tagged-unknown",
        "A kind that nobody knows, behind a tag.",
        "COMPOSE AFTER",
        "024",
        [after([8], {"kind": "trie"})],
        "/0/processor/kind",
        "invalid-config",
    ),
    (
        "tagged-tree",
        "A tree behind a tag.",
        "COMPOSE AFTER",
        "024 036",
        [CALM, after([8], BROKEN)],
        "/1/processor/config/prefix_dict/1/1",
        "invalid-config",
    ),
    (
        "tagged-text",
        "The text of a tree behind a tag.",
        "COMPOSE AFTER",
        "024 036",
        [CALM, after([8], TEXT)],
        "/1/processor/config_text",
        "invalid-config",
    ),
    (
        "tagged-prompt",
        "A prompt behind two tags.",
        "AFTER TREE_ROOT",
        "024 041",
        [after([8], after([9], {**TREE, "prompt_token_ids": []}))],
        "/0/processor/processor/prompt_token_ids",
        "prompt-not-at-root",
    ),
    (
        "tagged-unbound",
        "A tree behind a tag, bound late.",
        "AFTER VOCABULARY",
        "008 024",
        [after([8], {**BROKEN, "bind": False})],
        "/0/processor/config",
        "vocab-mismatch",
    ),
    (
        "second-finisher",
        "Two members finish rows.",
        "COMPOSE FINISHED_ROWS",
        "022",
        [multi_seq(0), TREE, multi_seq(0)],
        "/2",
        "invalid-config",
    ),
)

CASES: list[Case] = [
    *(
        case(
            f"place-{slug}",
            why,
            flags,
            f"{requires} 080",
            processors,
            [advance(3, 4, 3), *steps, allow],
            rows=3,
            **options,
        )
        for slug, why, flags, requires, processors, steps, options in STEPS
    ),
    *(
        refused(
            f"place-member-{slug}",
            why,
            flags,
            f"{requires} 080",
            processors,
            [],
            code=code,
            places=[f"/processors{place}"],
        )
        for slug, why, flags, requires, processors, place, code in MEMBERS
    ),
    *(
        case(f"huge-id-{slug}", why, "VOCABULARY", requires, [CALM, multi_seq(0)], steps, rows=3)
        for slug, why, requires, steps in (
            ("of-a-row", "An id beyond 64 bits.", "006 080", [advance(3, 2**64, 5), allow]),
            ("in-a-batch", "An id below 64 bits.", "006 080", [advance([3, 4], [4, 5], [5, -(10**30)]), allow]),
            ("of-a-commit", "An id beyond 64 bits.", "006 026 080", [commit([3], [], [5, 2**63]), allow]),
            ("of-a-source", "A row beyond 64 bits.", "007 080", [reorder(2, 2**63, 1), allow]),
            ("of-a-draft", "An id beyond 64 bits is no draft.", "025", [masks([3], [2**64], [5, -(2**70)]), allow]),
            (
                "of-who-stands-still",
                "Nobody looks at it where a row is inactive or finished.",
                "005 022 026",
                [
                    advance(3, 2**64, 5, active=[True, False, True]),
                    finish(False, False, True),
                    advance(3, 4, 2**63),
                    commit([8], [5, 8], [10**30, 2**64]),
                    status,
                    allow,
                ],
            ),
        )
    ),
    case(
        "shapes-one-and-a-list-of-one",
        "An id for one row, a list of one for the other: one token each.",
        "VOCABULARY",
        "002",
        [CALM],
        [advance(8, [5]), status, advance([5], 8), status],
        rows=2,
    ),
]
