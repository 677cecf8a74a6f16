"""Projections made of vocabularies, and steps with several teachers, on small seeded numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.aligners.cases.build import case
from tokenspec.areas.aligners.cases.losses import DENSE, numbers
from tokenspec.store.records import Case

Json = dict[str, Any]

PIECES: Json = {
    "how": "exact",
    "student": [["text", "a"], ["text", "ab"], ["hex", "c3"], ["special", "begin"], ["special", "end"], ["text", "x"]],
    "teacher": [
        *(["text", "ab"], ["special", "begin"], ["hex", "c3"], ["text", "a"], ["text", "ab"]),
        *(["special", "end"], ["special", "end"], ["special", "padding"]),
    ],
}
COUNTED: Json = {
    "how": "entries",
    "student_vocab_size": 6,
    "teacher_vocab_size": 8,
    "entries": [[0, 5, 1.0], [0, 2, 3.0], [0, 5, 1.0], [1, 7, 0.5], [1, 6, 0.5], [5, 1, 2.0], [5, 0, 1.0], [5, 4, 1.0]],
}
PROJECTIONS = {
    "exact": PIECES,
    "entries": COUNTED,
    "nothing": {"how": "entries", "student_vocab_size": 2, "teacher_vocab_size": 3, "entries": []},
    "cut": {"how": "cut", "k": 2, "of": COUNTED},
    "over": {"how": "over", "first": PIECES, "second": COUNTED},
    "over-and-cut": {"how": "cut", "k": 2, "of": {"how": "over", "first": COUNTED, "second": PIECES}},
    "embedded": {
        "how": "embedded",
        "student": numbers(random.Random(63), 4, 3),
        "teacher": numbers(random.Random(64), 6, 3),
        "k": 3,
        "sharpness": 2.0,
    },
    "embedded-more-than-wide": {
        "how": "embedded",
        "student": numbers(random.Random(65), 3, 2),
        "teacher": numbers(random.Random(66), 5, 2),
        "k": 4,
        "sharpness": 1.0,
    },
}


def step(options: Json, **changes: Any) -> Json:
    """Two rows of five tokens, a teacher of the same tokenizer and one of another."""
    rng = random.Random(70)
    student = numbers(rng, 2, 5, 6)
    same: Json = {"logits": numbers(rng, 2, 5, 8), "vocab_size": 6, "weight": 0.75}
    other: Json = {
        "logits": numbers(rng, 2, 4, 9),
        "vocab_size": 8,
        "file": {**DENSE, "indices": DENSE["indices"], "likelihoods": DENSE["likelihoods"]},
        "student_chunk_id": [[0, 0, 1, 2, -1], [0, 1, 1, -1, -1]],
        "teacher_chunk_id": [[0, 1, 1, 2], [0, 0, 1, -1]],
        "pair_valid": [[True, True, True], [True, True, False]],
        "pair_is_correct": [[True, False, True], [True, True, False]],
        "input_ids": [[1, 7, 2, 0], [3, 3, 6, 0]],
        "token_mask": [[1, 1, 1, 1], [1, 1, 1, 0]],
        "weight": 0.5,
    }
    return {
        "student_logits": student,
        "input_ids": [[1, 4, 0, 2, 5], [3, 5, 1, 0, 0]],
        "token_mask": [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]],
        "sample_mask": [1, 1],
        "teachers": [same, other],
        "options": options,
        "want": ["loss", "gradient"],
        **changes,
    }


def second(data: Json) -> Json:
    """A second teacher of the same tokenizer, with the shape of the first."""
    return {**data["teachers"][0], "logits": numbers(random.Random(71), 2, 5, 8), "weight": 2.0}


def cases() -> Iterator[Case]:
    """In the order of the chapter."""
    for slug, wish in PROJECTIONS.items():
        yield case(
            f"build-projection-{slug}",
            "LOSS_PROJECTION",
            ("ALN-063",),
            f"A projection from two vocabularies: {slug.replace('-', ' ')}.",
            task="build-projection",
            data={"projection": wish},
        )
    yield from single()
    yield from several()
    yield from refused()


def distil(slug: str, requires: tuple[str, ...], why: str, data: Json) -> Case:
    """One step."""
    return case(f"step-{slug}", "LOSS_TEACHERS", ("ALN-058", *requires), why, task="distil", data=data)


def single() -> Iterator[Case]:
    """One teacher, the student's own loss, and how they are put together."""
    base = step({})
    same, other = base["teachers"]
    alone: dict[str, Json] = {
        "same": {},
        "same-top-columns": {"vocab_topk": 3, "temperature": 2.0},
        "same-reversed": {"reverse_kl": True, "vocab_topk": 4},
    }
    for slug, options in alone.items():
        yield distil(
            slug, ("ALN-070", "ALN-071", "ALN-075"), "A teacher of the same tokenizer.", step(options, teachers=[same])
        )
    weighed: dict[str, Json] = {
        "fixed-scales": {"kl_loss_weight": 0.25, "ce_loss_scale": 3.0},
        "dynamic-scale": {"dynamic_loss_scaling": True, "kl_loss_weight": 9.0, "mode": "gold"},
    }
    for slug, options in weighed.items():
        yield distil(slug, ("ALN-071", "ALN-075"), "One teacher of another tokenizer.", step(options, teachers=[other]))
    nothing = step({"dynamic_loss_scaling": True}, teachers=[{**other, "pair_valid": [[False] * 3] * 2}])
    yield distil("dynamic-scale-of-nothing", ("ALN-075",), "No chunk is valid: the teacher's loss is 0.", nothing)
    yield distil("one-sample", ("ALN-070", "ALN-071"), "A row is left out.", step({}, sample_mask=[0, 1]))
    yield distil("weighted-sample", ("ALN-070", "ALN-071"), "A row counts a quarter.", step({}, sample_mask=[1, 0.25]))
    for metric in ("ce", "entropy", "max_prob"):
        yield distil(
            f"weighted-sample-{metric.replace('_', '-')}",
            ("ALN-070", "ALN-073"),
            "A row counts a quarter where teachers are scored, too.",
            step({"sum_weights_metric": metric, "alpha": 3.0}, sample_mask=[1, 0.25]),
        )
    yield distil("no-sample", ("ALN-071",), "Every row is left out.", step({}, sample_mask=[0, 0]))
    yield distil(
        "other-ranks",
        ("ALN-071", "ALN-076"),
        "Other ranks count as many as seven.",
        step({"mode": "xtoken"}, elsewhere=7),
    )
    for mode in ("p-kl", "gold"):
        counted = step({"mode": mode}, elsewhere=7)
        yield distil(f"other-ranks-{mode}", ("ALN-071", "ALN-076"), f"The same of the loss {mode}.", counted)


