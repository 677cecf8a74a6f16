"""Configurations a strict tree refuses, each with the place it must name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.processors.cases.build import RTP, allow, case, refused, think, tree

if TYPE_CHECKING:
    from tokenspec.store.records import Case

LOADER = f"{RTP}: PrefixToCandidateTokensTest"

# slug, JSON text, pointer, why: refused by upstream's loader too, and in every mode
TYPES: tuple[tuple[str, str, str, str], ...] = (
    ("root-array", "[1,2,3]", "", "The document must be an object, not an array."),
    ("root-number", "42", "", "The document must be an object, not a number."),
    ("syntax", '{ "start_token_id": 1, "end_token_id": 2, INVALID }', "", "The text is not JSON."),
    ("truncated", '{"prefix_dict": {"225": [1', "", "Truncated JSON."),
    ("trailing-garbage", '{"prefix_dict": {"225": [2]}} x', "", "Text behind the document."),
    ("empty-file", "", "", "An empty file."),
    ("prefixes-array", '{"prefix_dict": [1,2,3]}', "/prefix_dict", "prefix_dict must be an object, not an array."),
    ("prefixes-number", '{"prefix_dict": 5}', "/prefix_dict", "prefix_dict must be an object, not a number."),
    ("prefixes-string", '{"prefix_dict": "x"}', "/prefix_dict", "prefix_dict must be an object, not a string."),
    ("candidates-number", '{"prefix_dict": {"225": 5}}', "/prefix_dict/225", "Candidates must be an array."),
    ("candidates-null", '{"prefix_dict": {"225": null}}', "/prefix_dict/225", "Candidates must not be null."),
    (
        "candidates-object",
        '{"prefix_dict": {"225": {"nested": 1}}}',
        "/prefix_dict/225",
        "Candidates must not be an object.",
    ),
    (
        "candidate-string",
        '{"prefix_dict": {"225": [1, "x", 3]}}',
        "/prefix_dict/225/1",
        "A candidate must not be a string.",
    ),
    ("candidate-bool", '{"prefix_dict": {"225": [true]}}', "/prefix_dict/225/0", "A candidate must not be a boolean."),
    ("candidate-null", '{"prefix_dict": {"225": [null]}}', "/prefix_dict/225/0", "A candidate must not be null."),
    (
        "candidate-double",
        '{"prefix_dict": {"225": [1.0]}}',
        "/prefix_dict/225/0",
        "A candidate must not have a fraction.",
    ),
    (
        "candidate-object",
        '{"prefix_dict": {"225": [1, {"a": 1}]}}',
        "/prefix_dict/225/1",
        "A candidate must not be an object.",
    ),
    (
        "candidate-array",
        '{"prefix_dict": {"225": [[1, 2], [3]]}}',
        "/prefix_dict/225/0",
        "Candidates must not be nested.",
    ),
    ("key-empty", '{"prefix_dict": {"": [1]}}', "/prefix_dict/", "The empty string is no prefix."),
    ("start-string", '{"start_token_id": "abc"}', "/start_token_id", "The start token must not be a string."),
    (
        "start-double",
        '{"start_token_id": 225.0}',
        "/start_token_id",
        "The start token must not have a fraction, not even .0.",
    ),
    ("start-object", '{"start_token_id": {"x": 1}}', "/start_token_id", "The start token must not be an object."),
    ("start-null", '{"start_token_id": null}', "/start_token_id", "The start token must not be null."),
    ("end-bool", '{"end_token_id": true}', "/end_token_id", "The end token must not be a boolean."),
    ("end-array", '{"end_token_id": [2]}', "/end_token_id", "The end token must not be an array."),
    ("start-beyond-int32", '{"start_token_id": 3000000000}', "/start_token_id", "The start token must fit in 32 bits."),
    ("end-below-int32", '{"end_token_id": -3000000000}', "/end_token_id", "The end token must fit in 32 bits."),
    ("sep-number", '{"sep": 5}', "/sep", "The separator must be a string."),
    ("sep-null", '{"sep": null}', "/sep", "The separator must not be null."),
)

GOOD: dict[str, list[int]] = {"1": [3], "1_3": [2]}

# slug, processor, pointers, why: what strict refuses on top
STRICT: tuple[tuple[str, dict[str, Any], list[str], str], ...] = (
    (
        "no-prefixes",
        {"kind": "tree", "config": {"start_token_id": 1}},
        [""],
        "Without prefix_dict every path ends at once.",
    ),
    ("empty-prefixes", tree({}), ["/prefix_dict"], "An empty prefix_dict ends every path at once."),
    (
        "seed-example",
        tree({"225_64000": [64001, 64002], "225_64000_64001": [2]}, start=225),
        ["/prefix_dict"],
        "The seed's own example has no root key, so its first step can only end.",
    ),
    ("start-negative", tree(GOOD, start=-1), ["/start_token_id"], "A negative start token."),
    ("start-beyond-vocabulary", tree(GOOD, start=16), ["/start_token_id"], "A start token beyond the logits."),
    ("end-negative", tree(GOOD, end=-2), ["/end_token_id"], "A negative end token leaves nothing to fall back on."),
    ("end-beyond-vocabulary", tree(GOOD, end=16), ["/end_token_id"], "An end token beyond the logits."),
    ("sep-empty", tree(GOOD, sep=""), ["/sep"], "Without a separator 1+23 and 12+3 are one prefix."),
    ("sep-digit", tree(GOOD, sep="7"), ["/sep"], "A digit as separator makes prefixes ambiguous."),
    ("sep-minus", tree(GOOD, sep="-"), ["/sep"], "A minus sign as separator reads like a negative id."),
    ("candidates-outside", tree({"1": [-3, 3, 16]}), ["/prefix_dict/1/0", "/prefix_dict/1/2"], "Both ids are named."),
    ("candidate-beyond-int32", tree({"1": [3, 3_000_000_000]}), ["/prefix_dict/1/1"], "A candidate beyond 32 bits."),
    ("key-leading-zero", tree({"1": [3], "1_03": [4]}), ["/prefix_dict/1_03"], "A leading zero can never match."),
    ("key-plus", tree({"1": [3], "1_+3": [4]}), ["/prefix_dict/1_+3"], "A plus sign can never match."),
    ("key-blank", tree({"1": [3], "1_ 3": [4]}), ["/prefix_dict/1_ 3"], "A blank can never match."),
    (
        "key-words",
        tree({"1": [3], "a/b~c": [4]}),
        ["/prefix_dict/a~1b~0c"],
        "A key that is no prefix; pointers escape / and ~.",
    ),
    (
        "key-other-start",
        tree({"1": [3], "5_3": [4]}),
        ["/prefix_dict/5_3"],
        "A key with another start token is never reached.",
    ),
    (
        "key-orphan",
        tree({"1": [3], "1_4": [5]}),
        ["/prefix_dict/1_4"],
        "A key whose last token is no candidate of its parent.",
    ),
    ("key-orphan-chain", tree({"1": [3], "1_3_4": [5]}), ["/prefix_dict/1_3_4"], "A key whose parent is missing."),
    ("key-is-end", tree({"1": [2, 3], "1_2": [5]}), ["/prefix_dict/1_2"], "Nothing follows the end token."),
    ("key-behind-end", tree({"1": [2, 3], "1_2_3": [5]}), ["/prefix_dict/1_2_3"], "The end token inside a key."),
    (
        "repeated-field",
        {"kind": "tree", "config_text": '{"start_token_id": 1, "start_token_id": 1, "prefix_dict": {"1": [2]}}'},
        ["/start_token_id"],
        "A repeated field: which one was meant?",
    ),
    (
        "repeated-key",
        {"kind": "tree", "config_text": '{"start_token_id": 1, "prefix_dict": {"1": [3], "1": [4]}}'},
        ["/prefix_dict/1"],
        "A repeated prefix: one of the lists is lost.",
    ),
    (
        "repeated-prefixes",
        {"kind": "tree", "config_text": '{"start_token_id": 1, "prefix_dict": {"1": [2]}, "prefix_dict": {}}'},
        ["/prefix_dict"],
        "A repeated prefix_dict.",
    ),
    (
        "repeated-unknown-field",
        {"kind": "tree", "config_text": '{"start_token_id": 1, "note": 1, "note": 2, "prefix_dict": {"1": [2]}}'},
        ["/note"],
        "A repeated field is a mistake, known or not.",
    ),
    *(
        (
            f"unknown-field-{slug}",
            {"kind": "tree", "config": {"start_token_id": 1, "prefix_dict": {"1": [2]}, name: value}},
            [f"/{name}"],
            f"A field that no tree has, {why}, constrains nothing of what its author meant.",
        )
        for slug, name, value, why in (
            ("shortened", "end_token", 5, "one that is known by a longer name"),
            ("case", "End_token_id", 5, "one in other letters"),
            ("hyphens", "end-token-id", 5, "one with other separators"),
            ("object", "metadata", {"prefix_dict": {"7": [1]}}, "an object"),
            ("underscored", "_start_token_id", 7, "one with something in front"),
        )
    ),
)

CASES: list[Case] = [
    *(
        refused(
            f"tree-refused-{slug}",
            why,
            "TREE_CONFIG",
            "036 039",
            [{"kind": "tree", "config_text": text}],
            [pointer],
            vocab_size=300,
            source=LOADER,
        )
        for slug, text, pointer, why in TYPES
    ),
    *(
        refused(
            f"tree-refused-lenient-{slug}",
            f"Lenient too: {why}",
            "TREE_CONFIG",
            "037 039",
            [{"kind": "tree", "config_text": text, "mode": "lenient"}],
            [pointer],
            vocab_size=300,
            source=LOADER,
        )
        for slug, text, pointer, why in TYPES
        if slug in {"root-array", "syntax", "prefixes-number", "candidate-bool", "start-double", "end-below-int32"}
    ),
    *(
        refused(
            f"tree-strict-{slug}",
            why,
            "TREE_CONFIG",
            "036" if "beyond-v" not in slug else "008 036",
            [processor],
            pointers,
            vocab_size=70_000 if slug == "seed-example" else 16,
        )
        for slug, processor, pointers, why in STRICT
    ),
    *(
        refused(
            f"tree-lenient-start-{slug}",
            "A start token outside the vocabulary is a warning, one that does not fit in 32 bits is none.",
            "TREE_CONFIG",
            "037 039",
            [tree(GOOD, start=start, mode="lenient")],
            ["/start_token_id"],
        )
        for slug, start in (("below-int32", -(2**31) - 1), ("beyond-int32", 2**31))
    ),
    *(
        case(
            f"tree-lenient-start-{slug}",
            "The last start token that fits in 32 bits: no prefix begins with it, so every path ends at once.",
            "TREE_LENIENT",
            "037",
            [tree(GOOD, start=start, mode="lenient")],
            [allow],
        )
        for slug, start in (("least-int32", -(2**31)), ("most-int32", 2**31 - 1))
    ),
    refused(
        "tree-lenient-no-end",
        "Lenient needs a usable end token as well.",
        "TREE_CONFIG",
        "037",
        [tree(GOOD, end=16, mode="lenient")],
        ["/end_token_id"],
    ),
    refused(
        "tree-bound-to-another-width",
        "A tree compiled without a width names an id the logits lack.",
        "VOCABULARY",
        "008",
        [tree({"1": [99], "1_99": [2]}, bind=False)],
        [],
        code="vocab-mismatch",
    ),
    *(
        refused(f"tree-unbound-{slug}", why, "VOCABULARY", "008", [member], [], code="vocab-mismatch")
        for slug, why, member in (
            ("start-at-width", "The start token is the width.", tree({"16": [3]}, start=16, bind=False)),
            ("end-at-width", "The end token is the width.", tree(GOOD, end=16, bind=False)),
            ("candidate-at-width", "A candidate is the width.", tree({"1": [3, 16]}, bind=False)),
            (
                "upstream-beyond",
                "Upstream's tree, compiled without a width.",
                tree({"1": [3, -1, 99]}, mode="upstream", bind=False),
            ),
            ("upstream-end", "Upstream's end token.", tree({"1": [3]}, end=99, mode="upstream", bind=False)),
        )
    ),
    refused(
        "tree-prompt-not-at-root",
        "The prompt's last token is not the root.",
        "TREE_ROOT",
        "041",
        [tree(GOOD, prompt_token_ids=[1, 7])],
        [],
        code="prompt-not-at-root",
        places=["/processors/0/prompt_token_ids"],
    ),
    refused(
        "tree-prompt-empty",
        "A prompt of no token does not end with the root.",
        "TREE_ROOT",
        "041",
        [tree(GOOD, prompt_token_ids=[])],
        [],
        code="prompt-not-at-root",
        places=["/processors/0/prompt_token_ids"],
    ),
    refused(
        "think-refused-two-ids",
        "Two ids to ban, and no other to go on with.",
        "THINK_CONFIG",
        "058",
        [think([0], 3, begin_ids=[1], mask_boundaries="both")],
        ["/mask_boundaries"],
        vocab_size=2,
    ),
    *(
        refused(f"think-refused-{slug}", why, "THINK_CONFIG", "058", [think(**dict[str, Any](policy))], [pointer])
        for slug, policy, pointer, why in (
            ("empty-end", {"end_ids": [], "max_tokens": 3}, "/end_ids", "Without an end tag the segment cannot close."),
            ("end-outside", {"end_ids": [8, 16], "max_tokens": 3}, "/end_ids/1", "An end id beyond the logits."),
            ("end-negative", {"end_ids": [-1], "max_tokens": 3}, "/end_ids/0", "A negative end id."),
            (
                "budget-negative",
                {"end_ids": [8], "max_tokens": -1},
                "/max_tokens",
                "A negative budget can never be reached.",
            ),
            ("budget-double", {"end_ids": [8], "max_tokens": 2.5}, "/max_tokens", "A budget counts whole tokens."),
            (
                "counting",
                {"end_ids": [8], "max_tokens": 3, "counting": "tokens"},
                "/counting",
                "An unknown way of counting.",
            ),
            ("close", {"end_ids": [8], "max_tokens": 3, "close": "now"}, "/close", "An unknown way of closing."),
            (
                "masks",
                {"end_ids": [8], "max_tokens": 3, "mask_boundaries": "end"},
                "/mask_boundaries",
                "An unknown mask.",
            ),
            (
                "no-begin-to-count",
                {"end_ids": [8], "max_tokens": 3, "counting": "after_begin"},
                "/begin_ids",
                "Counting after a begin tag needs one.",
            ),
            (
                "no-begin-to-mask",
                {"end_ids": [8], "max_tokens": 3, "mask_boundaries": "both"},
                "/begin_ids",
                "Masking a begin tag needs one.",
            ),
            (
                "shared-first-id",
                {"end_ids": [8, 9], "begin_ids": [8, 7], "max_tokens": 3, "mask_boundaries": "begin"},
                "/mask_boundaries",
                "Banning the begin tag would ban the end tag.",
            ),
        )
    ),
]
