"""Several segmentations fused into one, in both profiles."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tokenspec.areas.engines.cases.build import case
from tokenspec.store.records import Case

THREE = [
    {"offsets": [[0, 5], [5, 10], [10, 20]], "labels": ["A", "B", "C"]},
    {"offsets": [[0, 2], [2, 6], [6, 15], [15, 20]], "labels": ["a", "B", "C", "D"]},
    {"offsets": [[0, 5], [5, 15], [15, 20]], "labels": ["A", "B", "C"]},
]
HOLES = [{"offsets": [[1, 4], [6, 9]]}, {"offsets": [[0, 4], [4, 10]]}]
CHAIN = [{"offsets": [[0, 4], [4, 5], [5, 6], [6, 7], [7, 10]]}]


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
    yield case(
        "fuse-graph-late-start",
        "Nobody begins at the start, and the heaviest way begins later than another: steps without weight lead there.",
        "SEGMENT_FUSION",
        "ENG-080 ENG-084",
        trace=short,
        given=[{"offsets": [[3, 9]]}, {"offsets": [[6, 9]]}, {"offsets": [[6, 9]]}],
        fusion="graph",
    )
    yield case(
        "fuse-graph-nothing",
        "Nothing to segment, so no way through it.",
        "SEGMENT_FUSION",
        "ENG-080 ENG-084",
        trace="",
        engines=["new-line", "new-line-verbose"],
        fusion="graph",
    )
    yield case(
        "fuse-merge-far-upstream",
        "Edges of any size, in their order.",
        "SEGMENT_FUSION",
        "ENG-082 ENG-086",
        trace=twenty * 5,
        given=[{"offsets": [[0, 33], [33, 64], [64, 100]]}, {"offsets": [[0, 9], [9, 40], [40, 100]]}],
        fusion="merge",
        parameters={"profile": "upstream"},
    )
    yield case(
        "fuse-voting-later-first-upstream",
        "The first engine's only inner edge stands behind that of the others.",
        "SEGMENT_FUSION",
        "ENG-081 ENG-086",
        trace=twenty,
        given=[
            {"offsets": [[0, 10], [10, 20]]},
            {"offsets": [[0, 5], [5, 10], [10, 20]]},
            {"offsets": [[0, 5], [5, 20]]},
        ],
        fusion="voting",
        parameters={"profile": "upstream"},
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
        "fuse-labels-unknown-in-small-letters",
        "Unknown is unknown in any case.",
        "SEGMENT_FUSION",
        "ENG-085",
        trace=short,
        given=[{"offsets": [[0, 10]], "labels": ["unk"]}, {"offsets": [[0, 10]], "labels": ["Fact"]}],
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
            refused=("invalid-segmentation", "/given/1"),
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


CASES = tuple(fusions())
