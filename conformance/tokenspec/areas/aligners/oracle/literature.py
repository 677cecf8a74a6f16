"""The oracle of the chunk losses of the literature: sums written out over plain lists in double precision."""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.aligners.oracle import dual_space, losses
from tokenspec.areas.aligners.oracle.losses import LossRefused, log_softmax, scaled

Json = dict[str, Any]
Chunk = tuple[list[int], list[int]]
OF_ULD = {"student_temperature", "teacher_temperature", "merge", "beta", "matched_weight", "unmatched_weight"}
OPTIONS = {
    "uld": OF_ULD,
    "uld-hybrid": OF_ULD,
    "alm": {"difference", "binarization_temperature", "append_boundary", "merge_above"},
    "dskd": {"temperature", "teacher_temperature"},
}
SMALLEST = 1e-8
LEAST = -3.4028234e38
"""Single precision has no number below: what is less probable is impossible."""


def loss(data: Json) -> Json:
    """What the mode of the case answers."""
    if data["mode"] not in OPTIONS:
        raise LossRefused("mode")
    losses.refuse_options(data["options"], OPTIONS[data["mode"]])
    if data["mode"] == "dskd":
        return dual_space.loss(data)
    refuse(data)
    return alm(data) if data["mode"] == "alm" else uld(data)


def gradient(data: Json) -> Any:
    """The derivatives of the loss with respect to what is trained."""
    if data["mode"] == "dskd":
        return dual_space.gradient(data)
    return losses.derivatives(data, lambda changed: float(loss(changed)["loss"]))


def refuse(data: Json) -> None:
    """What no loss over written tokens can be made of."""
    options = data["options"]
    positive = ("student_temperature", "teacher_temperature", "binarization_temperature")
    if any(options.get(name, 1.0) <= 0 for name in positive) or not 0 <= options.get("beta", 0.5) <= 1:
        raise LossRefused("options")
    if ("matched_weight" in options) != ("unmatched_weight" in options):
        raise LossRefused("weights")
    known = {"merge": {"observed", "bayesian"}, "difference": {"binary-ce", "abs"}}
    for name, choices in known.items():
        if name in options and options[name] not in choices:
            raise LossRefused(name)
    for side in ("student", "teacher"):
        logits, ids, chunks = (data[f"{side}_{name}"] for name in ("logits", "ids", "chunk_id"))
        if not [len(row) for row in logits] == [len(row) for row in chunks] == [len(row) for row in ids]:
            raise LossRefused("lengths")
        if any(
            not 0 <= token < len(logits[0][0])
            for row, own in zip(ids, chunks, strict=False)
            for token, chunk in zip(row, own, strict=False)
            if chunk >= 0
        ):
            raise LossRefused("ids")
        reads = options.get("append_boundary") or "merge_above" in options
        begin = data.get(f"{side}_boundary", [])
        if reads and not (begin and all(0 <= token < len(logits[0][0]) for token in begin)):
            raise LossRefused("boundary")
    losses.refuse_pairs(data)


def uld(data: Json) -> Json:
    """The parts of the loss, and how many chunks counted."""
    bayesian = data["options"].get("merge") == "bayesian"
    rows = [b for b, kept in enumerate(data["sample_mask"]) if kept]
    parts, count = [0.0, 0.0], 0
    for b in rows:
        chunks = [
            chunk
            for chunk in valid_chunks(data, b, shifted=bayesian)
            if not (bayesian and (chunk[0][0] == 0 or chunk[1][0] == 0))
        ]
        count += len(chunks)
        for chunk in chunks:
            sides = [distribution(data, name, b, at) for name, at in zip(("student", "teacher"), chunk, strict=True)]
            for place, value in enumerate(compared(data, *sides)):
                parts[place] += value / len(chunks) / len(rows)
    return {"loss": sum(parts), "matched": parts[0], "unmatched": parts[1], "valid_chunks": float(count)}


def valid_chunks(data: Json, b: int, *, shifted: bool) -> list[Chunk]:
    """The tokens of each valid chunk of a row, on both sides; ``shifted``: logits must stand before one of them."""
    found = []
    for chunk, valid in enumerate(data["pair_valid"][b]):
        sides = [
            [t for t, own in enumerate(data[f"{name}_chunk_id"][b]) if own == chunk] for name in ("student", "teacher")
        ]
        if valid and data["sample_mask"][b] and all(any(t > 0 or not shifted for t in side) for side in sides):
            found.append((sides[0], sides[1]))
    return found


