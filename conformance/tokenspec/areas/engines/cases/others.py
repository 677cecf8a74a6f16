"""Signals on tables, rules, fusion and agreement."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from tokenspec.areas.engines.cases.build import PIECES, case, scripted
from tokenspec.areas.engines.oracle.signals import WORDS
from tokenspec.areas.engines.oracle.texts import scripted_tokens
from tokenspec.store.records import Case

SIGNAL_TRACE = "A b. D e. b c.\nA b c. D e, b. D b. e D! b c? e b c. D"
GOLD = [[0, 31], [31, 59], [59, 84]]
PASSAGE = "We add two to three, so that is five. But wait, this is wrong: the sum holds only once."
THREE = [
    {"offsets": [[0, 5], [5, 10], [10, 20]], "labels": ["A", "B", "C"]},
    {"offsets": [[0, 2], [2, 6], [6, 15], [15, 20]], "labels": ["a", "B", "C", "D"]},
    {"offsets": [[0, 5], [5, 15], [15, 20]], "labels": ["A", "B", "C"]},
]
HOLES = [{"offsets": [[1, 4], [6, 9]]}, {"offsets": [[0, 4], [4, 10]]}]
CHAIN = [{"offsets": [[0, 4], [4, 5], [5, 6], [6, 7], [7, 10]]}]


def _every_logit(trace: str, seed: int) -> list[dict[str, float | None]]:
    """Rows in which every piece has its own logit."""
    rng = random.Random(seed)
    rows: list[dict[str, float | None]] = []
    for token, _, _ in scripted_tokens(PIECES, trace):
        values = rng.sample(range(-40, 8), len(PIECES))
        rows.append({piece: value / 4 for piece, value in zip(PIECES, values, strict=True)})
        rows[-1][PIECES[token]] = rng.randint(-8, 8) / 4 + 0.0625
    return rows


def signals() -> Iterator[Case]:
    """The four engines on tables in which every piece has its own logit."""
    tokens = scripted_tokens(PIECES, SIGNAL_TRACE)
    rows = _every_logit(SIGNAL_TRACE, 7)
    long = "\n".join((SIGNAL_TRACE,) * 3)
    many = _every_logit(long, 8)
    options: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
        "surprisal": [
            ("window", "ENG-070 ENG-071", {"window": 3, "quantile": 40}),
            ("quantile", "ENG-070", {"window": 2, "quantile": 65}),
        ],
        "entropy": [
            ("window", "ENG-070 ENG-071", {"window": 3, "quantile": 40}),
            ("quantile", "ENG-071", {"window": 5, "quantile": 55}),
        ],
        "flatness-break": [
            ("window", "ENG-072", {"window": 2, "quantile": 25}),
            ("quantile", "ENG-072", {"window": 4, "quantile": 60}),
        ],
        "top-k-shift": [
            ("few", "ENG-073", {"window": 3, "top_k": 4, "quantile": 65}),
            ("many", "ENG-070 ENG-073", {"window": 3, "quantile": 45}),
        ],
    }
    for engine, variants in options.items():
        for suffix, requires, parameters in variants:
            yield scripted(
                f"signal-{engine}-{suffix}",
                "Every piece has its own logit, so every prediction differs.",
                "SEGMENT_SIGNALS",
                requires,
                SIGNAL_TRACE,
                [0.0] * len(tokens),
                engine=engine,
                model={"rows": rows},
                **parameters,
            )
        yield scripted(
            f"signal-{engine}-defaults",
            "Nothing is asked for: window, percentile and top_k are the engine's own.",
            "SEGMENT_SIGNALS",
            "ENG-070 " + variants[0][1].split()[-1],
            long,
            [0.0] * len(many),
            engine=engine,
            model={"rows": many},
        )
        yield scripted(
            f"signal-{engine}-no-anchor",
            "The trace is shorter than two windows: one segment.",
            "SEGMENT_SIGNALS SEGMENT_DEGENERATE",
            "ENG-070",
            "A b. c",
            [0.0] * 4,
            engine=engine,
        )


def ties() -> Iterator[Case]:
    """Tables whose logits are few different numbers, so that the best k are not told by their logits alone."""
    rng = random.Random(73)
    tokens = [token for token, _, _ in scripted_tokens(PIECES, SIGNAL_TRACE)]
    for top_k in (1, 2, 3, 5, 8):
        rows: list[dict[str, float | None]] = [
            {piece: float(rng.choice((-3, -1, 0, 2))) for piece in PIECES} for _ in tokens
        ]
        yield scripted(
            f"signal-top-k-shift-ties-{top_k}",
            "Of tokens with equal logits those with the smaller ids are among the best.",
            "SEGMENT_SIGNALS",
            "ENG-073",
            SIGNAL_TRACE,
            [0.0] * len(tokens),
            engine="top-k-shift",
            model={"rows": rows},
            window=2,
            top_k=top_k,
            quantile=50,
        )


def opposites() -> Iterator[Case]:
    """The last candidate and the best one left out are all but opposite numbers: nothing is near anything."""
    rng = random.Random(67)
    rows: list[dict[str, float | None]] = []
    for token, _, _ in scripted_tokens(PIECES, SIGNAL_TRACE):
        drawn = rng.sample(PIECES, 6)
        best = [0.5 + rng.randint(20, 120) / 64, 0.5 + rng.randint(1, 19) / 64, 0.5]
        found: dict[str, float | None] = dict(zip(drawn, (*best, -0.5 + 2.0**-53, -1.5, -2.0), strict=True))
        rows.append({**dict.fromkeys(PIECES, -4.0), **found})
        rows[-1][PIECES[token]] = rows[-1][PIECES[token]] if PIECES[token] in drawn else -3.0
    yield scripted(
        "signal-top-k-shift-opposites",
        "Logits at the edge of the best three differ much, though their sum is next to nothing.",
        "SEGMENT_SIGNALS",
        "ENG-073 ENG-056",
        SIGNAL_TRACE,
        [0.0] * len(rows),
        engine="top-k-shift",
        model={"rows": rows},
        window=2,
        top_k=3,
        quantile=60,
    )


def rules() -> Iterator[Case]:
    """Markers over given base units, and lines."""
    units = [0, 20, 38, 48]
    yield case(
        "rule-markers",
        "Two of three later units contain a marker.",
        "SEGMENT_RULES",
        "ENG-075",
        trace=PASSAGE,
        engines=["rule-regex"],
        base_units=units,
    )
    words = {
        "rule-whole-words": (
            "Markers inside words do not count: something, butter, also.",
            "Aa bb. Something soft. Butter also melts. Thus it ends.",
            [0, 7, 23, 42],
        ),
        "rule-case": ("Markers count in any case.", "Aa bb. THUS cc. On The Other Hand dd. ee.", [0, 7, 16, 38]),
        "rule-first-unit": ("A marker in the first unit opens nothing new.", "So aa bb. Cc dd. Ee.", [0, 10, 17]),
        "rule-phrases": (
            "Phrases of several words.",
            "Aa. It follows that b. We need to c. In conclusion d. Dd.",
            [0, 4, 23, 37, 54],
        ),
        "rule-revision": (
            "Words of doubt.",
            "Aa. This is wrong. Bb. I was mistaken. Cc. Let me reconsider. Wait.",
            [0, 4, 19, 23, 39, 43, 62],
        ),
    }
    for slug, (why, trace, starts) in words.items():
        yield case(slug, why, "SEGMENT_RULES", "ENG-075", trace=trace, engines=["rule-regex"], base_units=starts)
    for slug, sentence in (("every-marker", "Aa {} bb. "), ("every-marker-inside", "Aa{}bb. ")):
        passage = ["Start. "]
        passage += [sentence.format(word) for word in WORDS]
        edges = [0, *accumulate(map(len, passage))][:-1]
        why = "Every marker in a unit of its own, as words or inside longer ones."
        trace = "".join(passage)
        yield case(
            f"rule-{slug}", why, "SEGMENT_RULES", "ENG-075", trace=trace, engines=["rule-regex"], base_units=edges
        )
    lines = {
        "line-paragraphs": ("Blank lines end segments, single breaks do not.", "a\n\nb\nc\n\n\nd"),
        "line-at-the-ends": ("Line feeds at both ends make no segment of their own.", "\n\na b\n\n"),
        "line-blank-between": ("White space between two blank lines belongs to what follows.", "a\n\n  \n\nb\n \nc"),
        "line-only-white": ("White space alone is one segment.", " \n\n \n"),
        "line-carriage-returns": ("A carriage return between line feeds breaks the run.", "a\r\n\r\nb\n\nc"),
        "line-blank-at-the-end": ("White space after the last break joins what stands before it.", "a\n\nb\n\n \n \t"),
        "line-blank-at-the-start": ("White space before the first break joins what follows.", " \t\n\n\na\n\nb"),
        "line-one-break-at-the-end": ("One break, and blanks after it.", "a\nb\n  "),
        "line-other-white": ("Other white space is white space.", "a\n\n\u00a0\u3000\n\n\u2028\n\nb\n\n\x0c"),
        "line-empty": ("The empty trace has no segments.", ""),
    }
    for slug, (why, trace) in lines.items():
        requires = "ENG-076 ENG-050" if not trace else "ENG-076 ENG-001"
        yield case(slug, why, "SEGMENT_RULES", requires, trace=trace, engines=["new-line"])
        yield case(f"{slug}-verbose", why, "SEGMENT_RULES", requires, trace=trace, engines=["new-line-verbose"])


def fusions() -> Iterator[Case]:
    """The facts' goldens, holes, chains, ties, and labels."""
    twenty = "0123456789abcdefghij"
    pinned: list[tuple[str, str, str, str, list[dict[str, Any]], dict[str, Any]]] = [
        ("voting-majority", "More than half of three engines.", "voting", "ENG-081", THREE, {}),
        ("voting-all", "All three have to agree.", "voting", "ENG-081", THREE, {"threshold": 3}),
        ("voting-one", "One vote is enough.", "voting", "ENG-081", THREE, {"threshold": 1}),
        ("voting-even", "Of four engines, two are not more than half.", "voting", "ENG-081", [*THREE, CHAIN[0]], {}),
        ("merge", "Every edge of any engine.", "merge", "ENG-082", THREE, {}),
        ("intersect", "Only the ends are shared.", "intersect", "ENG-082", THREE, {}),
        ("intersect-some", "Two engines share an inner edge.", "intersect", "ENG-082", [THREE[0], THREE[2]], {}),
        ("fuzzy", "Neighbours within one character fall together.", "fuzzy", "ENG-083", THREE, {}),
        ("fuzzy-three", "Within three characters.", "fuzzy", "ENG-083", THREE, {"max_distance": 3}),
        ("fuzzy-zero", "Distance zero keeps everything.", "fuzzy", "ENG-083", THREE, {"max_distance": 0}),
        ("graph", "The heaviest path.", "graph", "ENG-084", THREE, {}),
    ]
    for slug, why, fusion, requires, given, parameters in pinned:
        for mode in ("majority", "concat"):
            yield case(
                f"fuse-{slug}-{mode}",
                why,
                "SEGMENT_FUSION",
                f"{requires} ENG-080 ENG-085",
                trace=twenty,
                given=given,
                fusion=fusion,
                parameters={**parameters, "label_fusion_type": mode},
            )
    short = twenty[:10]
    yield case(
        "fuse-fuzzy-chain",
        "Edges one apart, each near the next: the distance counts from the one kept.",
        "SEGMENT_FUSION",
        "ENG-083",
        trace=short,
        given=[*CHAIN, {"offsets": [[0, 10]]}],
        fusion="fuzzy",
    )
    yield case(
        "fuse-fuzzy-tail",
        "An edge next to the end gives way to the end.",
        "SEGMENT_FUSION",
        "ENG-080 ENG-083",
        trace=short,
        given=[{"offsets": [[0, 10]]}, {"offsets": [[0, 9]]}],
        fusion="fuzzy",
    )
    for fusion, requires in (
        ("voting", "ENG-081"),
        ("merge", "ENG-082"),
        ("intersect", "ENG-082"),
        ("fuzzy", "ENG-083"),
        ("graph", "ENG-084"),
    ):
        yield case(
            f"fuse-{fusion}-holes",
            "One engine leaves the head, the middle and the tail uncovered.",
            "SEGMENT_FUSION",
            f"{requires} ENG-080",
            trace=short,
            given=HOLES,
            fusion=fusion,
        )
        yield case(
            f"fuse-{fusion}-disjoint",
            "Engines that share nothing but the trace.",
            "SEGMENT_FUSION",
            f"{requires} ENG-080",
            trace=short,
            given=[{"offsets": [[0, 3]]}, {"offsets": [[5, 8]]}],
            fusion=fusion,
        )
        yield case(
            f"fuse-{fusion}-with-engine",
            "A given segmentation beside an engine that runs.",
            "SEGMENT_FUSION",
            f"{requires} ENG-080",
            trace="ab.\n\ncd. ef.",
            engines=["new-line"],
            given=[{"offsets": [[0, 4], [4, 9], [9, 12]]}],
            fusion=fusion,
        )
    rng = random.Random(11)
    for number in range(6):
        given = [_random_partition(rng, 20) for _ in range(rng.randint(2, 4))]
        for fusion, requires in (("graph", "ENG-084"), ("fuzzy", "ENG-083"), ("voting", "ENG-081")):
            yield case(
                f"fuse-{fusion}-random-{number}",
                "Seeded partitions, with ties.",
                "SEGMENT_FUSION",
                f"{requires} ENG-085",
                trace=twenty,
                given=given,
                fusion=fusion,
            )
    yield from upstream_fusions()
    yield case(
        "fuse-labels-unknown",
        "Unknown labels never vote.",
        "SEGMENT_FUSION",
        "ENG-085",
        trace=short,
        given=[
            {"offsets": [[0, 5], [5, 10]], "labels": ["UNK", "UNK"]},
            {"offsets": [[0, 5], [5, 10]], "labels": ["UNK", "chunk"]},
        ],
        fusion="merge",
    )
    yield case(
        "fuse-labels-tie",
        "A tie goes to the engine that comes first.",
        "SEGMENT_FUSION",
        "ENG-085",
        trace=short,
        given=[{"offsets": [[0, 10]], "labels": ["Z"]}, {"offsets": [[0, 10]], "labels": ["A"]}],
        fusion="merge",
    )


