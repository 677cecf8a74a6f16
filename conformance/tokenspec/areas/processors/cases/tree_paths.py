"""Paths through strict trees: candidates, fall-backs, absorbing states, the status string."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import RTP, advance, allow, case, status, tree, watched

if TYPE_CHECKING:
    from tokenspec.store.records import Case

TREE_A = tree({"100": [10, 20], "100_10": [30, 40], "100_20": [50], "100_10_30": [999]}, start=100, end=999)
FIRST = [64000, 64003, 64006, 64008, 64011]
ITEMS = tree(
    {
        "225": FIRST,
        "225_64000": [64001],
        "225_64003": [64001],
        "225_64006": [64004],
        "225_64008": [64001],
        "225_64000_64001": [2],
        "225_64003_64001": [2],
        "225_64006_64004": [2],
        "225_64008_64001": [2],
    },
    start=225,
)
SMALL = tree({"1": [3, 4], "1_3": [5, 6], "1_3_5": [7], "1_3_5_7": [2], "1_4": []})
PATH = "TREE_PATH"
FALLBACK = "TREE_FALLBACK"

CASES: list[Case] = [
    case(
        "tree-upstream-path",
        "Candidates and status along the upstream test tree, down to the end token.",
        PATH,
        "030 031 032 035",
        [TREE_A],
        watched([advance(10), advance(30), advance(999)], allow, status),
        vocab_size=1000,
        facts=[[[10, 20]], ["100"], [[30, 40]], ["100_10"], [[999]], ["100_10_30"], [[999]], ["100_10_30_999"]],
        source=f"{RTP}: DFAUtilTest",
    ),
    case(
        "tree-upstream-error",
        "A token without an edge loses the row: the status stays, only the end is left, for ever.",
        FALLBACK,
        "032 033 035",
        [TREE_A],
        watched([advance(10), advance(99), advance(20)], allow, status),
        vocab_size=1000,
        facts=[[[10, 20]], ["100"], [[30, 40]], ["100_10"], [[999]], ["100_10"], [[999]], ["100_10"]],
        source=f"{RTP}: DFAUtilTest",
    ),
    case(
        "tree-upstream-finished",
        "What follows the end token changes nothing.",
        PATH,
        "033",
        [TREE_A],
        [advance([10, 30, 999]), allow, advance(10), allow, status],
        vocab_size=1000,
        facts=[[[999]], [[999]], ["100_10_30_999"]],
        source=f"{RTP}: DFAUtilTest",
    ),
    case(
        "tree-upstream-second-branch",
        "The second branch of the upstream test tree.",
        PATH,
        "031",
        [TREE_A],
        [advance(20), allow],
        vocab_size=1000,
        facts=[[[50]]],
        source=f"{RTP}: DFAUtilTest",
    ),
    case(
        "tree-items-four-rows",
        "Four rows walk four items; after the end token, anything is ignored.",
        PATH,
        "003 033 035",
        [ITEMS],
        watched(
            [
                advance(64000, 64003, 64006, 64008),
                advance(64001, 64001, 64004, 64001),
                advance(2, 2, 2, 2),
                advance(1, 1, 1, 1),
            ],
            status,
        ),
        vocab_size=100_000,
        rows=4,
        facts=[
            ["225"] * 4,
            ["225_64000", "225_64003", "225_64006", "225_64008"],
            ["225_64000_64001", "225_64003_64001", "225_64006_64004", "225_64008_64001"],
            ["225_64000_64001_2", "225_64003_64001_2", "225_64006_64004_2", "225_64008_64001_2"],
            ["225_64000_64001_2", "225_64003_64001_2", "225_64006_64004_2", "225_64008_64001_2"],
        ],
        source=f"{RTP}: TreeLogitsProcessorTest",
    ),
    case(
        "tree-items-root",
        "Every row starts at the root of the upstream item tree.",
        PATH,
        "030 031",
        [ITEMS],
        [allow],
        vocab_size=100_000,
        rows=4,
        facts=[[FIRST] * 4],
        source=f"{RTP}: TreeLogitsProcessorTest",
    ),
    case(
        "tree-leaf-without-key",
        "A candidate without an entry of its own ends the path; the status keeps the last path with an entry.",
        FALLBACK,
        "031 032 035",
        [ITEMS],
        [advance(64011), allow, status],
        vocab_size=100_000,
        facts=[[[2]], ["225"]],
        source=f"{RTP}: TreeLogitsProcessorTest, derived",
    ),
    case(
        "tree-seed-working-form",
        "The seed's example with the root key it lacks; its other leaf has no entry.",
        "TREE_SEED_EXAMPLE",
        "030",
        [tree({"225": [64000], "225_64000": [64001, 64002], "225_64000_64001": [2]}, start=225)],
        watched([advance(64000), advance(64002)], allow, status),
        vocab_size=64_256,
        facts=[[[64000]], ["225"], [[64001, 64002]], ["225_64000"], [[2]], ["225_64000"]],
    ),
    case(
        "tree-end-unlisted",
        "The end token finishes a row where it is no candidate.",
        PATH,
        "032 035",
        [SMALL],
        [advance(3), advance(2), allow, status, advance(5), allow],
        facts=[[[2]], ["1_3_2"], [[2]]],
    ),
    case(
        "tree-end-first",
        "The end token as the first generated token.",
        PATH,
        "032 033",
        [SMALL],
        watched([advance(2), advance(3)], allow, status),
    ),
    case(
        "tree-empty-list",
        "An empty candidate list means the end token.",
        FALLBACK,
        "031",
        [SMALL],
        watched([advance(4), advance(2)], allow, status),
        facts=[[[3, 4]], ["1"], [[2]], ["1_4"], [[2]], ["1_4_2"]],
    ),
    case(
        "tree-empty-root",
        "An empty list at the root ends at once.",
        FALLBACK,
        "031",
        [tree({"1": []})],
        [allow, advance(2), allow],
    ),
    case(
        "tree-only-end",
        "A tree whose root allows the end token alone.",
        PATH,
        "031 034",
        [tree({"1": [2]})],
        watched([advance(2)], allow, status),
    ),
    case(
        "tree-order-and-repetition",
        "Candidates are a set: neither their order nor their repetition shows.",
        PATH,
        "031",
        [tree({"1": [9, 3, 9, 3, 4], "1_9": [2, 2]})],
        [allow, advance(9), allow],
        facts=[[[3, 4, 9]], [[2]]],
    ),
    case(
        "tree-lost-then-valid",
        "A lost row is not found again by a token that would have been valid before.",
        FALLBACK,
        "033",
        [SMALL],
        watched([advance(9), advance(3), advance(5), advance(2)], allow, status),
    ),
    case(
        "tree-lost-one-level-down",
        "Lost below the root, then the missing candidate, then the end token.",
        FALLBACK,
        "033 035",
        [SMALL],
        watched([advance(3), advance(4), advance(5), advance(2)], allow, status),
    ),
    case(
        "tree-token-of-another-branch",
        "A token that is a candidate elsewhere in the tree is no candidate here.",
        FALLBACK,
        "032",
        [tree({"1": [3, 4], "1_3": [5], "1_4": [6], "1_3_5": [2], "1_4_6": [2]})],
        [advance(3, 4), advance(6, 5), allow, status],
        rows=2,
    ),
    case(
        "tree-end-zero",
        "An end token of 0 is an ordinary end token.",
        "TREE_END_ZERO",
        "030 032",
        [tree({"1": [3], "1_3": [4, 0], "1_3_4": [0]}, end=0)],
        watched([advance(3), advance(4), advance(0)], allow, status),
        vocab_size=8,
    ),
    case(
        "tree-start-inside-the-path",
        "The start token may occur again as a generated token.",
        PATH,
        "032",
        [tree({"1": [1, 3], "1_1": [1], "1_1_1": [2]})],
        watched([advance(1), advance(1), advance(2)], allow, status),
    ),
    case(
        "tree-start-equals-end",
        "Start and end token may be one id; generating it finishes.",
        "TREE_PATH",
        "032",
        [tree({"2": [3], "2_3": [2]}, start=2)],
        watched([advance(3), advance(2)], allow, status),
    ),
    case(
        "tree-twelve-levels",
        "A path of twelve tokens.",
        PATH,
        "031 034",
        [tree({"_".join(["1", *(["3"] * depth)]): [3] if depth < 12 else [2] for depth in range(13)})],
        [advance([3] * 11), allow, advance(3), allow, status],
    ),
    case(
        "tree-wide-root",
        "Two thousand candidates in one set.",
        PATH,
        "031",
        [tree({"1": list(range(10, 4010, 2)), "1_4008": [5], "1_4008_5": [2]})],
        [allow, advance(4008), allow],
        vocab_size=4096,
    ),
    case(
        "tree-last-id",
        "Ids up to the width of the logits are ordinary, tokenizer or not.",
        "VOCABULARY",
        "008 031",
        [tree({"1": [151935, 151669], "1_151935": [151668], "1_151935_151668": [2]})],
        watched([advance(151935), advance(151668)], allow, status),
        vocab_size=151_936,
    ),
    *(
        case(
            f"tree-unbound-{slug}",
            f"Compiled without a width, then bound: the largest id is {told}.",
            "VOCABULARY",
            "008 031 032 035",
            [tree(prefixes, start=start, end=end, bind=False)],
            watched([advance(*step) for step in steps], allow, status),
            rows=2,
        )
        for slug, told, prefixes, start, end, steps in (
            ("candidate", "a candidate with an entry", {"1": [3, 9], "1_9": [4], "1_9_4": [2]}, 1, 2, [(9, 3), (4, 2)]),
            ("start", "the start token, generated again", {"9": [3, 9], "9_9": [4]}, 9, 2, [(9, 3), (4, 3)]),
            ("end", "the end token", {"1": [3, 9], "1_3": [9]}, 1, 9, [(9, 3), (9, 9)]),
        )
    ),
    case(
        "tree-defaults",
        "Missing fields take the seed's defaults: start 225, end 2, separator underscore.",
        PATH,
        "030 032 035",
        [{"kind": "tree", "config": {"prefix_dict": {"225": [7], "225_7": [2]}}}],
        watched([advance(7), advance(2)], allow, status),
        vocab_size=300,
    ),
    case(
        "tree-unknown-fields",
        "Lenient mode skips unknown fields of the root object, with everything below them.",
        "TREE_LENIENT",
        "037",
        [
            {
                "kind": "tree",
                "mode": "lenient",
                "config": {
                    "metadata": {"author": {"prefix_dict": {"7": [1]}, "start_token_id": "x"}},
                    "start_token_id": 7,
                    "end_token_id": 8,
                    "prefix_dict": {"7": [2, 3], "7_2": [8]},
                    "extra_list": [1, 2, [3, 4], {"x": 5}],
                },
            }
        ],
        [allow, advance(2), allow],
        facts=[[[2, 3]], [[8]]],
        source=f"{RTP}: PrefixToCandidateTokensTest",
    ),
    case(
        "tree-config-text",
        "The configuration as JSON text, fields in any order, keys before their parents.",
        "TREE_CONFIG_ACCEPTED",
        "036",
        [
            {
                "kind": "tree",
                "config_text": '{"prefix_dict": {"1_3": [2], "1": [3]}, "sep": "_", '
                '"end_token_id": 2, "start_token_id": 1}',
            }
        ],
        watched([advance(3)], allow, status),
    ),
    *(
        case(
            f"tree-separator-{name}",
            f"A separator of {separator!r} gives the same sets; it shows in the status only.",
            "TREE_SEPARATOR",
            "035 040",
            [tree({"1": [3, 4], f"1{separator}3": [5], f"1{separator}3{separator}5": [2]}, sep=separator)],
            watched([advance(3), advance(5), advance(2)], allow, status),
        )
        for name, separator in (
            ("colon", ":"),
            ("long", "::->".replace("-", "=")),
            ("slash", "/"),
            ("blank", " "),
            ("arrow", "→"),
        )
    ),
]
