"""Engines over base units, whose models are recordings."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from tokenspec.areas.engines.cases.build import case
from tokenspec.store.records import Case

UNITS = [
    "We add two. ",
    "That is five. ",
    "But wait. ",
    "Is it? ",
    "Yes, it is. ",
    "So we are done. ",
    "Five. ",
    "End.",
]


def recorded(
    slug: str, why: str, requires: str, engine: str, units: Sequence[str], model: dict[str, Any] | None, **given: Any
) -> Case:
    """A case whose base units are these texts."""
    parameters = {name: given.pop(name) for name in list(given) if name not in ("refused", "base_units")}
    return case(
        slug,
        why,
        "SEGMENT_UNITS" + (" SEGMENT_REFUSAL" if given.get("refused") else ""),
        requires,
        trace="".join(units),
        engines=[engine],
        base_units=given.pop("base_units", [0, *accumulate(map(len, units[:-1]))]),
        model=None if model is None else {"kind": "recorded", **model},
        parameters=parameters,
        **given,
    )


def whole() -> Iterator[Case]:
    """Protected spans."""
    texts = {
        "math": ("A cut inside math and one at each of its edges.", "Let $a; b$ be. So $$x. y$$ holds. ", "$. "),
        "code": ("The same with code, fenced and not.", "Run `a; b` now. Or ```x. y``` then. ", "`. "),
        "unclosed": ("One mark alone protects nothing; two in a row are a pair.", "It costs 5$. Or $$ 6. ", "$. "),
        "mixed": ("Code inside math, math inside code, over lines.", "$a `b$ c` d ```x\n$y``` z$. ", "`$ \n"),
    }
    for slug, (why, trace, places) in texts.items():
        starts = [at + step for at, sign in enumerate(trace) if sign in places for step in (0, 1)]
        yield case(
            f"unit-whole-{slug}",
            why,
            "SEGMENT_UNITS",
            "ENG-100",
            trace=trace,
            engines=["plain"],
            base_units=starts,
        )
    yield recorded("unit-sentences", "Units that are sentences.", "ENG-100", "plain", UNITS, None, seg_base_unit="sent")
    yield case(
        "unit-whole-marker",
        "A marker's unit would begin inside math.",
        "SEGMENT_UNITS SEGMENT_RULES",
        "ENG-075 ENG-100",
        trace="Take $a. So b$ then. But c.",
        engines=["rule-regex"],
        base_units=[0, 9, 21],
    )


def shifts() -> Iterator[Case]:
    """Vectors of small whole numbers."""
    turns = [[4.0, 0.0], [4.0, 1.0], [0.0, 3.0], [1.0, 4.0], [0.0, 5.0], [5.0, 0.0], [1.0, 5.0], [0.0, 0.0]]
    yield recorded("unit-shift", "Away and back.", "ENG-102", "semantic-shift", UNITS, {"vectors": turns})
    yield recorded(
        "unit-shift-last-is-near",
        "The second of three units is far, and the last one is as near as can be.",
        "ENG-102",
        "semantic-shift",
        UNITS[:3],
        {"vectors": [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]},
    )
    for slug, why, vectors, parameters in (
        ("equal", "As near as is asked for is near.", [[1.0, 0.0], [1.0, 0.0]], {"tolerance": 0.0}),
        (
            "equal-after",
            "The unit after one that is far is as near as is asked for.",
            [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
            {"tolerance": 0.0},
        ),
        (
            "first-once",
            "The first unit counts once in the sum of the segment.",
            [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            {"tolerance": 0.45, "min_threshold": -0.5},
        ),
        (
            "nothing",
            "A vector without length has nothing in common with the segment, and nothing against it.",
            [[1.0, 0.0], [1.0, 2.0], [-1.0, 2.0], [0.0, 0.0], [0.0, -1.0]],
            {"tolerance": 0.6, "min_threshold": -0.5},
        ),
    ):
        units = UNITS[: len(vectors)]
        model = {"vectors": vectors}
        yield recorded(f"unit-shift-{slug}", why, "ENG-102", "semantic-shift", units, model, **parameters)
    rng = random.Random(102)
    drawn = [[float(rng.randint(-2, 6)) for _ in range(3)] for _ in range(24)]
    units = [f"Unit {number} of it. " for number in range(24)]
    for slug, parameters in {
        "default": {},
        "strict": {"tolerance": 0.02, "min_threshold": 0.9},
        "loose": {"tolerance": 0.6, "min_threshold": -0.5},
    }.items():
        why = "Drawn vectors, some of which point backwards."
        yield recorded(
            f"unit-shift-drawn-{slug}", why, "ENG-102", "semantic-shift", units, {"vectors": drawn}, **parameters
        )
    yield recorded(
        "unit-shift-one", "There is only one unit.", "ENG-102 ENG-001", "semantic-shift", ["A."], {"vectors": [[0.0]]}
    )
    yield recorded(
        "unit-shift-nan",
        "A vector that is none.",
        "ENG-061",
        "semantic-shift",
        UNITS[:2],
        {"vectors": [[1.0, 0.0], [1.0, None]]},
        refused=("non-finite-logits", "/model"),
    )


def entailments() -> Iterator[Case]:
    """Shares of every question that can be asked."""
    rng = random.Random(103)
    for slug, parameters in {
        "default": {},
        "strict": {"tolerance": 0.05, "min_threshold": 0.8},
        "loose": {"tolerance": 0.5, "min_threshold": 0.1},
    }.items():
        questions = [
            (" ".join(UNITS[first:at]), UNITS[after])
            for at in range(1, len(UNITS))
            for first in {max(0, at - 2), at - 1}
            for after in range(at, min(at + 2, len(UNITS)))
        ]
        found = []
        for premise, hypothesis in sorted(questions):
            entailment = rng.randint(0, 64) / 64
            shares = [entailment, (1 - entailment) * rng.randint(0, 8) / 8]
            found.append({"premise": premise, "hypothesis": hypothesis, "shares": shares})
        yield recorded(
            f"unit-entailment-{slug}",
            "Drawn shares.",
            "ENG-103",
            "entailment",
            UNITS,
            {"entailments": found},
            **parameters,
        )
    yield recorded(
        "unit-entailment-begun-anew",
        "What a new segment asks for does not depend on the one before it.",
        "ENG-103",
        "entailment",
        UNITS[:4],
        {
            "entailments": [
                {"premise": " ".join(UNITS[first:at]), "hypothesis": UNITS[after], "shares": [share / 64, 0]}
                for first, at, after, share in ((0, 1, 1, 64), (0, 2, 2, 0), (0, 2, 3, 0), (2, 3, 3, 43))
            ]
        },
        tolerance=0.2,
        min_threshold=0.0,
    )
    coherent = [
        {"premise": premise, "hypothesis": hypothesis, "shares": [number * 3 % 7 / 16, (1 + number % 5) / 10]}
        for number, (premise, hypothesis) in enumerate(sorted(questions))
    ]
    yield recorded(
        "unit-entailment-neutral",
        "Every unit is neutral to some part.",
        "ENG-103",
        "entailment",
        UNITS,
        {"entailments": coherent},
    )


def labels() -> Iterator[Case]:
    """Runs of labels, as a classifier, a topic model or a chat model gives them."""
    runs = ["Fact", "Fact", "Plan", "Fact", "Plan", "Plan", "Plan", "End"]
    for engine in ("zero-shot", "topics"):
        requires = "ENG-104"
        yield recorded(f"unit-{engine}", "Runs of one, two and three.", requires, engine, UNITS, {"labels": runs})
        yield recorded(
            f"unit-{engine}-same", "One label for all.", requires, engine, UNITS, {"labels": ["Fact"] * len(UNITS)}
        )
    said = [json.dumps({"label": label}) for label in runs]
    for engine in ("argument", "reasoning-flow", "thought-anchor"):
        why = "One reply a unit."
        yield recorded(f"unit-{engine}", why, "ENG-104 ENG-106", engine, UNITS, {"replies": said})
    broken = ["Plan", '{"label": ""}', '["Plan"]', '{"label": 3}', said[0], *said[1:]]
    yield recorded(
        "unit-argument-again", "Four replies of no use.", "ENG-104 ENG-106", "argument", UNITS, {"replies": broken}
    )
    yield recorded(
        "unit-argument-patience",
        "As many replies of no use as are allowed, of every unit.",
        "ENG-106",
        "argument",
        UNITS[:2],
        {"replies": ["", "{}", said[0], "null", "[]", said[2]]},
        max_retry=2,
    )
    yield recorded(
        "unit-argument-refused",
        "One more than are allowed.",
        "ENG-106",
        "argument",
        UNITS[:2],
        {"replies": ["", "{}", "-", said[0], said[2]]},
        max_retry=2,
        refused=("unusable-reply", "/model"),
    )
    for slug, parameters in {"max-retry": {"max_retry": -1}, "window": {"context_window": 0}}.items():
        yield recorded(
            f"refuse-units-{slug}",
            "A count that is none.",
            "ENG-060",
            "argument",
            UNITS,
            {"replies": said},
            refused=("invalid-parameter", *(f"/parameters/{name}" for name in parameters)),
            **parameters,
        )
    yield recorded(
        "refuse-units-model",
        "An engine that asks a model, and none to ask.",
        "ENG-060",
        "zero-shot",
        UNITS,
        None,
        refused=("invalid-parameter", "/model"),
    )


def rewards() -> Iterator[Case]:
    """Rewards of steps, so fine that no two jumps are equal."""
    rng = random.Random(105)
    units = [f"Step {number} is here. " if number % 5 else "So " for number in range(23)]
    scores = [round(rng.random(), 6) for _ in units]
    for slug, parameters in {
        "default": {},
        "chunks": {"chunk_size": 4, "window": 2},
        "high": {"quantile": 85, "window": 1},
        "low": {"quantile": 10},
    }.items():
        model = {"step_scores": scores}
        yield recorded(f"unit-rewards-{slug}", "Drawn rewards.", "ENG-105", "rewards", units, model, **parameters)
    yield recorded(
        "unit-rewards-last",
        "The change is greatest before the last step but one.",
        "ENG-105",
        "rewards",
        UNITS,
        {"step_scores": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0]},
        window=1,
        quantile=80,
    )
    flat = {"step_scores": [0.5] * len(UNITS)}
    yield recorded("unit-rewards-flat", "No jump at all.", "ENG-105", "rewards", UNITS, flat)
    yield recorded(
        "unit-rewards-short",
        "A jump behind four characters, and one behind five.",
        "ENG-105",
        "rewards",
        [*UNITS[:2], "So. ", "I", "see. ", "Well. ", "End."],
        {"step_scores": [0, 1, 0, 1, 0, 0.25, 0.5]},
        window=1,
    )


def cases() -> Iterator[Case]:
    """Every case of the theme."""
    for group in (whole, shifts, entailments, labels, rewards):
        yield from group()


CASES = tuple(cases())
