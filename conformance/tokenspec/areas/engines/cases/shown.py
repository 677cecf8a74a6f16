"""What models are shown: recordings that answer nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tokenspec.areas.engines.cases.units import UNITS, recorded
from tokenspec.store.records import Case

SYSTEM = "Label the piece, (briefly)."
USER = "A {NEXT_SEGMENT} {TARGET_SEGMENT}| {PREVIOUS_SEGMENT} Z"
BRACED = ["We take {x}. ", "So {NEXT_SEGMENT} is {}. ", "Then {TARGET_SEGMENT}. ", "End."]
PIECES = ["0123456789", "abcdefghij", "KLMNOPQRST", "uvwxyz!?;,", "9876543210", "jihgfedcba"]
LABELS = ("Fact", "Plan", "Plan", "Fact", "Fact", "Plan", "Fact", "Fact")


def said(labels: Sequence[str]) -> list[str]:
    """Replies that give these labels."""
    return [json.dumps({"label": label}) for label in labels]


def around(units: Sequence[str], window: int) -> list[list[str]]:
    """What is asked about each unit, the system's words first and the user's prompt whole."""
    before = ["[START OF TRACE]", *(units[max(at - window, 0)] for at in range(1, len(units)))]
    behind = [*(units[min(at + window, len(units) - 1)] for at in range(len(units) - 1)), "[END OF TRACE]"]
    return [
        [SYSTEM, f"A {following} {unit}| {previous} Z"]
        for previous, unit, following in zip(before, units, behind, strict=True)
    ]


def labelling() -> Iterator[Case]:
    """Units and their neighbours."""
    engines: dict[str, dict[str, int]] = {
        "argument": {},
        "reasoning-flow": {"context_window": 1},
        "thought-anchor": {"context_window": 3},
    }
    for engine, parameters in engines.items():
        yield recorded(
            f"unit-{engine}-shown",
            "Each unit between its neighbours, so many units away.",
            "ENG-104 ENG-109",
            engine,
            UNITS,
            {"replies": said(LABELS), "replies_to": around(UNITS, parameters.get("context_window", 2))},
            system_prompt=SYSTEM,
            user_prompt=USER,
            **parameters,
        )
    yield recorded(
        "unit-argument-shown-braces",
        "What a unit says in braces is not replaced.",
        "ENG-109",
        "argument",
        BRACED,
        {"replies": said(LABELS[:4]), "replies_to": around(BRACED, 1)},
        system_prompt=SYSTEM,
        user_prompt=USER,
        context_window=1,
    )
    yield recorded(
        "unit-argument-shown-again",
        "Asked again in the same words; by default the words are an implementation's own, the unit is among them.",
        "ENG-106 ENG-109",
        "argument",
        UNITS[:3],
        {"replies": ["", *said(LABELS[:3])], "replies_to": [[unit] for unit in (UNITS[0], *UNITS[:3])]},
    )
    yield recorded(
        "unit-argument-shown-alone",
        "One unit has neither neighbour.",
        "ENG-109",
        "argument",
        UNITS[:1],
        {"replies": said(LABELS[:1]), "replies_to": [[SYSTEM, f"[START OF TRACE]{UNITS[0]}[END OF TRACE]"]]},
        system_prompt=SYSTEM,
        user_prompt="{PREVIOUS_SEGMENT}{TARGET_SEGMENT}{NEXT_SEGMENT}",
    )


def chunks() -> Iterator[Case]:
    """Chunks, behind words that are given and behind an implementation's own."""
    trace = "".join(PIECES)
    numbered = [
        [piece for number, unit in enumerate(units) for piece in (f'"{number}"', json.dumps(unit))]
        for units in (UNITS[:4], UNITS[2:6])
    ]
    for slug, parameters in {"system": {}, "prompt": {"prompt": "Cut this: "}}.items():
        prompt = parameters.get("prompt", "")
        yield recorded(
            f"unit-unit-groups-shown-{slug}",
            "Each chunk with its units numbered from 0.",
            "ENG-107 ENG-109",
            "unit-groups",
            UNITS[:6],
            {
                "replies": ["[[0, 1], [2, 3]]", "[[0], [1, 2, 3]]"],
                "replies_to": [[SYSTEM, f"{prompt}{{", *each, "}"] for each in numbered],
            },
            chunk_size=4,
            system_prompt=SYSTEM,
            **parameters,
        )
        yield recorded(
            f"unit-offsets-shown-{slug}",
            "Each chunk of characters.",
            "ENG-108 ENG-109",
            "offsets",
            PIECES,
            {
                "replies": ["[[0, 12], [12, 30]]", "[[0, 9], [9, 30]]"],
                "replies_to": [[SYSTEM, prompt + trace[:30]], [SYSTEM, prompt + trace[30:60]]],
            },
            chunk_size=30,
            system_prompt=SYSTEM,
            **parameters,
        )


