"""The oracle of a step with several teachers: sums written out over plain lists in double precision."""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.aligners.oracle import losses
from tokenspec.areas.aligners.oracle.losses import LOSS_OPTIONS, LossRefused, Rows, divergence, log_softmax

STEP_OPTIONS = {"mode", "teacher_mode", "sum_weights_metric", "alpha", "normalize_teacher_by_vocab"}
STEP_OPTIONS |= {"kl_loss_weight", "ce_loss_scale", "dynamic_loss_scaling"}
Json = dict[str, Any]


def loss(data: Json, scale: float | None = None) -> Json:
    """Everything a step answers. ``scale``: the factor of dynamic scaling, where it is held still."""
    options, teachers = data["options"], data["teachers"]
    losses.refuse_options(options, LOSS_OPTIONS | STEP_OPTIONS)
    refuse(options, teachers)
    if any(teacher["vocab_size"] < 1 for teacher in teachers):
        raise LossRefused("a teacher without a vocabulary")
    refuse_shapes(data)
    mode = options.get("teacher_mode", "sum")
    selected = None
    if mode == "select_teacher":
        scores = [score(data, teacher, "ce") for teacher in teachers]
        selected = scores.index(max(scores))
        terms, weights = [of_teacher(data, teachers[selected])], [1.0]
    elif mode == "averaged_logits":
        terms, weights = averaged(data)
    else:
        terms, weights = summed(data)
    kd = sum(term * weight for term, weight in zip(terms, weights, strict=True))
    labels = next_tokens_of(data)
    shares = [data["sample_mask"][b] for b, _, _ in labels]
    count = sum(shares) + data.get("elsewhere", 0) or 1
    rows = [data["student_logits"][b][t] for b, t, _ in labels]
    given = list(zip(shares, rows, labels, strict=True))
    ce = sum(-share * log_softmax(row)[label] for share, row, (_, _, label) in given) / count
    hits = [share * (row.index(max(row)) == label) for share, row, (_, _, label) in given]
    if options.get("dynamic_loss_scaling"):
        factor = scale if scale is not None else (abs(ce) / abs(kd) if kd else 1.0)
        total = factor * kd + ce
    else:
        factor = 1.0
        total = options.get("kl_loss_weight", 1.0) * kd + options.get("ce_loss_scale", 1.0) * ce
    found = {"loss": total, "kd": kd, "ce": ce, "kd_scale": factor, "accuracy": sum(hits) / count}
    found |= {"teacher_losses": terms, "weights": weights}
    return found if selected is None else {**found, "selected": selected}


def gradient(data: Json) -> list[Rows]:
    """The derivatives of the loss with respect to every student logit; the factor of dynamic scaling is a constant."""
    held = loss(data)["kd_scale"]
    return losses.derivatives(data, lambda changed: float(loss(changed, held)["loss"]))


def refuse(options: Json, teachers: list[Json]) -> None:
    """What no step can be made of."""
    mode, metric = options.get("teacher_mode", "sum"), options.get("sum_weights_metric")
    if not teachers or mode not in {"sum", "averaged_logits", "select_teacher"}:
        raise LossRefused("teachers")
    if options.get("mode", "p-kl") not in {"p-kl", "gold", "xtoken"}:
        raise LossRefused("mode")
    if metric not in {None, "ce", "entropy", "max_prob"}:
        raise LossRefused("metric")
    if mode != "sum" and (metric or options.get("normalize_teacher_by_vocab")):
        raise LossRefused("read where teachers are added")
    if options.get("normalize_teacher_by_vocab") and min(teacher["vocab_size"] for teacher in teachers) == 1:
        raise LossRefused("a vocabulary of one token")
    if mode == "averaged_logits" and sum(teacher.get("weight", 1.0) for teacher in teachers) == 0:
        raise LossRefused("weights")


def refuse_shapes(data: Json) -> None:
    """Ids and masks that are not those of their logits."""
    lengths = [len(row) for row in data["input_ids"]]
    if any([len(row) for row in data[name]] != lengths for name in ("student_logits", "token_mask")):
        raise LossRefused("lengths")
    if len(data["sample_mask"]) != len(lengths):
        raise LossRefused("sample mask")
    if any(token >= len(data["student_logits"][0][0]) for _, _, token in next_tokens_of(data)):
        raise LossRefused("ids")
    for teacher in data["teachers"]:
        if "file" not in teacher and [len(row) for row in teacher["logits"]] != lengths:
            raise LossRefused("a teacher of other tokens")


def next_tokens_of(data: Json) -> list[tuple[int, int, int]]:
    """Those of the student."""
    return next_tokens(data["input_ids"], data["token_mask"], data["sample_mask"])


def next_tokens(ids: list[list[int]], mask: list[list[int]], samples: list[int]) -> list[tuple[int, int, int]]:
    """Row, position and the token behind it, where that is real."""
    return [
        (b, t, ids[b][t + 1]) for b in range(len(ids)) for t in range(len(ids[b]) - 1) if samples[b] and mask[b][t + 1]
    ]


def common(data: Json) -> Json:
    """The options of a single loss."""
    return {name: value for name, value in data["options"].items() if name in LOSS_OPTIONS}


