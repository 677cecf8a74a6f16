"""tokenkit's approximate likelihood matching, from the checkout of its project that ``TOKENSPEC_TOKENKIT`` names.

The project is bminixhofer/tokenkit, and jax, flax and optax are installed beside this; its version here is the hash of
the file that answers. What that imports and this loss does not use is a placeholder. It counts chunks by
the teacher's tokens alone, so one of which only the first token of a side is left is *unsupported*; so is a refusal.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns.single_modules import NOT_INSTALLED, checkout_version, folders, placeholder

VARIABLE = "TOKENSPEC_TOKENKIT"
LOSSES = "tokenkit.training.losses"
NEEDED = ("jax", "flax", "optax")
SIDES = {"student": "new", "teacher": "original"}
Json = dict[str, Any]


class TokenkitColumn:
    """The column ``tokenkit``."""

    def info(self) -> dict[str, str]:
        """Who this is; without a checkout every answer is *unsupported*."""
        return {"name": "tokenkit", "version": version(), "language": "python"}

    def align(self, request: Json) -> Json:
        """The loss over likelihoods of chunks."""
        if version() == NOT_INSTALLED:
            raise Unsupported(NOT_INSTALLED)
        if request["task"] != "chunk-loss" or request["data"]["mode"] != "alm":
            raise Unsupported("has a loss over likelihoods of chunks, nothing else")
        return {"values": loss(request["data"])}


@cache
def version() -> str:
    """The first digits of the hash of the file that answers."""
    if not all(importlib.util.find_spec(name) for name in NEEDED):
        return NOT_INSTALLED
    return checkout_version(VARIABLE, f"{LOSSES.replace('.', '/')}.py")


@cache
def losses() -> Any:
    """Its module of losses."""
    import jax.numpy as jnp

    folders(Path(os.environ[VARIABLE]), "tokenkit", "tokenkit.training", "tokenkit.models")
    for name in ("tokenkit.baseline_utils", "tokenkit.models.param"):
        placeholder(name)
    placeholder("tokenkit.utils", get_large_negative_number=lambda dtype: -0.7 * jnp.finfo(dtype).max)
    return importlib.import_module(LOSSES)


def loss(data: Json) -> Json:
    """The loss, and its gradient where that is wanted."""
    import jax
    import jax.numpy as jnp

    options = data["options"]
    reads = options.get("append_boundary", False) or "merge_above" in options
    if options.get("binarization_temperature", 1.0) <= 0 or (reads and not data.get("teacher_boundary")):
        raise Unsupported("damaged options")
    kept = [b for b, counted in enumerate(data["sample_mask"]) if counted]
    if not any(valid_chunks(data, b) for b in kept):
        raise Unsupported("divides by the number of chunks, whatever that is")
    batch: Json = {}
    for side, name in SIDES.items():
        ids = jnp.array([data[f"{side}_ids"][b] for b in kept])
        if not 0 <= int(ids.min()) <= int(ids.max()) < len(data[f"{side}_logits"][0][0]):
            raise Unsupported("damaged ids")
        batch |= {f"input_ids_{name}": ids, f"loss_mask_{name}": jnp.ones(ids.shape, bool)}
    for side, letter in (("student", "a"), ("teacher", "b")):
        batch[f"alignment_matrix_{letter}_unconstrained"] = jnp.array([members(data, side, b) for b in kept])
    modes = [word for word, on in (("merge_by_space_prob", "merge_above" in options), ("append_space", True)) if on]
    told = SimpleNamespace(
        alm_diff_fn=options.get("difference", "binary-ce").replace("-", "_"),
        binarization_temp=options.get("binarization_temperature", 100.0),
        alm_mode="+".join(modes[: len(modes) if options.get("append_boundary") else -1]),
        tokenizer_pair_bias_threshold=options.get("merge_above"),
        distill_chunk_sizes=[1],
        distill_main_path_numerator="chunk_count",
        distill_main_path_denominator="chunk_count",
    )

    def value(student_logits: Any) -> Any:
        given: Json = {"batch": batch, "global_batch": batch, "scalar_report": defaultdict(float)}
        for (side, name), logits in zip(SIDES.items(), (student_logits, teacher), strict=True):
            rows = logits[jnp.array(kept)]
            given[f"{side}_logprobs"] = jax.nn.log_softmax(rows, -1)
            given[f"{side}_probs"] = jax.nn.softmax(rows, -1)
            boundary = jnp.array(data.get(f"{side}_boundary", [0]))
            given[f"space_mask_{'new' if name == 'new' else 'teacher'}"] = (
                jnp.zeros(rows.shape[-1]).at[boundary].set(1.0)
            )
        return losses().compute_alm_loss("unconstrained", told, SimpleNamespace(**given))

    teacher = jnp.array(data["teacher_logits"])
    total, gradient = jax.value_and_grad(value)(jnp.array(data["student_logits"]))
    return {"loss": float(total), **({"gradient": gradient.tolist()} if "gradient" in data.get("want", ()) else {})}


def valid_chunks(data: Json, b: int) -> list[int]:
    """The chunks of a row that are valid and have tokens on both sides."""
    rows = [data[f"{side}_chunk_id"][b] for side in SIDES]
    found = [chunk for chunk, real in enumerate(data["pair_valid"][b]) if real and all(chunk in row for row in rows)]
    if any(chunk not in row[1:] for chunk in found for row in rows):
        raise Unsupported("a chunk of a first token alone")
    return found


def members(data: Json, side: str, b: int) -> list[list[bool]]:
    """Position by chunk, without the chunks that do not count."""
    chunks = valid_chunks(data, b)
    width = max(len(row) for row in data["pair_valid"])
    columns = [*chunks, *([None] * (width - len(chunks)))]
    return [[own == chunk for chunk in columns] for own in data[f"{side}_chunk_id"][b]]
