"""The oracle of the loss tasks: sums written out over plain lists in double precision."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection
from typing import Any

Rows = list[list[float]]
LARGEST = (2 - 2**-23) * 2.0**127  # float32
TINY = 1e-10
STEP = 1e-5


class FileRefused(Exception):
    """A projection file that must be refused."""


class LossRefused(Exception):
    """Numbers that no loss can be made of (ALN-060)."""


LOSS_OPTIONS = {"temperature", "vocab_topk", "uncommon_topk", "reverse_kl", "exact_token_match_only"}


def refuse_options(options: dict[str, Any], known: Collection[str]) -> None:
    """Options that a loss does not have."""
    if any(name not in known for name in options):
        raise LossRefused("an unknown option")


def refuse_chunk_ids(chunk_id: list[list[int]], chunks: int) -> None:
    """Ids of no chunk."""
    if any(not -1 <= chunk < chunks for row in chunk_id for chunk in row):
        raise LossRefused("chunk ids")


def refuse_pairs(data: dict[str, Any]) -> None:
    """Pairs that are not those of the chunk ids."""
    widths = [[len(row) for row in data[name]] for name in ("pair_valid", "pair_is_correct")]
    if widths[0] != widths[1] or len(set(widths[0])) > 1:
        raise LossRefused("pairs")
    for name in ("student_chunk_id", "teacher_chunk_id"):
        if len(data[name]) != len(widths[0]):
            raise LossRefused("rows")
        refuse_chunk_ids(data[name], widths[0][0])


def chunk_average(log_probs: list[Rows], chunk_id: list[list[int]], max_chunks: int) -> dict[str, Any]:
    """Means and sizes per chunk."""
    refuse_chunk_ids(chunk_id, max_chunks)
    means, sizes = [], []
    for rows, ids in zip(log_probs, chunk_id, strict=True):
        members = [[row for row, own in zip(rows, ids, strict=True) if own == chunk] for chunk in range(max_chunks)]
        width = len(rows[0])
        means.append([[sum(row[v] for row in group) / (len(group) + TINY) for v in range(width)] for group in members])
        sizes.append([float(len(group)) for group in members])
    return {"means": means, "sizes": sizes}


def entries(file: dict[str, Any]) -> list[tuple[int, int, float]]:
    """All (student, teacher, weight) of a projection file, sentinels included."""
    if file["kind"] == "dense":
        indices, weights = file["indices"], file["likelihoods"]
        if not all(isinstance(row, list) for row in (*indices, *weights)):
            raise FileRefused("no table")
        if [len(row) for row in indices] != [len(row) for row in weights]:
            raise FileRefused("shapes")
        if any(not isinstance(t, int) or t < -1 for row in indices for t in row):
            raise FileRefused("indices")
        if any(abs(weight) > LARGEST for row in weights for weight in row):
            raise FileRefused("weights that are no finite float32")
        return [
            (s, t, w)
            for s, (row, values) in enumerate(zip(indices, weights, strict=True))
            for t, w in zip(row, values, strict=True)
        ]
    if file["kind"] == "sparse":
        if any(not isinstance(s, int) or s < 0 for s, _, _ in file["entries"]):
            raise FileRefused("student id")
        if not all(isinstance(weight, int | float) for _, _, weight in file["entries"]):
            raise FileRefused("weights that are no numbers")
        return [(s, t, w) for s, t, w in file["entries"]]
    raise FileRefused(file["kind"])


def projection(file: dict[str, Any], student_vocab_size: int, teacher_vocab_size: int) -> dict[str, Any]:
    """The matrix as sorted entries with its shape."""
    summed: dict[tuple[int, int], float] = {}
    for s, t, w in entries(file):
        if t >= 0:
            summed[s, t] = summed.get((s, t), 0.0) + w
    shape = [
        max([student_vocab_size, *(s + 1 for s, _ in summed)]),
        max([teacher_vocab_size, *(t + 1 for _, t in summed)]),
    ]
    return {"shape": shape, "entries": [[s, t, w] for (s, t), w in sorted(summed.items())]}


def exact_map(file: dict[str, Any], teacher_vocab_size: int, *, xtoken: bool) -> dict[str, list[int]]:
    """Who owns which teacher token."""
    if file["kind"] != "dense":
        raise FileRefused("the exact map needs the dense form")
    entries(file)
    if any(len(row) < 2 for row in file["indices"]):
        raise FileRefused("the exact map needs a second column")
    owner: dict[int, tuple[float, int]] = {}
    for s, (row, weights) in enumerate(zip(file["indices"], file["likelihoods"], strict=True)):
        top = max(weights)
        t = row[weights.index(top)]
        fits = top >= 0.6 if xtoken else top == 1.0 and row[1] == -1
        if not fits or not 0 <= t < teacher_vocab_size:
            continue
        claim = (-top if xtoken else 0.0, s)
        owner[t] = min(owner.get(t, claim), claim)
    common = sorted((s, t) for t, (_, s) in owner.items())
    students, teachers = [s for s, _ in common], [t for _, t in common]
    return {
        "common_student": students,
        "common_teacher": teachers,
        "uncommon_student": [s for s in range(len(file["indices"])) if s not in students],
        "uncommon_teacher": [t for t in range(teacher_vocab_size) if t not in teachers],
    }


def loss(data: dict[str, Any]) -> dict[str, float]:
    """One of the three losses; every valid chunk is compared on its own."""
    options = data["options"]
    refuse_options(options, LOSS_OPTIONS)
    temperature = options.get("temperature", 1.0)
    if temperature <= 0 or min(options.get("vocab_topk", 1), options.get("uncommon_topk", 1)) < 1:
        raise LossRefused("options")
    lengths = [[len(row) for row in data[name]] for name in ("student_logits", "teacher_logits")]
    ids = [[len(row) for row in data[name]] for name in ("student_chunk_id", "teacher_chunk_id")]
    student_tokens = 1 + max((s for s, _, _ in entries(data["file"])), default=-1)
    if lengths != ids or len(data["sample_mask"]) != len(lengths[0]):
        raise LossRefused("lengths")
    if len(data["student_logits"][0][0]) < student_tokens:
        raise LossRefused("columns")
    if data["teacher_vocab_size"] < 1:
        raise LossRefused("a teacher without a vocabulary")
    refuse_pairs(data)
    data = {**data, "teacher_vocab_size": min(data["teacher_vocab_size"], len(data["teacher_logits"][0][0]))}
    student = [[scaled(row, temperature) for row in rows] for rows in data["student_logits"]]
    teacher = [
        [scaled(row[: data["teacher_vocab_size"]], temperature) for row in rows] for rows in data["teacher_logits"]
    ]
    terms = []
    for b in range(len(student)):
        if not data["sample_mask"][b]:
            continue
        for chunk, valid in enumerate(data["pair_valid"][b]):
            s_rows = predicting(student[b], data["student_chunk_id"][b], chunk)
            t_rows = predicting(teacher[b], data["teacher_chunk_id"][b], chunk)
            wanted = data["pair_is_correct"][b][chunk] or not options.get("exact_token_match_only", False)
            if valid and s_rows and t_rows and (wanted or data["mode"] != "p-kl"):
                if data["mode"] == "p-kl":
                    kl, l1 = projected(data, teacher, s_rows, t_rows)
                    terms.append((kl * data["sample_mask"][b], l1))
                else:
                    terms.append(gold(data, s_rows, t_rows))
    count = max(1, len(terms))
    kl, l1 = sum(term[0] for term in terms) / count, sum(term[1] for term in terms) / count
    return {"loss": (kl + l1) * temperature**2, "kl": kl, "l1": l1, "valid_chunks": float(len(terms))}


def gradient(data: dict[str, Any]) -> list[Rows]:
    """The derivatives of the loss with respect to every student logit."""
    return derivatives(data, lambda changed: loss(changed)["loss"])


def derivatives(data: dict[str, Any], value: Callable[[dict[str, Any]], float]) -> list[Rows]:
    """The derivatives of a number with respect to every student logit, by central differences."""

    def at(b: int, t: int, v: int, shift: float) -> float:
        logits = copy.deepcopy(data["student_logits"])
        logits[b][t][v] += shift
        return value({**data, "student_logits": logits})

    return [
        [
            [round((at(b, t, v, STEP) - at(b, t, v, -STEP)) / (2 * STEP), 9) for v in range(len(row))]
            for t, row in enumerate(rows)
        ]
        for b, rows in enumerate(data["student_logits"])
    ]


def scaled(row: list[float], temperature: float) -> list[float]:
    """Logits over temperature."""
    return [value / temperature for value in row]


def predicting(rows: Rows, ids: list[int], chunk: int) -> Rows:
    """Rows whose next token is in the chunk."""
    return [rows[t] for t in range(len(rows) - 1) if ids[t + 1] == chunk]


def log_softmax(row: list[float]) -> list[float]:
    """Log-probabilities."""
    top = max(row)
    total = top + math.log(sum(math.exp(value - top) for value in row))
    return [value - total for value in row]


def mean(rows: Rows) -> list[float]:
    """Column means, with the chapter's small number."""
    return [sum(column) / (len(rows) + TINY) for column in zip(*rows, strict=True)]