def distribution(data: Json, name: str, b: int, tokens: list[int]) -> list[float]:
    """One token's distribution times the probabilities of the others."""
    options = data["options"]
    bayesian = options.get("merge") == "bayesian"
    temperature = options.get(f"{name}_temperature", 1.0)
    rows = [data[f"{name}_logits"][b][t - bayesian] for t in tokens]
    chances = [[math.exp(value) for value in log_softmax(scaled(row, temperature))] for row in rows]
    base = len(tokens) - 1 if bayesian else 0
    factor = 1.0
    for place, t in enumerate(tokens):
        if place != base:
            factor *= max(SMALLEST, chances[place][data[f"{name}_ids"][b][t]])
    return [value * factor for value in chances[base]]


def compared(data: Json, student: list[float], teacher: list[float]) -> tuple[float, float]:
    """What common columns and what others have in the loss of a chunk."""
    if data["mode"] == "uld":
        return 0.0, distance(student, teacher)
    options = data["options"]
    common = losses.exact_map(data["file"], len(teacher), xtoken=False)
    ours, theirs = common["common_student"], common["common_teacher"]
    if max(ours, default=-1) >= len(student):
        raise LossRefused("columns of common tokens")
    matched = sum(
        generalised(max(SMALLEST, student[s]), max(SMALLEST, teacher[t]), options.get("beta", 0.5))
        for s, t in zip(ours, theirs, strict=True)
    )
    rest = [
        [value for v, value in enumerate(side) if v not in known]
        for side, known in ((student, ours), (teacher, theirs))
    ]
    unmatched = distance(*rest) if all(rest) else 0.0
    share = len(theirs) / len(teacher)
    weights = options.get("matched_weight", share), options.get("unmatched_weight", 1.0 - share)
    return matched * weights[0], unmatched * weights[1]


def distance(student: list[float], teacher: list[float]) -> float:
    """Of both in descending order."""
    longest = max(len(student), len(teacher))
    ours, theirs = (sorted(side, reverse=True) + [0.0] * (longest - len(side)) for side in (student, teacher))
    return sum(abs(a - b) for a, b in zip(ours, theirs, strict=True))


def generalised(q: float, p: float, beta: float) -> float:
    """One term of the divergence, student's q and teacher's p."""
    if beta == 0:
        return p * math.log(p / q)
    if beta == 1:
        return q * math.log(q / p)
    middle = beta * p + (1 - beta) * q
    return beta * p * math.log(p / middle) + (1 - beta) * q * math.log(q / middle)


def alm(data: Json) -> Json:
    """The loss, and how many chunks counted."""
    options, terms = data["options"], []
    for b in range(len(data["student_logits"])):
        for chunk in joined(data, b, valid_chunks(data, b, shifted=True)):
            s, t = (chance(data, name, b, at) for name, at in zip(("student", "teacher"), chunk, strict=True))
            if options.get("difference") == "abs":
                terms.append(abs(t - s) if t >= LEAST else 0.0)
                continue
            s, t = (value / options.get("binarization_temperature", 100.0) - 1e-6 for value in (s, t))
            terms.append(-(math.exp(t) * s + (1 - math.exp(t)) * math.log(1 - math.exp(s))))
    return {"loss": sum(terms) / max(1, len(terms)), "valid_chunks": float(len(terms))}


def joined(data: Json, b: int, chunks: list[Chunk]) -> list[Chunk]:
    """Chunks that end where the teacher ends a word."""
    above = data["options"].get("merge_above")
    if above is None:
        return chunks
    found: list[Chunk] = []
    closed = True
    for student, teacher in chunks:
        if not closed:
            student, teacher = found[-1][0] + student, found.pop()[1] + teacher  # noqa: PLW2901 - the joined chunk
        found.append((student, teacher))
        closed = math.exp(behind(data, "teacher", b, teacher[-1])) > above
    return found


def chance(data: Json, name: str, b: int, tokens: list[int]) -> float:
    """The log-probability of a chunk."""
    rows, ids = data[f"{name}_logits"][b], data[f"{name}_ids"][b]
    total: float = min(0.0, sum(log_softmax(rows[t - 1])[ids[t]] for t in tokens if t > 0))
    return total + (behind(data, name, b, tokens[-1]) if data["options"].get("append_boundary") else 0.0)


def behind(data: Json, name: str, b: int, t: int) -> float:
    """The log-probability that a word begins behind a token."""
    row = log_softmax(data[f"{name}_logits"][b][t])
    return min(0.0, math.log(sum(math.exp(row[v]) for v in data[f"{name}_boundary"])))
