"""The same trees under `lenient` and `upstream`: what is dropped, and every listed difference with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.processors.cases.build import RTP, advance, allow, case, status, tree, watched

if TYPE_CHECKING:
    from tokenspec.store.records import Case

LOADER = f"{RTP}: PrefixToCandidateTokensTest"
ZERO = {"1": [3], "1_3": [4, 0], "1_3_4": [0]}
UNORDERED = {"1_7_4": [8, 2], "1_7": [8, 4], "1_5": [6], "1": [7, 3, 5], "1_3_9": [2], "1_5_6": [8], "1_3": [9, 2]}
ORPHAN = {"1": [3], "1_4": [5], "1_3_6": [7]}
BEHIND_END = {"1": [2, 3], "1_2": [5]}
WIDE = {"1": [3, 99], "1_3": [98]}


def pair(
    slug: str, why: str, prefixes: dict[str, list[int]], steps: list[dict[str, Any]], **options: Any
) -> list[Case]:
    """One difference as two cases: the normative answer and the pinned upstream answer."""
    end = options.pop("end", 2)
    return [
        case(
            f"tree-{mode}-{slug}",
            f"{why} {told}",
            flags,
            requires,
            [tree(prefixes, end=end, mode=mode)],
            steps,
            source=source,
            **options,
        )
        for mode, told, flags, requires, source in (
            (
                "lenient",
                "Normative: the row stays inside the tree.",
                "TREE_LENIENT",
                "032 033 037",
                None,
            ),
            ("upstream", "Pinned: this is what upstream does.", "TREE_UPSTREAM", "038", RTP),
        )
    ]


CASES: list[Case] = [
    case(
        "tree-upstream-end-zero",
        "T2: upstream's history starts with ten zeros, so with end token 0 every row is finished before it starts.",
        "TREE_UPSTREAM TREE_END_ZERO",
        "038",
        [tree(ZERO, end=0, mode="upstream")],
        watched([advance(3), advance(4), advance(0)], allow, status),
        vocab_size=8,
        facts=[[[3]], ["1"]] * 4,
        source=RTP,
    ),
    *pair(
        "token-zero",
        "Id 0 is a token like others.",
        {"1": [0, 3], "1_0": [4]},
        watched([advance(0), advance(4)], allow, status),
        vocab_size=8,
    ),
    *pair(
        "unordered",
        "Prefixes and candidates stand in the file in any order.",
        UNORDERED,
        watched([advance(7, 3, 5), advance(4, 9, 6), advance(2, 2, 8)], allow, status),
        rows=3,
    ),
    *pair(
        "orphan-token",
        "T4: a forced token leads to a key that no candidate names.",
        ORPHAN,
        watched([advance(4), advance(5)], allow, status),
    ),
    *pair(
        "orphan-chain",
        "T4: a key behind a missing key stays unreachable in both.",
        ORPHAN,
        watched([advance(3), advance(6)], allow, status),
    ),
    *pair(
        "behind-the-end",
        "T5: an entry behind the end token.",
        BEHIND_END,
        watched([advance(2), advance(5), advance(5)], allow, status),
    ),
    case(
        "tree-lenient-beyond-vocabulary",
        "T6: a list left empty by dropping ends the path.",
        "TREE_LENIENT VOCABULARY",
        "008 037",
        [tree(WIDE, mode="lenient")],
        watched([advance(3)], allow, status),
        facts=[[[3]], ["1"], [[2]], ["1_3"]],
    ),
    case(
        "tree-upstream-beyond-vocabulary",
        "T6: upstream has no fall-back for a list whose ids all vanish; the row is empty.",
        "TREE_UPSTREAM VOCABULARY",
        "012 038",
        [tree(WIDE, mode="upstream")],
        watched([advance(3)]),
        source=RTP,
    ),
    case(
        "tree-upstream-end-beyond-vocabulary",
        "T7: with the end token outside the logits the fall-back itself is empty.",
        "TREE_UPSTREAM VOCABULARY",
        "012 038",
        [tree({"1": [3]}, end=99, mode="upstream")],
        watched([advance(3)]),
        source=RTP,
    ),
    case(
        "tree-upstream-unlisted-root",
        "T1: a missing root key ends at step 0 in upstream and in lenient alike; strict refuses it.",
        "TREE_UPSTREAM TREE_SEED_EXAMPLE",
        "030 038",
        [tree({"225_64000": [64001]}, start=225, mode="upstream")],
        [allow, status],
        vocab_size=64_256,
        facts=[[[2]], ["225"]],
        source=RTP,
    ),
    case(
        "tree-lenient-seed-example",
        "The seed's own example, as printed: its first step can only end.",
        "TREE_LENIENT TREE_SEED_EXAMPLE",
        "030 031 037",
        [tree({"225_64000": [64001, 64002], "225_64000_64001": [2]}, start=225, mode="lenient")],
        watched([advance(64000)], allow, status),
        vocab_size=64_256,
        facts=[[[2]], ["225"], [[2]], ["225"]],
    ),
    case(
        "tree-lenient-negative",
        "Negative candidates are dropped.",
        "TREE_LENIENT",
        "037",
        [tree({"100": [-5, 10, -1, 20]}, start=100, mode="lenient")],
        [allow],
        vocab_size=128,
        facts=[[[10, 20]]],
        source=f"{RTP}: DFAUtilTest",
    ),
    case(
        "tree-lenient-all-negative",
        "A list of negative candidates only ends the path.",
        "TREE_LENIENT",
        "037",
        [tree({"1": [3, -4], "1_3": [-1, -2]}, mode="lenient")],
        watched([advance(3)]),
        facts=[[[3]], [[2]]],
        source=LOADER,
    ),
    case(
        "tree-lenient-beyond-int32",
        "A candidate beyond 32 bits is dropped.",
        "TREE_LENIENT",
        "037",
        [tree({"1": [10, 3_000_000_000, 12]}, mode="lenient")],
        [allow],
        facts=[[[10, 12]]],
        source=LOADER,
    ),
    case(
        "tree-lenient-opaque-keys",
        "Keys are opaque to upstream's loader; keys that are no prefixes are never reached.",
        "TREE_LENIENT",
        "037",
        [tree({"a-b": [10, 11], "a-b-c": [12], "1": [3]}, mode="lenient", sep="-")],
        watched([advance(3)], allow, status),
        source=LOADER,
    ),
    case(
        "tree-lenient-last-key-wins",
        "Of a repeated prefix the last list counts, and two prefix_dict objects unite.",
        "TREE_LENIENT",
        "037",
        [
            {
                "kind": "tree",
                "mode": "lenient",
                "config_text": '{"start_token_id": 9, "start_token_id": 1, '
                '"prefix_dict": {"1": [3], "1": [4]}, "prefix_dict": {"1_4": [5]}}',
            }
        ],
        watched([advance(4)]),
        facts=[[[4]], [[5]]],
        source="facts of the seed",
    ),
    case(
        "tree-lenient-repeated-fields",
        "Repeated fields that nobody knows, and an end token given twice.",
        "TREE_LENIENT",
        "037",
        [
            {
                "kind": "tree",
                "mode": "lenient",
                "config_text": '{"note": {"a": [1]}, "end_token_id": 9, "start_token_id": 1, "note": [[], {}], '
                '"end_token_id": 2, "sep": "-", "sep": ":", "prefix_dict": {"1": [3, 2], "1:3": [4]}}',
            }
        ],
        watched([advance(3), advance(4)], allow, status),
    ),
    case(
        "tree-upstream-odd-keys",
        "Keys that are no prefixes lead nowhere: letters, other digits, leading zeros, nothing before the separator.",
        "TREE_UPSTREAM",
        "038",
        [
            tree(
                {
                    "1": [3, 5],
                    "1_3": [4],
                    "1_a": [5],
                    "1_\u0665": [6],
                    "1_05": [7],
                    "_5": [8],
                    "1_5x": [9],
                    "1_3_": [10],
                },
                mode="upstream",
            )
        ],
        watched([advance(3, 5), advance(4, 5)], allow, status),
        rows=2,
        source=RTP,
    ),
    *(
        case(
            f"tree-upstream-unbound-{slug}",
            f"Compiled without a width: {why}",
            "TREE_UPSTREAM VOCABULARY",
            "008 038",
            [tree(prefixes, mode="upstream", bind=False)],
            watched([advance(*step) for step in steps], allow, status),
            rows=3,
            source=RTP,
        )
        for slug, why, prefixes, steps in (
            (
                "no-candidate",
                "an entry whose last id is above every candidate is reached.",
                {"1": [3, -1], "1_3": [4], "1_3_4": [-7], "1_12": [5], "1_12_5": [2], "1_15": []},
                [(12, 3, 15), (5, 4, 3), (2, 4, 2), (3, 3, 3)],
            ),
            (
                "behind-the-end",
                "what stands behind the end token stays allowed, whatever comes.",
                {"1": [3, 2], "1_2": [7, 8], "1_3": [2], "1_3_2": [6], "1_2_7": [9], "1_3_2_6": [10]},
                [(2, 3, 3), (7, 2, 4), (8, 6, 2), (7, 6, 2)],
            ),
        )
    ),
    case(
        "tree-upstream-keys-beyond-vocabulary",
        "Entries whose last id is the width, or beyond, are reached by no other id.",
        "TREE_UPSTREAM",
        "038",
        [tree({"1": [3, 4, 35], "1_3": [5], "1_4": [6], "1_16": [8], "1_35": [7]}, mode="upstream")],
        watched([advance(3, 4, 5), advance(0, 3, 3)], allow, status),
        rows=3,
        source=RTP,
    ),
    case(
        "tree-lenient-missing-prefixes",
        "Without prefix_dict a lenient tree ends every path at once.",
        "TREE_LENIENT",
        "031 037",
        [{"kind": "tree", "mode": "lenient", "config": {"start_token_id": 1}}],
        watched([advance(3)], allow, status),
    ),
    case(
        "tree-lenient-merged-paths",
        "With an empty separator 1+1 and 11 are one prefix: rows at different depths share an entry.",
        "TREE_LENIENT TREE_SEPARATOR",
        "037",
        [tree({"1": [1, 11], "11": [1, 5], "111": [6, 7]}, mode="lenient", sep="")],
        watched([advance(1, 11), advance(1, 6), advance(6, 2)], allow, status),
        rows=2,
    ),
]
