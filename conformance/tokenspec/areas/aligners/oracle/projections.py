"""The oracle of projections made of two vocabularies: weights collected in dictionaries, in double precision."""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.aligners.oracle.losses import LossRefused

Json = dict[str, Any]
Table = list[dict[int, float]]


def made(data: Json) -> Json:
    """The rows of the file that the described projection becomes: teacher ids and weights, heaviest first."""
    rows = table(data["projection"])
    return {"rows": [[[t, w] for t, w in sorted(row.items(), key=lambda one: (-one[1], one[0]))] for row in rows]}


def table(wish: Json) -> Table:
    """Teacher ids and weights of each student token."""
    refuse(wish)
    how = wish["how"]
    if how == "over":
        return [mine or theirs for mine, theirs in zip(table(wish["first"]), table(wish["second"]), strict=True)]
    if how == "cut":
        heaviest = [
            dict(sorted(row.items(), key=lambda entry: (-entry[1], entry[0]))[: wish["k"]]) for row in table(wish["of"])
        ]
        return [summing_to_one(row) for row in heaviest]
    if how == "embedded":
        return [nearest(row, wish) for row in wish["student"]]
    return exact(wish) if how == "exact" else entries(wish)


def refuse(wish: Json) -> None:
    """What no projection can be made of."""
    how = wish["how"]
    if how == "entries":
        students, teachers = sizes(wish)
        if any(not (0 <= s < students and 0 <= t < teachers) for s, t, _ in wish["entries"]):
            raise LossRefused("an entry outside the vocabularies")
    if how == "over" and sizes(wish["first"]) != sizes(wish["second"]):
        raise LossRefused("projections of other vocabularies")
    if how == "embedded" and len({len(row) for side in ("student", "teacher") for row in wish[side]}) > 1:
        raise LossRefused("embeddings of another width")
    if how in {"cut", "embedded"} and not 2 <= wish["k"] <= (len(wish["teacher"]) if how == "embedded" else wish["k"]):
        raise LossRefused("k")


def sizes(wish: Json) -> tuple[int, int]:
    """Tokens of the student and of the teacher."""
    if wish["how"] in {"over", "cut"}:
        return sizes(wish["first" if wish["how"] == "over" else "of"])
    if wish["how"] == "entries":
        return wish["student_vocab_size"], wish["teacher_vocab_size"]
    return len(wish["student"]), len(wish["teacher"])


def summing_to_one(row: dict[int, float]) -> dict[int, float]:
    """The same in proportion."""
    total = sum(row.values())
    return {t: w / total for t, w in row.items()}


def entries(wish: Json) -> Table:
    """Student, teacher, weight; equal pairs added."""
    rows: Table = [{} for _ in range(wish["student_vocab_size"])]
    for s, t, w in wish["entries"]:
        rows[s][t] = rows[s].get(t, 0.0) + w
    return [summing_to_one(row) for row in rows]


def exact(wish: Json) -> Table:
    """Same bytes, or the only tokens of a role."""
    found: Table = []
    for kind, value in wish["student"]:
        same = [t for t, piece in enumerate(wish["teacher"]) if spelled(piece) == spelled((kind, value)) != b""]
        if kind == "special" and value not in {"padding", "unknown"}:
            alone = [t for t, piece in enumerate(wish["teacher"]) if tuple(piece) == (kind, value)]
            ours = [piece for piece in wish["student"] if tuple(piece) == (kind, value)]
            same = alone if len(alone) == len(ours) == 1 else []
        found.append({same[0]: 1.0} if same else {})
    return found


def spelled(piece: Any) -> bytes:
    """Bytes of a text piece."""
    kind, value = piece
    return str(value).encode() if kind == "text" else bytes.fromhex(value) if kind == "hex" else b""


def nearest(row: list[float], wish: Json) -> dict[int, float]:
    """The nearest embeddings."""

    def cosine(other: list[float]) -> float:
        return sum(a * b for a, b in zip(row, other, strict=True)) / (math.hypot(*row) * math.hypot(*other))

    ranked = sorted(((cosine(other), -t) for t, other in enumerate(wish["teacher"])), reverse=True)[: wish["k"]]
    return summing_to_one({-t: math.exp(wish["sharpness"] * value) for value, t in ranked})
