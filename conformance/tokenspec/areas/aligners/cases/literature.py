"""Chunk losses of the literature, on small seeded numbers: two rows, a prompt before each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.aligners.cases.build import case
from tokenspec.areas.aligners.cases.losses import numbers
from tokenspec.store.records import Case

Json = dict[str, Any]
Wish = tuple[tuple[str, ...], str, Json, Json]

MERGED, ULD, HYBRID, ALM, UNBIASED, DUAL = (f"ALN-08{digit}" for digit in range(6))
FILE: Json = {
    "kind": "dense",
    "indices": [[2, -1], [0, -1], [1, 3], [5, -1], [3, -1]],
    "likelihoods": [[1.0, 0.0], [1.0, 0.0], [0.7, 0.3], [1.0, 0.0], [0.6, 0.0]],
}
EVERYTHING: Json = {
    "kind": "dense",
    "indices": [[4, -1], [0, -1], [1, -1], [5, -1], [3, -1]],
    "likelihoods": [[1.0, 0.0]] * 5,
}
SIXTH: Json = {"kind": "dense", "indices": [[2, -1], *[[-1, -1]] * 4, [4, -1]], "likelihoods": [[1.0, 0.0]] * 6}


def cases() -> Iterator[Case]:
    """Each loss with its options and its edges, with loss and gradient; then what is refused."""
    for slug, (requires, mode, options, changes) in {**uld(), **hybrid(), **alm(), **dual()}.items():
        data = data_of(mode, options, changes)
        yield case(
            f"literature-{slug}",
            "LOSS_LITERATURE",
            ("ALN-058", *requires),
            f"A loss of the literature with its gradient: {slug.replace('-', ' ')}.",
            task="chunk-loss",
            data={**data, "want": ["loss", "gradient"]},
        )
    yield from refused()


def uld() -> dict[str, Wish]:
    """Sorted probabilities."""
    both = (MERGED, ULD)
    unsaid = numbers(random.Random(80), 2, 5, 5)
    unsaid[0][2] = [0.0, 0.0, 0.0, 0.0, -40.0]
    return {
        "uld": (both, "uld", {}, {}),
        "uld-bayesian": (both, "uld", {"merge": "bayesian"}, {}),
        "uld-temperatures": (both, "uld", {"student_temperature": 2.0, "teacher_temperature": 0.5}, {}),
        "uld-narrow-teacher": (
            both,
            "uld",
            {"merge": "bayesian"},
            {"teacher_logits": numbers(random.Random(8), 2, 6, 4)},
        ),
        "uld-no-prompt": (both, "uld", {"merge": "bayesian"}, NO_PROMPT),
        "uld-no-prompt-observed": (both, "uld", {}, NO_PROMPT),
        "uld-hardly-possible": (both, "uld", {}, {"student_logits": unsaid}),
        "uld-sample-masked": ((ULD,), "uld", {}, {"sample_mask": [0, 1]}),
        "uld-row-without-chunk": ((ULD,), "uld", {}, EMPTY_ROW),
        "uld-invalid-pair": ((ULD, "ALN-051"), "uld", {}, {"pair_valid": [[True, False, True], [True, True, False]]}),
        "uld-hole": ((ULD, "ALN-050"), "uld", {"merge": "bayesian"}, HOLE),
        "uld-wider": (both, "uld", {"merge": "bayesian"}, WIDER),
        "uld-nothing": ((ULD,), "uld", {}, {"pair_valid": [[False] * 3] * 2}),
    }


def hybrid() -> dict[str, Wish]:
    """Common tokens by divergence, the rest sorted."""
    weights = {"matched_weight": 0.3, "unmatched_weight": 2.0}
    unsaid = numbers(random.Random(81), 2, 6, 6)
    unsaid[0][1][2] = unsaid[1][2][0] = -60.0
    return {
        f"hybrid-{slug}": ((MERGED, HYBRID), "uld-hybrid", options, {"file": FILE, **changes})
        for slug, options, changes in (
            ("plain", {}, {}),
            ("bayesian", {"merge": "bayesian"}, {}),
            ("forward", {"beta": 0.0}, {}),
            ("reversed", {"beta": 1.0, "merge": "bayesian"}, {}),
            ("weights", {**weights, "beta": 0.25}, {}),
            ("temperatures", {"student_temperature": 1.5, "teacher_temperature": 3.0, "beta": 0.9}, {}),
            ("hardly-possible", {"beta": 0.0}, {"teacher_logits": unsaid}),
            ("nothing-left", {}, {"file": EVERYTHING}),
            ("wider", {"beta": 0.25}, WIDER),
        )
    }


def alm() -> dict[str, Wish]:
    """Likelihoods of chunks."""
    sharp = {"binarization_temperature": 1.0}
    impossible = numbers(random.Random(86), 2, 6, 6)
    impossible[0][0] = [0.0, 0.0, 0.0, -3e38, 3e38, 0.0]
    biased: dict[str, tuple[Json, Json]] = {
        "append": ({"append_boundary": True}, {}),
        "append-sharp": ({"append_boundary": True, **sharp}, {}),
        "merge": ({"merge_above": 0.5, **sharp}, {}),
        "merge-everything": ({"merge_above": 1.0, "append_boundary": True}, {}),
        "merge-nothing": ({"merge_above": 0.0, "append_boundary": True}, {}),
        "merge-append": ({"merge_above": 0.5, "append_boundary": True, **sharp}, {}),
        "merge-first": ({"merge_above": 0.1, **sharp}, {"teacher_boundary": [1, 3, 4, 5]}),
        "append-wider": ({"append_boundary": True, **sharp}, {**WIDER, "teacher_boundary": [1, 8]}),
        "merge-invalid-pair": (
            {"merge_above": 0.5, "append_boundary": True, **sharp},
            {"pair_valid": [[True, False, True], [True, True, False]]},
        ),
    }
    return {
        "alm": ((ALM,), "alm", {}, {}),
        "alm-sharp": ((ALM,), "alm", sharp, {}),
        "alm-abs": ((ALM,), "alm", {"difference": "abs"}, {}),
        "alm-abs-impossible": ((ALM,), "alm", {"difference": "abs"}, {"teacher_logits": impossible}),
        "alm-no-prompt": ((ALM,), "alm", sharp, NO_PROMPT),
        "alm-hole": ((ALM, "ALN-050"), "alm", sharp, HOLE),
        "alm-sample-masked": ((ALM,), "alm", sharp, {"sample_mask": [1, 0]}),
        "alm-nothing": ((ALM,), "alm", {}, {"pair_valid": [[False] * 3] * 2}),
        **{f"alm-{slug}": ((ALM, UNBIASED), "alm", *wish) for slug, wish in biased.items()},
    }


def dual() -> dict[str, Wish]:
    """Two spaces."""
    return {
        "dskd": ((DUAL,), "dskd", {}, {}),
        "dskd-temperatures": ((DUAL,), "dskd", {"temperature": 2.0, "teacher_temperature": 0.5}, {}),
        "dskd-padding": (
            (DUAL,),
            "dskd",
            {},
            {"student": [[0, 2, -100], [1, -100, -100]], "teacher": [[4, 1], [-100, 0]]},
        ),
        "dskd-one-row-alone": (
            (DUAL,),
            "dskd",
            {},
            {"student": [[-100] * 3, [1, 0, 2]], "teacher": [[-100, -100], [3, 0]]},
        ),
    }


NO_PROMPT: Json = {
    "student_chunk_id": [[0, 0, 0, 1, 2], [0, 1, 1, 2, -1]],
    "teacher_chunk_id": [[0, 0, 1, 1, 1, 2], [0, 0, 1, 2, -1, -1]],
    "pair_valid": [[True, True, True], [True, True, True]],
}
WIDER: Json = {
    "student_logits": numbers(random.Random(84), 2, 5, 7),
    "teacher_logits": numbers(random.Random(84), 2, 6, 9),
}
EMPTY_ROW: Json = {
    "student_chunk_id": [[-1, 0, 0, 1, 2], [-1] * 5],
    "teacher_chunk_id": [[-1, 0, 1, 1, 1, 2], [-1] * 6],
}
HOLE: Json = {
    "student_chunk_id": [[-1, 0, -1, 1, 1], [-1, -1, 0, 1, -1]],
    "teacher_chunk_id": [[-1, 0, 0, -1, 1, -1], [-1, 0, 0, 1, -1, -1]],
    "pair_valid": [[True, True, False], [True, True, False]],
}


def data_of(mode: str, options: Json, changes: Json) -> Json:
    """Two rows of five and six tokens, vocabularies of five and six; for dual spaces their own."""
    if mode == "dskd":
        return dual_data(options, changes)
    rng = random.Random(80)
    return {
        "mode": mode,
        "student_logits": numbers(rng, 2, 5, 5),
        "teacher_logits": numbers(rng, 2, 6, 6),
        "student_ids": [[0, 3, 4, 1, 2], [2, 2, 0, 4, 1]],
        "teacher_ids": [[1, 3, 2, 0, 3, 1], [0, 2, 3, 0, 1, 1]],
        "student_chunk_id": [[-1, 0, 0, 1, 2], [-1, -1, 0, 1, -1]],
        "teacher_chunk_id": [[-1, 0, 1, 1, 1, 2], [-1, 0, 0, 1, -1, -1]],
        "pair_valid": [[True, True, True], [True, True, False]],
        "pair_is_correct": [[True, True, True], [True, True, False]],
        "sample_mask": [1, 1],
        **({"student_boundary": [1, 4], "teacher_boundary": [0, 2]} if mode == "alm" else {}),
        "options": options,
        **changes,
    }


def dual_data(options: Json, labels: Json) -> Json:
    """Three and two tokens, states of two and three numbers, vocabularies of three and five."""
    rng = random.Random(85)

    def side(length: int, width: int, columns: int, chosen: list[list[int]]) -> Json:
        states = ("hidden", "input_embeddings", "label_embeddings")
        found: Json = {name: small(rng, 2, length, width) for name in states}
        return {
            **found,
            "labels": chosen,
            "logits": small(rng, 2, length, columns),
            "head": small(rng, columns, width),
        }

    student = side(3, 2, 3, labels.get("student", [[0, 2, 1], [1, 0, -100]]))
    teacher = side(2, 3, 5, labels.get("teacher", [[4, 1], [2, -100]]))
    shapes = {"query": (6, 4), "s2t": (3, 2), "t2s": (2, 3)}
    layers = {name: {"weight": small(rng, *shape), "bias": small(rng, shape[0])} for name, shape in shapes.items()}
    return {"mode": "dskd", "student": student, "teacher": teacher, "projections": layers, "options": options}


def small(rng: random.Random, *shape: int) -> Any:
    """Numbers of which products stay small: single precision is enough for their gradients."""
    if not shape:
        return round(rng.gauss(0, 0.6), 4)
    return [small(rng, *shape[1:]) for _ in range(shape[0])]


def refused() -> Iterator[Case]:
    """What no loss can be made of, and where it stands."""
    wrong: dict[str, tuple[str, Json, Json, str]] = {
        "student-temperature": ("uld", {"student_temperature": 0.0}, {}, "options/student_temperature"),
        "teacher-temperature": ("uld", {"teacher_temperature": -1.0}, {}, "options/teacher_temperature"),
        "beta": ("uld-hybrid", {"beta": 1.5}, {"file": FILE}, "options/beta"),
        "one-weight": ("uld-hybrid", {"matched_weight": 0.5}, {"file": FILE}, "options/matched_weight"),
        "narrow-student": ("uld-hybrid", {}, {"file": SIXTH}, "student_logits"),
        "merge": ("uld", {"merge": "first"}, {}, "options/merge"),
        "binarization": ("alm", {"binarization_temperature": 0.0}, {}, "options/binarization_temperature"),
        "no-boundary": ("alm", {"append_boundary": True}, {"teacher_boundary": []}, "teacher_boundary"),
        "no-student-boundary": ("alm", {"append_boundary": True}, {"student_boundary": []}, "student_boundary"),
        "no-boundary-to-merge": ("alm", {"merge_above": 0.5}, {"teacher_boundary": []}, "teacher_boundary"),
        "boundary-unsaid": ("alm", {"append_boundary": True}, {"student_boundary": None}, "student_boundary"),
        "teacher-boundary-unsaid": ("alm", {"merge_above": 0.5}, {"teacher_boundary": None}, "teacher_boundary"),
        "boundary-too-large": ("alm", {"append_boundary": True}, {"student_boundary": [1, 5]}, "student_boundary"),
        "boundary-of-no-token": ("alm", {"append_boundary": True}, {"teacher_boundary": [-1, 2]}, "teacher_boundary"),
        "id-too-large": ("uld", {}, {"student_ids": [[0, 3, 5, 1, 2], [2, 2, 0, 4, 1]]}, "student_ids"),
        "id-of-no-token": ("alm", {}, {"teacher_ids": [[1, 3, 2, 0, 3, 1], [0, -1, 3, 0, 1, 1]]}, "teacher_ids"),
    }
    wrong |= {
        f"dual-{name.replace('_', '-')}": ("dskd", {name: 0.0}, {}, f"options/{name}")
        for name in ("temperature", "teacher_temperature")
    }
    for slug, (mode, options, changes, place) in wrong.items():
        data = data_of(mode, options, changes)
        yield case(
            f"literature-refuse-{slug}",
            "LOSS_LITERATURE",
            ("ALN-060",),
            f"A loss of the literature is refused: {slug.replace('-', ' ')}.",
            ("invalid-alignment-input", f"/data/{place}"),
            task="chunk-loss",
            data={name: value for name, value in data.items() if value is not None},
        )


CASES = tuple(cases())
