"""The twin of ``ChunkSession``: the model as it comes, one call per token, full logits, the cache really cut.

Nothing here is clever on purpose; the fast session is tested against it.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.causal_model import (
    INPUT_STREAM,
    OUTPUT_STREAM,
    CausalModel,
    FullRows,
    check_positions,
    evaluating,
)
from tokenspec_reference.engines.separators import separator_row
from tokenspec_reference.engines.sessions import CachePolicy

if TYPE_CHECKING:
    import torch


def with_separator_row(source: CausalModel) -> Any:
    """The model itself when it has a row for the separator, else a resized copy with the row written in."""
    import torch

    if source.added_id is None:
        return source.model
    model = copy.deepcopy(source.model)
    old = source.model.get_input_embeddings().weight.shape[0]
    model.resize_token_embeddings(source.added_id + 1, mean_resizing=False)
    inputs, outputs = model.get_input_embeddings(), model.get_output_embeddings()
    with torch.no_grad():
        inputs.weight[source.added_id] = separator_row(inputs.weight[:old], source.row_recipe, stream=INPUT_STREAM)
        if outputs.weight is not inputs.weight:
            outputs.weight[source.added_id] = separator_row(
                outputs.weight[:old], source.row_recipe, stream=OUTPUT_STREAM
            )
        if getattr(outputs, "bias", None) is not None:
            outputs.bias[source.added_id] = outputs.bias[:old].mean()
    return model


class StepSession:
    """One context, extended by the model's own ``forward``."""

    def __init__(self, model: Any, policy: CachePolicy) -> None:
        from transformers import DynamicCache

        self.forwards = 0
        self.model = model
        self.policy = policy
        self.position = 0
        self.cache: Any = None if getattr(model, "_is_stateful", False) else DynamicCache()

    def room(self) -> int | None:
        """Any number may be read, but the twin reads one."""
        return self.policy.room(self.position)

    def read(self, token_ids: Sequence[int], keep: int) -> FullRows:
        """See :class:`Session`."""
        import torch

        limit: int | None = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        check_positions(self.position + len(token_ids), limit)
        device = self.model.get_input_embeddings().weight.device
        positions: torch.Tensor = torch.arange(self.position, self.position + len(token_ids), device=device)
        known = inspect.signature(self.model.forward).parameters
        options = {"position_ids": positions[None], "past_key_values": self.cache, "logits_to_keep": keep}
        with torch.inference_mode(), evaluating(self.model):
            output = self.model(
                input_ids=torch.tensor([list(token_ids)], device=device),
                use_cache=True,
                **{name: value for name, value in options.items() if name in known},
            )
        self.forwards += 1
        self.position += len(token_ids)
        self.cache = output.past_key_values
        return FullRows(output.logits[0, -keep:])

    def rewind(self, count: int) -> None:
        """The twin starts a new session instead."""
        if count:
            self.cache.crop(-count)
            self.position -= count

    def settle(self) -> None:
        """Evict after every forward, as the policy says."""
        if self.policy.kind == "legacy_head":
            self.rewind(self.position - self.policy.kept_head(self.position))
        elif self.policy.kind == "window":
            for layer in self.cache.layers:
                layer.keys = layer.keys[..., -self.policy.size :, :]
                layer.values = layer.values[..., -self.policy.size :, :]
