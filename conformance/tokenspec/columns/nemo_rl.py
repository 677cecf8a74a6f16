"""NeMo RL's cross-tokenizer losses, from the checkout of NVIDIA-NeMo/RL that ``TOKENSPEC_NEMO_RL`` names.

Its version here is the hash of the files that answer. Chunk averages, projections, exact maps, losses and steps are its
functions as they are; what they import and a single process on a CPU does not use (Ray, Megatron, chat data) is a
placeholder. Its alignment is the oracle of ``nw-compat`` and not asked here.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.aligners.oracle.upstream import VARIABLE
from tokenspec.columns.nemo_rl_steps import step
from tokenspec.columns.single_modules import NOT_INSTALLED, checkout_version, folders, placeholder

LOSSES = "nemo_rl.algorithms.loss.loss_functions"
UTILITIES = "nemo_rl.algorithms.x_token.loss_utils"
FILES = (LOSSES, UTILITIES, "nemo_rl.distributed.model_utils", "nemo_rl.algorithms.utils")
FOLDERS = (
    "nemo_rl",
    "nemo_rl.algorithms",
    "nemo_rl.algorithms.loss",
    "nemo_rl.algorithms.x_token",
    "nemo_rl.data",
    "nemo_rl.distributed",
    "nemo_rl.models",
    "nemo_rl.models.dtensor",
    "nemo_rl.utils",
)
PLACEHOLDERS = {
    "nemo_rl.data.chat_templates": ("COMMON_CHAT_TEMPLATES",),
    "nemo_rl.distributed.batched_data_dict": ("BatchedDataDict",),
    "nemo_rl.models.policy": ("TokenizerConfig",),
    "nemo_rl.utils.fastokens": ("maybe_patch_fastokens",),
    "nemo_rl.utils.logger": ("Logger",),
}


class Placeholder:
    """Stands where nothing is called."""

    def __class_getitem__(cls, item: object) -> type[Placeholder]:
        """As the annotations want it."""
        del item
        return cls


class NemoRlColumn:
    """The column ``nemo-rl``."""

    def info(self) -> dict[str, str]:
        """Who this is; without a checkout every answer is *unsupported*."""
        return {"name": "nemo-rl", "version": version(), "language": "python"}

    def align(self, request: dict[str, Any]) -> dict[str, Any]:
        """The tasks of its losses."""
        if version() == NOT_INSTALLED:
            raise Unsupported(NOT_INSTALLED)
        tasks = {"chunk-average": averages, "projection": projection, "exact-map": exact_map, "loss": loss}
        if request["task"] == "distil":
            try:
                return {"values": step(request["data"], module, written)}
            except ValueError as error:
                raise Rejected("invalid-alignment-input", str(error)) from error
        if request["task"] not in tasks:
            raise Unsupported("its losses are asked here, nothing else")
        try:
            return {"values": tasks[request["task"]](request["data"])}
        except (FileNotFoundError, ValueError) as error:
            raise Rejected("invalid-projection-file", str(error), "/data/file") from error


@cache
def version() -> str:
    """The first digits of the hash of the files that answer."""
    return checkout_version(VARIABLE, *(f"{name.replace('.', '/')}.py" for name in FILES))


@cache
def module(name: str) -> Any:
    """One module of the checkout, without the packages' own ``__init__``."""
    folders(Path(os.environ[VARIABLE]), *FOLDERS)
    placeholder("nemo_rl.models.dtensor.parallelize", to_local_if_dtensor=lambda tensor: tensor)
    for placed, attributes in PLACEHOLDERS.items():
        placeholder(placed, **dict.fromkeys(attributes, Placeholder))
    return importlib.import_module(name)