def upstream_fusions() -> Iterator[Case]:
    """The profile that repeats RT-SEG, and the default beside it, on segmentations with holes."""
    rng = random.Random(86)
    fusions = {"voting": "ENG-081", "merge": "ENG-082", "intersect": "ENG-082", "fuzzy": "ENG-083", "graph": "ENG-084"}
    given: dict[str, list[dict[str, Any]]] = {
        "three": THREE,
        "holes": HOLES,
        "tail": [{"offsets": [[0, 10]]}, {"offsets": [[0, 9]]}],
        "late": [{"offsets": [[2, 5], [7, 9]]}, {"offsets": [[2, 5], [5, 9]]}, {"offsets": [[2, 4], [4, 9]]}],
    }
    given |= {f"random-{number}": [_with_holes(rng, 14) for _ in range(rng.randint(2, 4))] for number in range(4)}
    for slug, segmentations in given.items():
        for fusion, requirement in fusions.items():
            options: dict[str, Any] = {"threshold": 2} if fusion == "voting" and slug == "random-1" else {}
            options |= {"max_distance": 2} if fusion == "fuzzy" and slug == "random-1" else {}
            profiles = {"upstream": "ENG-086"} | ({"partition": requirement} if slug[:4] in {"late", "rand"} else {})
            for profile, requires in profiles.items():
                yield case(
                    f"fuse-{fusion}-{slug}-{profile}",
                    "Segmentations that leave something uncovered, in both profiles.",
                    "SEGMENT_FUSION",
                    f"{requires} ENG-085",
                    trace="0123456789abcdefghij",
                    given=segmentations,
                    fusion=fusion,
                    parameters={**options, "profile": profile},
                )
    refused: dict[str, list[dict[str, Any]]] = {fusion: [{"offsets": [[0, 10]]}, {"offsets": []}] for fusion in fusions}
    for fusion, segmentations in refused.items():
        yield case(
            f"fuse-{fusion}-empty-upstream",
            "RT-SEG cannot fuse a segmentation without segments.",
            "SEGMENT_FUSION SEGMENT_REFUSAL",
            "ENG-086",
            trace="0123456789",
            given=segmentations,
            fusion=fusion,
            parameters={"profile": "upstream"},
            refused=("invalid-segmentation", "/given"),
        )
    yield case(
        "fuse-intersect-disjoint-upstream",
        "RT-SEG needs one common edge.",
        "SEGMENT_FUSION SEGMENT_REFUSAL",
        "ENG-086",
        trace="0123456789",
        given=[{"offsets": [[0, 3]]}, {"offsets": [[5, 8]]}],
        fusion="intersect",
        parameters={"profile": "upstream"},
        refused=("invalid-segmentation", "/given"),
    )


