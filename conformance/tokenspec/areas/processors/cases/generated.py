"""Scripts made by chance or by counting: every tag that repeats itself, every width, every order of a chain."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tokenspec.areas.processors.cases.build import (
    advance,
    allow,
    bitmask,
    case,
    finish,
    multi_seq,
    recommendation,
    refused,
    reorder,
    status,
    think,
    tree,
    watched,
)
from tokenspec.areas.processors.oracle.scripts import expected_answers
from tokenspec.store.records import Case

SEED = 20261122
SCRIPTS = 60
ROWS = 6
LONG_TAGS = (
    [1, 1, 2, 1, 1, 1, 3],
    [1, 2, 1, 2, 3],
    [1, 1, 2, 1, 1, 3],
    [1, 2, 1, 3, 1, 2, 1, 4],
    [1, 1, 1, 1, 2],
    [1, 2, 3, 1, 2, 4, 1, 2, 3],
)
WIDTHS = (2, 3, 31, 32, 33, 34, 63, 64, 65, 66, 95, 96, 97, 127, 129)
NO_TOKENS: dict[str, Any] = {
    "true": True,
    "fraction": 2.0,
    "null": None,
    "text": "2",
    "list": [2],
    "object": {},
    "beyond": 2**31,
    "far-below": -(2**31) - 1,
    "huge": 10**30,
    "outside": 16,
    "negative": -1,
}


def tags() -> Iterator[list[int]]:
    """Every tag of up to four ids out of two that begins with 1, and longer ones that repeat their beginnings."""
    for length in (1, 2, 3, 4):
        yield from ([1, *rest] for rest in product((1, 2), repeat=length - 1))
    yield from LONG_TAGS


def walk(tag: Sequence[int], rng: random.Random, count: int) -> list[int]:
    """Ids of the tag, most of them in its order, so that matches nearly succeed again and again."""
    found: list[int] = []
    at = 0
    for _ in range(count):
        at = at % len(tag) if rng.random() < 0.75 else rng.randrange(len(tag))
        found.append(tag[at] if rng.random() < 0.9 else 5)
        at += 1
    return found


def every_turn(tag: Sequence[int]) -> list[list[int]]:
    """Every beginning of the tag, every id after it, then the tag as far as there is room."""
    ids = [*sorted(set(tag)), 5]
    return [[*tag[:seen], other, *tag, *tag, *tag, *tag][: len(tag) + 4] for seen in range(len(tag)) for other in ids]


def matching() -> Iterator[Case]:
    rng = random.Random(SEED)
    for tag in tags():
        name = "".join(map(str, tag))
        columns = zip(*(walk(tag, rng, 18) for _ in range(ROWS)), strict=True)
        steps = [advance(*column) for column in columns]
        why = f"How much of the tag {name} has been seen, over histories that nearly match."
        turns = [advance(*column) for column in zip(*every_turn(tag), strict=True)]
        count = len(turns[0]["tokens"])
        endless = think(tag, None)
        yield case(f"tag-end-{name}", why, "THINK_MATCH", "050", [endless], watched(turns, status), rows=count)
        eager = think(tag, 9, close="eager")
        yield case(f"tag-eager-{name}", why, "THINK_MATCH", "050 054", [eager], watched(steps, allow), rows=ROWS)
        begun = think([8, 9], 2, begin_ids=tag, counting="after_begin", mask_boundaries="both")
        asked = watched(steps, allow, status)
        mixed = [*asked[: len(asked) // 2], reorder(2, 0, 1, 5, 4, 3), *asked[len(asked) // 2 :]]
        yield case(f"tag-begin-{name}", why, "THINK_MATCH", "004 050 055 056", [begun], mixed, rows=ROWS)
        ban = recommendation(2, banned_combo_token_ids=[[1, 2], [2, 1], [5, 1]], end_think_token_ids=tag)
        yield case(f"tag-prelude-{name}", why, "COMBO_BAN", "061", [ban], watched(turns, allow), rows=count)


def packed() -> Iterator[Case]:
    for width in WIDTHS:
        last = width - 1
        ban = recommendation(2, banned_combo_token_ids=[[0, last], [1, 0], [1, width // 2], [1, last]])
        listed = tree({"0": [1, last // 2, last]}, start=0, end=last)
        why = f"Sets and their complements over {width} ids, packed."
        steps = [bitmask, advance(0, 1, last), bitmask]
        yield case(f"pack-ban-{width}", why, "MASK_BITS", "009", [ban], steps, vocab_size=width, rows=3)
        if width > 3:
            root = {**listed, "bind": False}
            yield case(f"pack-list-{width}", why, "MASK_BITS", "009", [root], [bitmask], vocab_size=width, rows=2)


def flags() -> Iterator[Case]:
    members = [multi_seq(0), think([8, 9], 1)]
    for name, source in (("swap", (1, 0, 3, 2)), ("copy", (3, 3, 0, 1)), ("shrink", (2, 1)), ("turn", (1, 2, 3, 0))):
        steps = [
            finish(True, False, False, True),
            reorder(*source),
            allow,
            advance(*range(4, 4 + len(source))),
            allow,
            status,
            finish(*([False] * len(source))),
            allow,
        ]
        why = "Who is finished moves with the rows, and stands still."
        yield case(f"flags-{name}", why, "BEAM_REORDER", "004 022", members, steps, rows=4)
    for tokens in ([-1, 3], [3, -1], [16, 3], [3, 16], [[3, -1], [3, 3]], [[3, 3], [3, 16]]):
        name = "-".join(str(token) for item in tokens for token in (item if isinstance(item, list) else [item]))
        why = "An id just outside the vocabulary, in any row and column."
        for kind, member in (("think", think([8, 9], 2)), ("finisher", multi_seq(0))):
            steps = [advance(*tokens), allow]
            slug = f"outside-{kind}-{name.replace('--', '-minus-').removeprefix('-')}-{len(steps)}"
            yield case(slug, why, "TOKEN_RANGE", "006", [member], steps, rows=2)
    held = [advance(-1, 3, active=[False, True]), allow, advance(16, 3, active=[False, True]), status]
    yield case(
        "outside-held", "A row that stands still is not looked at.", "TOKEN_RANGE", "006", [members[1]], held, rows=2
    )


def chains() -> Iterator[Case]:
    rng = random.Random(SEED + 1)
    made = 0
    while made < SCRIPTS:
        members, steps = chain(rng), []
        rows, count = rng.randint(1, 4), rng.randint(6, 12)
        finisher = any(member["kind"] == "multi_seq" for member in members)
        crossing = any(member.get("cross_sequence_ban") for member in members)
        content: dict[str, Any] = {"processors": members, "vocab_size": 12, "rows": rows}
        now = rows
        for _ in range(count):
            kind = rng.random()
            if kind < 0.15 and finisher:
                steps.append(finish(*(rng.random() < 0.3 for _ in range(now))))
            elif kind < 0.3 and not crossing:
                source = [rng.randrange(now) for _ in range(rng.randint(1, 4))]
                steps.append(reorder(*source))
                now = len(source)
            else:
                steps.append(advance(*likely({**content, "steps": [*steps, allow]}, now, rng)))
            steps.append(rng.choice([allow, allow, bitmask]))
        refusing = "error" in expected_answers({**content, "steps": steps})[-1]
        if refusing and made % 4:
            continue
        why = "A chain made by chance, over steps made by chance."
        yield case(f"chain-{made:02}", why, "COMPOSE", "004 020 021 022", members, steps, vocab_size=12, rows=rows)
        made += 1


def likely(content: dict[str, Any], rows: int, rng: random.Random) -> list[int]:
    """An id for each row, allowed where one is."""
    answer = expected_answers(content)[-1].get("allowed", ["ALL"] * rows)
    return [rng.choice(ids if isinstance(ids, list) and rng.random() < 0.9 else range(12)) for ids in answer]


def chain(rng: random.Random) -> list[dict[str, Any]]:
    """Two to four members in any order, one finisher at most."""
    first = sorted(rng.sample(range(3, 10), 3))
    entries = {"1": first, **{f"1_{token}": sorted(rng.sample(range(2, 11), 3)) for token in first}}
    size = rng.randint(1, 3)
    makers = [
        tree(entries),
        think(rng.choice([[8], [8, 9], [3, 3, 8]]), rng.choice([0, 1, 2, None]), close=rng.choice(["budget", "eager"])),
        multi_seq(rng.choice([0, 2, 11])),
        recommendation(
            size,
            banned_combo_token_ids=[[rng.randrange(12) for _ in range(size)] for _ in range(4)],
            cross_sequence_ban=rng.random() < 0.3,
        ),
    ]
    return rng.sample(makers, rng.randint(2, 4))


def configurations() -> Iterator[Case]:
    for field in ("start_token_id", "end_token_id"):
        for name, value in NO_TOKENS.items():
            base: dict[str, Any] = {"start_token_id": 1, "end_token_id": 2, "prefix_dict": {"1": [3]}}
            config = {**base, field: value}
            why = "Not an id of this vocabulary."
            slug = f"tree-strict-{field.split('_')[0]}-is-{name}"
            member: dict[str, Any] = {"kind": "tree", "config": config}
            yield refused(slug, why, "TREE_CONFIG", "036", [member], [f"/{field}"])
    for field in ("end_ids", "begin_ids"):
        for name, value in NO_TOKENS.items():
            given: dict[str, Any] = {"end_ids": [8, 9], "begin_ids": [6, 7], field: [5, value]}
            member = {"kind": "think", "max_tokens": 2, **given}
            slug = f"think-refused-{field.replace('_', '-')}-{name}"
            yield refused(slug, "Not an id of this vocabulary.", "THINK_CONFIG", "058", [member], [f"/{field}/1"])
    for name, value in NO_TOKENS.items():
        why = "Not an id of this vocabulary."
        yield refused(f"finished-eos-{name}-id", why, "FINISHED_ROWS", "060", [multi_seq(value)], ["/eos_token_id"])
        for field, ids, place in (
            ("banned_combo_token_ids", [[1, 3], [1, value]], "/1/1"),
            ("end_think_token_ids", [5, value], "/1"),
        ):
            slug, member = f"combo-refused-{field.split('_')[0]}-{name}", recommendation(2, **{field: ids})
            yield refused(slug, why, "COMBO_CONFIG", "061", [member], [f"/{field}{place}"])
        if name not in {"beyond", "huge", "outside"}:
            why = "Not a number of tokens."
            policy = {"kind": "think", "end_ids": [8], "max_tokens": value}
            if value is not None:
                yield refused(f"think-refused-budget-is-{name}", why, "THINK_CONFIG", "058", [policy], ["/max_tokens"])
            yield refused(
                f"combo-refused-size-{name}", why, "COMBO_CONFIG", "061", [recommendation(value)], ["/combo_token_size"]
            )


def cases() -> Iterator[Case]:
    """All of them."""
    for family in (matching, packed, flags, chains, configurations):
        yield from family()


CASES = tuple(cases())
