"""The oracle of dual-space distillation: matrices as lists of rows, in double precision."""

from __future__ import annotations

import copy
import math
from typing import Any

from tokenspec.areas.aligners.oracle.losses import STEP, LossRefused, Rows, divergence, log_softmax, scaled

Json = dict[str, Any]
NO_LABEL = -100


def loss(data: Json, held: list[Rows] | None = None) -> Json:
    """The loss and its parts. ``held``: the teacher in the student's space, where it is a constant."""
    refuse(data)
    near = nearness(data)
    said = in_student_space(data, near)
    held = said if held is None else held
    student, teacher, options = data["student"], data["teacher"], data["options"]
    temperature = options.get("temperature", 1.0)
    softened = temperature * options.get("teacher_temperature", 1.0)
    ce = t2s = s2t = 0.0
    for b, t, label in labels_of(student):
        ce -= log_softmax(said[b][t])[label]
        if held[b][t].index(max(held[b][t])) == label:
            t2s += kl(scaled(student["logits"][b][t], temperature), scaled(held[b][t], softened))
    for b, t, _ in labels_of(teacher):
        values = [linear(data["projections"]["s2t"], state) for state in student["hidden"][b]]
        seen = product(mixed([row[t] for row in near[b]], values), teacher["head"])
        s2t += kl(scaled(seen, temperature), scaled(teacher["logits"][b][t], temperature))
    return {"loss": ce + t2s + s2t, "ce": ce, "t2s": t2s, "s2t": s2t}


def gradient(data: Json) -> Json:
    """The derivatives with respect to the student's logits and states and the projections, by central differences."""
    held = in_student_space(data, nearness(data))

    def at(path: tuple[Any, ...], shift: float) -> float:
        changed = copy.deepcopy(data)
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] += shift
        return float(loss(changed, held)["loss"])

    def derived(value: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, dict):
            return {name: derived(inner, (*path, name)) for name, inner in value.items()}
        if isinstance(value, list):
            return [derived(inner, (*path, index)) for index, inner in enumerate(value)]
        return round((at(path, STEP) - at(path, -STEP)) / (2 * STEP), 9)

    student = {name: derived(data["student"][name], ("student", name)) for name in ("logits", "hidden")}
    return {"student": student, "projections": derived(data["projections"], ("projections",))}


def refuse(data: Json) -> None:
    """What no two spaces can be made of."""
    if any(value <= 0 for value in data["options"].values()):
        raise LossRefused("options")
    for side in (data["student"], data["teacher"]):
        wanted = [len(row) for row in side["labels"]]
        states = ("hidden", "input_embeddings", "label_embeddings", "logits")
        if any([len(rows) for rows in side[name]] != wanted for name in states):
            raise LossRefused("lengths")


def labels_of(side: Json) -> list[tuple[int, int, int]]:
    """Row, position and label, where there is one."""
    return [(b, t, y) for b, row in enumerate(side["labels"]) for t, y in enumerate(row) if y != NO_LABEL]


def nearness(data: Json) -> list[Rows]:
    """How near each teacher position is to each student position."""
    student, teacher = (both_embeddings(data[side]) for side in ("student", "teacher"))
    root = math.sqrt(2 * len(data["teacher"]["hidden"][0][0])) * deviation(teacher)
    found = []
    for b, queries in enumerate(student):
        moved = [linear(data["projections"]["query"], query) for query in queries]
        far = [[NO_LABEL in {y, other} for other in data["teacher"]["labels"][b]] for y in data["student"]["labels"][b]]
        found.append(
            [
                [dot(query, key) / root - 100_000.0 * away for key, away in zip(teacher[b], apart, strict=True)]
                for query, apart in zip(moved, far, strict=True)
            ]
        )
    return found


def in_student_space(data: Json, near: list[Rows]) -> list[Rows]:
    """The teacher's states as logits of the student's vocabulary."""
    teacher = data["teacher"]
    widths = deviation(teacher["hidden"]), deviation(teacher["label_embeddings"])
    found = []
    for b, rows in enumerate(near):
        values = [
            linear(data["projections"]["t2s"], [h / widths[0] + e / widths[1] for h, e in zip(*pair, strict=True)])
            for pair in zip(teacher["hidden"][b], teacher["label_embeddings"][b], strict=True)
        ]
        found.append([product(mixed(row, values), data["student"]["head"]) for row in rows])
    return found


def both_embeddings(side: Json) -> list[Rows]:
    """Of inputs and labels side by side."""
    return [
        [[*a, *b] for a, b in zip(*rows, strict=True)]
        for rows in zip(side["input_embeddings"], side["label_embeddings"], strict=True)
    ]


def deviation(rows: list[Rows]) -> float:
    """The standard deviation of all numbers."""
    values = [value for row in rows for state in row for value in state]
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


def dot(a: list[float], b: list[float]) -> float:
    """The sum of products."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def linear(layer: Json, state: list[float]) -> list[float]:
    """Weight times state plus bias."""
    return [dot(row, state) + bias for row, bias in zip(layer["weight"], layer["bias"], strict=True)]


def product(state: list[float], head: Rows) -> list[float]:
    """Head times state."""
    return [dot(row, state) for row in head]


def mixed(near: list[float], values: Rows) -> list[float]:
    """States weighed by the softmax of how near they are."""
    weights = [math.exp(value) for value in log_softmax(near)]
    return [dot(weights, list(column)) for column in zip(*values, strict=True)]


def kl(student: list[float], teacher: list[float]) -> float:
    """KL of the teacher's logits to the student's."""
    return divergence(log_softmax(student), log_softmax(teacher), reverse=False)