def _with_holes(rng: random.Random, length: int) -> dict[str, Any]:
    """A partition whose first segment stays, and of whose others some are left out."""
    whole = _random_partition(rng, length)
    kept = [at for at in range(len(whole["offsets"])) if at == 0 or rng.random() < 0.7]
    return {name: [values[at] for at in kept] for name, values in whole.items()}


def _random_partition(rng: random.Random, length: int) -> dict[str, Any]:
    cuts = sorted(rng.sample(range(1, length), rng.randint(1, 5)))
    edges = [0, *cuts, length]
    offsets = [list(pair) for pair in pairwise(edges)]
    return {"offsets": offsets, "labels": [rng.choice("ABC") for _ in offsets]}


def agreements() -> Iterator[Case]:
    """Measures against a gold segmentation; the result is a given one."""
    text = (PASSAGE + " " * 84)[:84]
    compared = {
        "fewer": ("One boundary is missing.", [[0, 31], [31, 84]]),
        "finer": ("Every gold segment but the last is cut in two.", [[0, 16], [16, 31], [31, 46], [46, 59], [59, 84]]),
        "off-by-three": ("Both boundaries are three characters off.", [[0, 34], [34, 56], [56, 84]]),
        "off-by-four": ("Both boundaries are four characters off.", [[0, 35], [35, 55], [55, 84]]),
        "whole": ("The result has no boundary at all.", [[0, 84]]),
        "same": ("The result is gold.", GOLD),
        "many": ("Boundaries everywhere.", [[at, at + 2] for at in range(0, 84, 2)]),
    }
    for slug, (why, offsets) in compared.items():
        yield case(
            f"agree-{slug}",
            why,
            "SEGMENT_AGREEMENT",
            "ENG-090 ENG-091 ENG-092",
            trace=text,
            given=[{"offsets": offsets}],
            gold=GOLD,
        )
    yield case(
        "agree-gold-whole",
        "Gold has no boundary, so the window is half the trace.",
        "SEGMENT_AGREEMENT",
        "ENG-090 ENG-091 ENG-092",
        trace=text,
        given=[{"offsets": GOLD}],
        gold=[[0, 84]],
    )
    yield case(
        "agree-half-even",
        "Half the mean segment is 2.5, which rounds to 2.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="0123456789",
        given=[{"offsets": [[0, 4], [4, 10]]}],
        gold=[[0, 5], [5, 10]],
    )
    yield case(
        "agree-half-even-up",
        "Half the mean segment is 3.5, which rounds to 4.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="0123456789abcd",
        given=[{"offsets": [[0, 4], [4, 14]]}],
        gold=[[0, 7], [7, 14]],
    )
    yield case(
        "agree-nothing",
        "Of an empty trace there is one segmentation.",
        "SEGMENT_AGREEMENT",
        "ENG-090 ENG-091 ENG-092",
        trace="",
        engines=["new-line"],
        gold=[],
    )
    yield case(
        "agree-one-character",
        "No window fits into one character.",
        "SEGMENT_AGREEMENT",
        "ENG-091",
        trace="a",
        given=[{"offsets": [[0, 1]]}],
        gold=[[0, 1]],
    )


def cases() -> Iterator[Case]:
    """Every case without a forced decoder."""
    for group in (signals, ties, opposites, rules, fusions, agreements):
        yield from group()


CASES = tuple(cases())
