"""Masks to the bit: every type, every kind of number, both layouts, dead and empty rows, and the packed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.processors.cases.build import (
    advance,
    apply,
    bitmask,
    case,
    finish,
    multi_seq,
    recommendation,
    reorder,
    think,
    tree,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case

# per type: 1.0, -0.0, quiet NaN with payload, smallest denormal, +inf, -inf, largest, negative NaN
NUMBERS = {
    "float16": ["3c00", "8000", "7e2a", "0001", "7c00", "fc00", "7bff", "fe01"],
    "bfloat16": ["3f80", "8000", "7fca", "0001", "7f80", "ff80", "7f7f", "ffc1"],
    "float32": ["3f800000", "80000000", "7fc0beef", "00000001", "7f800000", "ff800000", "7f7fffff", "ffc00001"],
    "float64": [
        "3ff0000000000000",
        "8000000000000000",
        "7ff80000deadbeef",
        "0000000000000001",
        "7ff0000000000000",
        "fff0000000000000",
        "7fefffffffffffff",
        "fff8000000000001",
    ],
}
ONE = {name: words[0] for name, words in NUMBERS.items()}
EVEN = tree({"1": [0, 2, 4, 6], "1_2": [1, 3, 5, 7]}, end=7)
MASK = "MASK_BITS"
DEAD = "MASK_DEAD"


def ones(dtype: str, *minus_infinity: int, width: int = 8) -> list[str]:
    """1.0 everywhere but at the given ids."""
    return ["-inf" if token in minus_infinity else ONE[dtype] for token in range(width)]


CASES: list[Case] = [
    *(
        case(
            f"mask-{dtype}-{layout}",
            f"{dtype}, {layout}: every kind of number, allowed and banned.",
            MASK,
            "010 011 015",
            [EVEN],
            [
                apply(dtype, words, words[1:] + words[:1], layout=layout),
                advance(2, 4),
                apply(dtype, words, words, layout=layout, on_dead="zero"),
            ],
            rows=2,
            vocab_size=8,
        )
        for dtype, words in NUMBERS.items()
        for layout in ("contiguous", "strided")
    ),
    *(
        case(
            f"mask-{dtype}-mixed-rows",
            f"{dtype}: a forced, a free and a banning row in one call; the free row is all -inf and stays.",
            MASK,
            "010 011 014",
            [think([3, 4], 1, begin_ids=[6, 7], counting="after_begin", mask_boundaries="begin")],
            [advance([6, 7, 1], [6, 7, 3], [1, 1, 1]), advance(0, 4, 0), apply(dtype, words, words, ["-inf"] * 8)],
            rows=3,
            vocab_size=8,
        )
        for dtype, words in NUMBERS.items()
    ),
    case(
        "mask-free-rows",
        "No constraint: every bit stays, a row of -inf included.",
        MASK,
        "014",
        [think([3], 5)],
        [apply("float32", NUMBERS["float32"], ["-inf"] * 8)],
        rows=2,
        vocab_size=8,
    ),
    case(
        "mask-all-listed",
        "A tree that lists every id is no constraint.",
        MASK,
        "014 031",
        [tree({"1": list(range(8))})],
        [apply("float16", ["-inf"] * 8), {"op": "allow"}],
        vocab_size=8,
    ),
    *(
        case(
            f"mask-dead-{dtype}-{on_dead}",
            f"{dtype}: every allowed logit is -inf in row 1; on_dead is {on_dead}.",
            DEAD,
            "013",
            [EVEN],
            [apply(dtype, ones(dtype), ones(dtype, 0, 2, 4, 6), on_dead=on_dead)],
            rows=2,
            vocab_size=8,
        )
        for dtype in ("float16", "bfloat16", "float32", "float64")
        for on_dead in ("raise", "zero")
    ),
    case(
        "mask-dead-nan",
        "NaN is not dead.",
        DEAD,
        "011 013",
        [EVEN],
        [apply("float32", ["-inf", ONE["float32"], "7fc0beef", *["-inf"] * 5])],
        vocab_size=8,
    ),
    *(
        case(
            f"mask-dead-but-one-{on_dead}",
            "A row with one ban whose other logits are all -inf is dead as well.",
            DEAD,
            "013",
            [think([3], 4, begin_ids=[6], mask_boundaries="begin")],
            [apply("float32", ["-inf"] * 6 + [ONE["float32"], "-inf"], ones("float32"), on_dead=on_dead)],
            rows=2,
            vocab_size=8,
        )
        for on_dead in ("raise", "zero")
    ),
    case(
        "mask-dead-banned-twice",
        "A row is as dead where two processors ban the same id.",
        DEAD,
        "013",
        [think([3], 4, begin_ids=[6], mask_boundaries="begin")] * 2,
        [apply("float32", ["-inf"] * 6 + [ONE["float32"], "-inf"], ones("float32"), on_dead="zero")],
        rows=2,
        vocab_size=8,
    ),
    case(
        "mask-dead-beside-a-forced-row",
        "A dead row that bans becomes zero; the forced row beside it keeps its logits.",
        DEAD,
        "013",
        [think([3], 1, begin_ids=[6], mask_boundaries="begin", counting="after_begin")],
        [
            advance([6, 0], [0, 0]),
            apply("float32", ones("float32"), ["-inf"] * 8, on_dead="zero"),
        ],
        rows=2,
        vocab_size=8,
    ),
    case(
        "mask-dead-forced",
        "A forced id whose logit is -inf is told, not sampled.",
        DEAD,
        "013 051",
        [think([3], 0)],
        [apply("bfloat16", ones("bfloat16", 3))],
        vocab_size=8,
    ),
    case(
        "mask-finished",
        "A finished row keeps the logit of its end of sequence.",
        MASK,
        "010 011 022",
        [EVEN, multi_seq(7)],
        [finish(True, False), apply("float32", NUMBERS["float32"], NUMBERS["float32"])],
        rows=2,
        vocab_size=8,
    ),
    case(
        "mask-bans",
        "Combos ban single ids; the rest keeps its bits.",
        MASK,
        "010 011 061",
        [recommendation(2, banned_combo_token_ids=[[1, 3], [1, 5], [4, 6]])],
        [advance(1, 4, 0), apply("float64", *[NUMBERS["float64"]] * 3)],
        rows=3,
        vocab_size=8,
    ),
    case(
        "mask-after-reorder",
        "The mask follows the rows.",
        "MASK_BITS BEAM_REORDER",
        "004 010",
        [EVEN],
        [advance(2, 4), reorder(1, 0), apply("float16", ones("float16"), ones("float16"))],
        rows=2,
        vocab_size=8,
    ),
    *(
        case(
            f"mask-type-{dtype.replace('_', '-')}",
            f"{dtype} has no -inf to write.",
            MASK,
            "015",
            [EVEN],
            [{"op": "apply", "dtype": dtype, "logits": ["00000000"]}],
            vocab_size=8,
        )
        for dtype in ("int32", "int64", "float8_e4m3fn")
    ),
    case(
        "mask-narrow-logits",
        "Logits of another width than the processor was bound to.",
        "VOCABULARY",
        "008",
        [EVEN],
        [apply("float32", ones("float32", width=7))],
        vocab_size=8,
    ),
    *(
        case(
            f"packed-{vocab_size}",
            f"Packed words over {vocab_size} ids: some, all, one, and the last.",
            "MASK_PACKED",
            "009",
            [tree({"1": sorted({0, vocab_size // 2, vocab_size - 1}), f"1_{vocab_size - 1}": [vocab_size - 1]}, end=0)],
            [bitmask, advance(vocab_size - 1, 0, vocab_size // 2), bitmask],
            rows=3,
            vocab_size=vocab_size,
        )
        for vocab_size in (4, 31, 32, 33, 64, 65, 256)
    ),
    case(
        "packed-all",
        "Everything allowed: padding bits stay 0.",
        "MASK_PACKED",
        "009",
        [think([3], 5)],
        [bitmask],
        rows=2,
        vocab_size=40,
    ),
    case(
        "packed-all-but",
        "Everything but one id.",
        "MASK_PACKED",
        "009 055",
        [think([3], 5, begin_ids=[31], mask_boundaries="begin")],
        [bitmask],
        vocab_size=40,
    ),
]