def divergence(student: list[float], teacher: list[float], *, reverse: bool) -> float:
    """Sum of p (log p - log q)."""
    p, q = (student, teacher) if reverse else (teacher, student)
    return sum(math.exp(a) * (a - b) for a, b in zip(p, q, strict=True))


def projected(data: dict[str, Any], teacher: list[Rows], s_rows: Rows, t_rows: Rows) -> tuple[float, float]:
    """P-KL of one chunk."""
    k = min(data["options"].get("vocab_topk", 8192), data["teacher_vocab_size"])
    peak = [max(row[v] for rows in teacher for row in rows) for v in range(data["teacher_vocab_size"])]
    columns = sorted(sorted(range(len(peak)), key=lambda v: -peak[v])[:k])
    matrix = projection(data["file"], len(s_rows[0]), data["teacher_vocab_size"])["entries"]
    moved = []
    for row in s_rows:
        probabilities = [math.exp(value) for value in log_softmax(row)]
        moved.append([sum(probabilities[s] * w for s, t, w in matrix if t == v) for v in columns])
    average = mean(moved)
    student = [math.log(value / (sum(average) + TINY) + TINY) for value in average]
    target = mean([log_softmax([row[v] for v in columns]) for row in t_rows])
    return divergence(student, target, reverse=data["options"].get("reverse_kl", False)), 0.0


def gold(data: dict[str, Any], s_rows: Rows, t_rows: Rows) -> tuple[float, float]:
    """KL over common tokens and L1 over the sorted rest of one chunk."""
    found = exact_map(data["file"], data["teacher_vocab_size"], xtoken=data["mode"] == "xtoken")
    student, teacher = mean([log_softmax(row) for row in s_rows]), mean([log_softmax(row) for row in t_rows])
    kl = divergence(
        [student[s] for s in found["common_student"]],
        [teacher[t] for t in found["common_teacher"]],
        reverse=data["options"].get("reverse_kl", False),
    )
    rest = [
        sorted((math.exp(side[v]) for v in found[name]), reverse=True)[: data["options"].get("uncommon_topk", 8192)]
        for side, name in ((student, "uncommon_student"), (teacher, "uncommon_teacher"))
    ]
    return kl, sum(abs(a - b) for a, b in zip(*rest, strict=False))