def others() -> Iterator[Case]:
    """A recording that has no answer to what is asked, and one that has though a text stands there twice."""
    yield recorded(
        "unit-offsets-shown-twice",
        "The first of two texts stands behind the second one, too.",
        "ENG-108 ENG-109",
        "offsets",
        ["abcdefghij" * 3],
        {"replies": ["[]"], "replies_to": [["abc", "hij", "cde"]]},
    )
    yield recorded(
        "unit-offsets-shown-other",
        "The reply was said to another text.",
        "ENG-060",
        "offsets",
        ["0123456789" * 3],
        {"replies": ["[]"], "replies_to": [["9876543210"]]},
        refused=("invalid-parameter", "/model"),
    )
    yield recorded(
        "unit-offsets-shown-in-another-order",
        "The texts are there, in another order.",
        "ENG-060",
        "offsets",
        ["abcdefghij" * 3],
        {"replies": ["[]"], "replies_to": [["hij", "hij", "hij", "abc"]]},
        refused=("invalid-parameter", "/model"),
    )


def choices() -> Iterator[Case]:
    """Labels to choose from."""
    given = ["Plan", "Fact", "A fact, or a plan"]
    for slug, among, is_other in (
        ("", given[::-1], False),
        ("-in-order", given, False),
        ("-other", given[1:], True),
        ("-more", [*given, "Fact"], True),
    ):
        yield recorded(
            f"unit-zero-shot-shown{slug}",
            "The labels were chosen from others." if is_other else "The labels were chosen from these.",
            "ENG-060" if is_other else "ENG-104 ENG-109",
            "zero-shot",
            UNITS,
            {"labels": LABELS, "labels_among": among},
            labels=given,
            **({"refused": ("invalid-parameter", "/model")} if is_other else {}),
        )


def rewards() -> Iterator[Case]:
    """Problems, and the steps that are scored together."""
    units = [f"Step {number} is here. " for number in range(53)]
    scores = [((number * 29) % 53) / 64 for number in range(53)]
    problem = "How many steps are there?"
    sizes: dict[str, tuple[int, dict[str, Any]]] = {
        "default": (50, {"problem": problem}),
        "chunks": (20, {"problem": problem, "chunk_size": 20}),
        "empty": (53, {"problem": "", "chunk_size": 60}),
    }
    for slug, (size, parameters) in sizes.items():
        yield recorded(
            f"unit-rewards-shown-{slug}",
            "The problem, and so many steps at once.",
            "ENG-105 ENG-109",
            "rewards",
            units,
            {
                "step_scores": scores,
                "step_scores_to": [
                    [parameters["problem"], *units[start : start + size]] for start in range(0, len(units), size)
                ],
            },
            **parameters,
        )
    for slug, shown in {
        "problem": ["Which step is last?", *UNITS],
        "order": [problem, *UNITS[:2], UNITS[3], UNITS[2], *UNITS[4:]],
        "fewer": [problem, *UNITS[:4]],
    }.items():
        yield recorded(
            f"unit-rewards-shown-other-{slug}",
            "The rewards are of another problem, or of other steps.",
            "ENG-060",
            "rewards",
            UNITS,
            {"step_scores": [0.5] * len(UNITS), "step_scores_to": [shown]},
            problem=problem,
            refused=("invalid-parameter", "/model"),
        )


CASES = (*labelling(), *chunks(), *choices(), *rewards(), *others())