@contextmanager
def written(file: dict[str, Any]) -> Iterator[str]:
    """The described projection file. Its loader runs what a pickle says, so only files of ours are given to it."""
    import torch

    if file["kind"] == "dense":
        content: Any = {name: torch.tensor(file[name]) for name in ("indices", "likelihoods")}
    elif file["kind"] == "sparse":
        content = {(student, teacher): weight for student, teacher, weight in file["entries"]}
    elif file["kind"] == "missing":
        content = None
    else:
        raise Unsupported("its loader runs what a file says")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "projection.pt"))
        if content is not None:
            torch.save(content, path)
        yield path


def averages(data: dict[str, Any]) -> dict[str, Any]:
    """Means and sizes of chunks."""
    import torch

    means, sizes = module(UTILITIES).chunk_average_log_probs(
        torch.tensor(data["log_probs"], dtype=torch.float64), torch.tensor(data["chunk_id"]), data["max_chunks"]
    )
    return {"means": means.tolist(), "sizes": sizes.tolist()}


def projection(data: dict[str, Any]) -> dict[str, Any]:
    """The matrix of a file."""
    import torch

    sizes = {name: data[name] for name in ("student_vocab_size", "teacher_vocab_size")}
    with written(data["file"]) as path:
        matrix = module(UTILITIES).get_sparse_projection_matrix(path, torch.device("cpu"), **sizes)
    entries = zip(*matrix.indices().tolist(), matrix.values().tolist(), strict=True)
    return {"shape": list(matrix.shape), "entries": [list(entry) for entry in entries]}


def exact_map(data: dict[str, Any]) -> dict[str, Any]:
    """Common and uncommon tokens."""
    import torch

    with written(data["file"]) as path:
        found = module(UTILITIES).build_exact_token_map(
            path, torch.device("cpu"), xtoken_loss=data["xtoken"], teacher_vocab_size=data["teacher_vocab_size"]
        )
    return {name: ids.tolist() for name, ids in found.items()}


def loss(data: dict[str, Any]) -> dict[str, Any]:
    """One loss with its parts, and its gradient where that is wanted."""
    import torch

    shift = module("nemo_rl.distributed.model_utils").cp_shift_next
    student = torch.tensor(data["student_logits"], requires_grad=True)
    teacher = torch.tensor(data["teacher_logits"])
    alignment = SimpleNamespace(
        sample_mask=torch.tensor(data["sample_mask"]),
        student_chunk_id=shift(torch.tensor(data["student_chunk_id"]), None, fill=-1),
        teacher_chunk_id=shift(torch.tensor(data["teacher_chunk_id"]), None, fill=-1),
        pair_valid=torch.tensor(data["pair_valid"]),
        pair_is_correct=torch.tensor(data["pair_is_correct"]),
    )
    options = {"temperature": 1.0, "vocab_topk": 8192, "uncommon_topk": 8192, "reverse_kl": False}
    options |= {"exact_token_match_only": False, **data["options"]}
    own = SimpleNamespace(**options, student_vocab_size=len(data["student_logits"][0][0]))
    losses, mode = module(LOSSES).CrossTokenizerDistillationLossFn, data["mode"]
    with written(data["file"]) as path:
        told = {"projection_matrix_path": path, "teacher_vocab_size": data["teacher_vocab_size"]}
        if mode == "p-kl":
            total, valid, _ = losses._compute_p_kl(own, student, teacher, alignment, **told)  # noqa: SLF001
            parts = {"kl": float(total.detach()) / options["temperature"] ** 2, "l1": 0.0}
        else:
            told["xtoken_loss"] = mode == "xtoken"
            total, common, rest, valid, _ = losses._compute_gold(own, student, teacher, alignment, **told)  # noqa: SLF001
            parts = {"kl": float(common), "l1": float(rest)}
    values: dict[str, Any] = {"loss": float(total.detach()), **parts, "valid_chunks": float(valid)}
    if "gradient" in data.get("want", ()):
        if total.requires_grad:
            total.backward()
        values["gradient"] = (torch.zeros_like(student) if student.grad is None else student.grad).tolist()
    return values
