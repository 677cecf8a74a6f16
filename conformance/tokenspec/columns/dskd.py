"""The authors' dual-space distillation, from the checkout of songmzhang/DSKD that ``TOKENSPEC_DSKD`` names.

Its version here is the hash of the files that answer. The numbers of the case stand in for models.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns.single_modules import NOT_INSTALLED, checkout_version, folders

VARIABLE = "TOKENSPEC_DSKD"
LOSS = "criterions.dual_space_kd_with_cross_model_attention"
FILES = (LOSS, "criterions.various_divergence", "criterions.cross_entropy_loss")
Json = dict[str, Any]


class DskdColumn:
    """The column ``dskd``."""

    def info(self) -> dict[str, str]:
        """Who this is; without a checkout every answer is *unsupported*."""
        return {"name": "dskd", "version": version(), "language": "python"}

    def align(self, request: Json) -> Json:
        """The loss of two spaces."""
        if version() == NOT_INSTALLED:
            raise Unsupported(NOT_INSTALLED)
        if request["task"] != "chunk-loss" or request["data"]["mode"] != "dskd":
            raise Unsupported("has a loss of two spaces, nothing else")
        return {"values": loss(request["data"])}


@cache
def version() -> str:
    """The first digits of the hash of the files that answer."""
    return checkout_version(VARIABLE, *(f"code/{name.replace('.', '/')}.py" for name in FILES))


def loss(data: Json) -> Json:
    """The loss with its parts, and its gradient where that is wanted."""
    import torch

    folders(Path(os.environ[VARIABLE], "code"), "criterions")
    options = {"temperature": 1.0, "teacher_temperature": 1.0, **data["options"]}
    told = SimpleNamespace(
        kd_rate=1.0,
        kd_temperature=options["temperature"],
        teacher_temperature=options["teacher_temperature"],
        kd_objective="forward_kl",
        label_smoothing=0.0,
        only_save_projector=False,
    )
    sides = {side: {name: torch.tensor(value) for name, value in data[side].items()} for side in ("student", "teacher")}
    trained = {name: sides["student"][name].requires_grad_() for name in ("logits", "hidden")}
    layers = {name: layer(torch, **wish) for name, wish in data["projections"].items()}
    distiller = SimpleNamespace(
        **{f"{name}_model": model(side) for name, side in sides.items()}, teacher_model_type="t", projectors=layers
    )
    total, log = (
        importlib.import_module(LOSS)
        .DualSpaceKDWithCMA(told)
        .compute_dual_space_kd_loss_with_cma(
            *(SimpleNamespace(logits=side["logits"], hidden_states=[side["hidden"]]) for side in sides.values()),
            {"input_ids": sides["student"]["labels"], "teacher_t_input_ids": sides["teacher"]["labels"]},
            {"label": sides["student"]["labels"], "teacher_t_label": sides["teacher"]["labels"]},
            distiller,
            {},
        )
    )
    parts = {short: float(log[name].detach()) for short, name in PARTS.items()}
    values: Json = {"loss": float(total.detach()), **parts}
    if "gradient" in data.get("want", ()):
        total.backward()
        learned = {
            name: {part: value.grad.tolist() for part, value in made.named_parameters()}
            for name, made in layers.items()
        }
        student = {name: value.grad.tolist() for name, value in trained.items()}
        values["gradient"] = {"student": student, "projections": learned}
    return values


PARTS = {"ce": "t2s_ce_loss", "t2s": "t2s_kd_loss", "s2t": "s2t_kd_loss"}


def model(side: Json) -> Any:
    """As much of a model as its loss asks for: first the embeddings of inputs, then those of labels, and the head."""
    asked = iter([side["input_embeddings"], side["label_embeddings"]])
    return SimpleNamespace(
        model=SimpleNamespace(embed_tokens=lambda _: next(asked)),
        lm_head=SimpleNamespace(weight=side["head"]),
    )


def layer(torch: Any, weight: list[list[float]], bias: list[float]) -> Any:
    """A linear layer with these numbers."""
    made = torch.nn.Linear(len(weight[0]), len(weight))
    made.load_state_dict({"weight": torch.tensor(weight), "bias": torch.tensor(bias)})
    return made