def of_teacher(data: Json, teacher: Json, *, own: bool = False) -> float:
    """The loss of one teacher, over the counts of all ranks."""
    elsewhere = data.get("elsewhere", 0)
    if "file" not in teacher:
        logits = [[row[: teacher["vocab_size"]] for row in rows] for rows in teacher["logits"]]
        width = min(len(logits[0][0]), len(data["student_logits"][0][0]))
        peak = [max(row[v] for rows in logits for row in rows) for v in range(width)]
        best = sorted(range(width), key=lambda v: (-peak[v], v))[: common(data).get("vocab_topk", 8192)]
        return direct(data, logits, sorted(best))
    request = {
        **{name: teacher[name] for name in ALIGNMENT},
        "mode": (teacher.get("mode") if own else None) or data["options"].get("mode", "p-kl"),
        "file": teacher["file"],
        "student_logits": data["student_logits"],
        "teacher_logits": teacher["logits"],
        "teacher_vocab_size": teacher["vocab_size"],
        "sample_mask": data["sample_mask"],
        "options": common(data),
    }
    found = losses.loss(request)
    here = found["valid_chunks"]
    return float(found["loss"] * max(1, here) / max(1, here + elsewhere))


ALIGNMENT = ("student_chunk_id", "teacher_chunk_id", "pair_valid", "pair_is_correct")


def direct(data: Json, logits: list[Rows], columns: list[int]) -> float:
    """The mean divergence at next tokens over these columns."""
    temperature = float(common(data).get("temperature", 1.0))
    total = 0.0
    labels = next_tokens_of(data)
    for b, t, _ in labels:
        sides = [
            log_softmax([side[b][t][v] / temperature for v in columns]) for side in (data["student_logits"], logits)
        ]
        total += data["sample_mask"][b] * divergence(*sides, reverse=common(data).get("reverse_kl", False))
    count = sum(data["sample_mask"][b] for b, _, _ in labels) + data.get("elsewhere", 0) or 1
    return total / count * temperature**2


def score(data: Json, teacher: Json, metric: str) -> float:
    """How far a teacher is trusted."""
    own = teacher if "file" in teacher else data
    ids, mask = own["input_ids"], own["token_mask"]
    if not [len(row) for row in ids] == [len(row) for row in mask] == [len(row) for row in teacher["logits"]]:
        raise LossRefused("a teacher's own tokens")
    if metric == "ce":
        labels = next_tokens(ids, mask, data["sample_mask"])
        if any(label >= len(teacher["logits"][0][0]) for _, _, label in labels):
            raise LossRefused("a teacher's own ids")
        shares: list[float] = [data["sample_mask"][b] for b, _, _ in labels]
        found = [log_softmax(teacher["logits"][b][t])[label] for b, t, label in labels]
        return _mean(shares, found)
    places = [(b, t) for b in range(len(ids)) for t in range(len(ids[b])) if mask[b][t] and data["sample_mask"][b]]
    rows = [log_softmax(teacher["logits"][b][t]) for b, t in places]
    shares = [data["sample_mask"][b] for b, _ in places]
    if metric == "entropy":
        return _mean(shares, [sum(math.exp(value) * value for value in row) for row in rows])
    return _mean(shares, [math.exp(max(row)) for row in rows])


def _mean(shares: list[float], values: list[float]) -> float:
    """The mean by shares; 0 where there is nothing."""
    return sum(share * value for share, value in zip(shares, values, strict=True)) / (sum(shares) or 1)


def summed(data: Json) -> tuple[list[float], list[float]]:
    """Losses and weights where teachers are added."""
    options, teachers = data["options"], data["teachers"]
    least = math.log(min(teacher["vocab_size"] for teacher in teachers))
    scales = [1.0] * len(teachers)
    if options.get("normalize_teacher_by_vocab"):
        scales = [math.log(teacher["vocab_size"]) / least for teacher in teachers]
    weights = [float(teacher.get("weight", 1.0)) for teacher in teachers]
    metric = options.get("sum_weights_metric")
    if metric:
        sharp = options.get("alpha", 1.0)
        raised = [
            math.exp(sharp * score(data, teacher, metric) * scale)
            for teacher, scale in zip(teachers, scales, strict=True)
        ]
        weights = [value / sum(raised) for value in raised]
    terms = [of_teacher(data, teacher, own=True) * scale for teacher, scale in zip(teachers, scales, strict=True)]
    return terms, weights


def averaged(data: Json) -> tuple[list[float], list[float]]:
    """One teacher of several, or their sum."""
    teachers = data["teachers"]
    weights = [float(teacher.get("weight", 1.0)) for teacher in teachers]
    widths = {(len(teacher["logits"][0]), len(teacher["logits"][0][0])) for teacher in teachers}
    if len(widths) > 1 or any("file" in teacher for teacher in teachers):
        return [of_teacher(data, teacher) for teacher in teachers], weights
    columns = list(range(len(data["student_logits"][0][0])))
    if any(width < len(columns) for _, width in widths):
        raise LossRefused("teachers of too few columns")
    together = [
        [
            [
                sum(teacher["logits"][b][t][v] * weight for teacher, weight in zip(teachers, weights, strict=True))
                / sum(weights)
                for v in columns
            ]
            for t in range(len(rows))
        ]
        for b, rows in enumerate(teachers[0]["logits"])
    ]
    return [direct(data, together, columns)], [1.0]