def several() -> Iterator[Case]:
    """Teachers added, averaged, selected."""
    base = step({})
    same, other = base["teachers"]
    for slug, options in (
        ("sum", {}),
        ("sum-by-vocabulary", {"normalize_teacher_by_vocab": True, "mode": "gold"}),
        ("sum-by-ce", {"sum_weights_metric": "ce", "alpha": 0.5}),
        ("sum-by-entropy", {"sum_weights_metric": "entropy", "alpha": 3.0, "normalize_teacher_by_vocab": True}),
        ("sum-by-max-prob", {"sum_weights_metric": "max_prob", "alpha": 4.0}),
    ):
        yield distil(slug, ("ALN-072",), f"Two teachers: {slug.replace('-', ' ')}.", step(options))
    for metric in ("entropy", "max_prob"):
        data = step({"sum_weights_metric": metric, "alpha": 3.0}, sample_mask=[0, 1])
        yield distil(f"sum-of-one-sample-by-{metric.replace('_', '-')}", ("ALN-072",), "A row is left out.", data)
    own = step({"mode": "p-kl"}, teachers=[{**other, "mode": "gold"}, other])
    yield distil("sum-own-loss", ("ALN-072",), "Two teachers of another tokenizer, each with its loss.", own)
    alike = step({"teacher_mode": "averaged_logits", "temperature": 1.5}, teachers=[same, second(base)])
    yield distil("averaged", ("ALN-073",), "Two teachers of the same tokenizer become one.", alike)
    mixed = step({"teacher_mode": "averaged_logits"}, teachers=[same, {**other, "mode": "gold"}])
    yield distil("averaged-mixed", ("ALN-073",), "Teachers of two tokenizers are added.", mixed)
    chosen = {"teacher_mode": "select_teacher"}
    yield distil("selected", ("ALN-074",), "The better of two teachers.", step(chosen))
    yield distil("selected-of-equals", ("ALN-074",), "Two equal teachers.", step(chosen, teachers=[same, same]))
    better = step(chosen, teachers=[same, second(base), other])
    yield distil("selected-of-three", ("ALN-074",), "The best of three teachers.", better)


def refused() -> Iterator[Case]:
    """What no step can be made of."""
    base = step({})
    same, other = base["teachers"]
    short = [same, {**other, "logits": numbers(random.Random(72), 2, 3, 9)}]
    zero = [{**same, "weight": 1.0}, {**second(base), "weight": -1.0}]
    for slug, data, place in (
        ("no-teacher", step({}, teachers=[]), "teachers"),
        ("unknown-mode", step({"teacher_mode": "median"}), "options/teacher_mode"),
        ("unknown-metric", step({"sum_weights_metric": "size"}), "options/sum_weights_metric"),
        (
            "metric-without-sum",
            step({"teacher_mode": "select_teacher", "sum_weights_metric": "ce"}),
            "options/sum_weights_metric",
        ),
        (
            "normalised-without-sum",
            step({"teacher_mode": "averaged_logits", "normalize_teacher_by_vocab": True}),
            "options/normalize_teacher_by_vocab",
        ),
        ("teacher-logits-too-short", step({}, teachers=short), "teachers"),
        ("weights-of-nothing", step({"teacher_mode": "averaged_logits"}, teachers=zero), "teachers"),
    ):
        yield case(
            f"step-{slug}",
            "LOSS_TEACHERS",
            ("ALN-060",),
            f"A step is refused: {slug.replace('-', ' ')}.",
            ("invalid-alignment-input", f"/data/{place}"),
            task="distil",
            data=data,
        )


CASES = tuple(cases())
