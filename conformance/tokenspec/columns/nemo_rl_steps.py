"""Whole steps of NeMo RL's cross-tokenizer loss, on one process: what its trainer would prepare is prepared here."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from tokenspec.adapters import Unsupported

Json = dict[str, Any]
DEFAULTS = {
    "temperature": 1.0,
    "vocab_topk": 8192,
    "uncommon_topk": 8192,
    "reverse_kl": False,
    "exact_token_match_only": False,
    "kl_loss_weight": 1.0,
    "ce_loss_scale": 1.0,
    "dynamic_loss_scaling": False,
    "normalize_teacher_by_vocab": False,
    "alpha": 1.0,
    "sum_weights_metric": None,
}


def step(data: Json, module: Callable[[str], Any], written: Callable[[Json], Any]) -> Json:
    """All that a step answers. ``module`` imports a module of the checkout, ``written`` makes a projection file."""
    import torch

    teachers, options = data["teachers"], {**DEFAULTS, **data["options"]}
    if data.get("elsewhere") and any("file" in teacher for teacher in teachers):
        raise Unsupported("counts the chunks of other ranks through a process group")
    if not teachers:
        raise Unsupported("its trainer has a teacher")
    shift = module("nemo_rl.distributed.model_utils").cp_shift_next
    student = torch.tensor(data["student_logits"], requires_grad=True)
    ids, mask, samples = (torch.tensor(data[name]) for name in ("input_ids", "token_mask", "sample_mask"))
    batch: Json = {"input_ids": ids, "token_mask": mask, "sample_mask": samples}
    aligned = {}
    for index, teacher in enumerate(teachers):
        own = {}
        if "file" in teacher:
            batch |= {f"teacher_{index}_{name}": torch.tensor(teacher[name]) for name in ("input_ids", "token_mask")}
            own = {name: shift(torch.tensor(teacher[name]), None, fill=-1) for name in CHUNKS}
            own |= {name: torch.tensor(teacher[name]) for name in ("pair_valid", "pair_is_correct")}
        aligned[index] = module("nemo_rl.algorithms.x_token.loss_utils").LocalizedAlignment(
            sample_mask=samples, student_input_ids=ids, student_token_mask=mask, **own
        )
    logits = {index: torch.tensor(teacher["logits"]) for index, teacher in enumerate(teachers)}
    labels = torch.tensor(float((mask[:, 1:].bool() & samples.bool()[:, None]).sum()) + data.get("elsewhere", 0))
    with ExitStack() as stack:
        files = [stack.enter_context(written(given["file"])) if "file" in given else None for given in teachers]
        told = configuration(data, options, files)
        made = module("nemo_rl.algorithms.loss.loss_functions").CrossTokenizerDistillationLossFn(told)
        total, metrics = made(batch, samples.sum(), labels, student, student, logits, aligned)
    values = answered(data, options, metrics)
    if "gradient" in data.get("want", ()):
        total.backward()
        values["gradient"] = student.grad.tolist()
    return values


CHUNKS = ("student_chunk_id", "teacher_chunk_id")


def flags(mode: str | None) -> tuple[bool | None, bool | None]:
    """Its two switches for a loss; without one, those of the step."""
    return (None, None) if mode is None else (mode != "p-kl", mode == "xtoken")


def configuration(data: Json, options: Json, files: list[str | None]) -> Json:
    """As its set-up would write it."""
    teachers = data["teachers"]
    gold, xtoken = flags(options.get("mode", "p-kl"))
    own = [flags(teacher.get("mode")) for teacher in teachers]
    return {
        **{name: options[name] for name in DEFAULTS},
        "gold_loss": gold,
        "xtoken_loss": xtoken,
        "kd_loss_mode": options.get("teacher_mode", "sum"),
        "student_vocab_size": len(data["student_logits"][0][0]),
        "teacher_vocab_sizes": [teacher["vocab_size"] for teacher in teachers],
        "projection_matrix_paths": files,
        "teacher_weights": [teacher.get("weight", 1.0) for teacher in teachers],
        "teacher_gold_loss": [one for one, _ in own],
        "teacher_xtoken_loss": [one for _, one in own],
    }


def answered(data: Json, options: Json, metrics: Json) -> Json:
    """Its metrics by the names of the chapter; its teachers' losses are those before the scale of their vocabulary."""
    names = {"loss": "loss", "kd": "kl_loss", "ce": "ce_loss", "kd_scale": "kl_loss_scale", "accuracy": "accuracy"}
    values: Json = {name: metrics[own] for name, own in names.items()}
    sizes = [math.log(teacher["vocab_size"]) for teacher in data["teachers"]]
    scaled = options["normalize_teacher_by_vocab"]
    if "selected_teacher" in metrics:
        selected = metrics["selected_teacher"]
        return {**values, "selected": selected, "teacher_losses": [metrics[f"kl_loss_t{selected}"]], "weights": [1.0]}
    if "weight_t0" not in metrics:
        return {**values, "teacher_losses": [metrics["kl_loss"]], "weights": [1.0]}
    values["weights"] = [metrics[f"weight_t{index}"] for index in range(len(sizes))]
    values["teacher_losses"] = [
        metrics[f"kl_loss_t{index}"] * (size / min(sizes) if scaled else 1.0) for index, size in enumerate(sizes)
    ]
    return values
