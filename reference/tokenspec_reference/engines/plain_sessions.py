"""The twins of ``ChunkSession``: the model as it comes, full logits, and a cache that is really cut, or none at all.

Nothing here is clever on purpose; the fast session is tested against both.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.reading import check_positions, evaluating, input_device
from tokenspec_reference.engines.rows import FullRows
from tokenspec_reference.engines.sessions import CachePolicy

if TYPE_CHECKING:
    import torch


class StepSession:
    """One context, extended by the model's own ``forward``."""

    def __init__(self, model: Any, policy: CachePolicy) -> None:
        from transformers import DynamicCache

        self.forwards = 0
        self.model = model
        self.policy = policy
        self.position = 0
        self.cache = DynamicCache()

    def room(self) -> int | None:
        """Any number may be read, but the twin reads one."""
        return self.policy.room(self.position)

    def read(self, token_ids: Sequence[int], keep: int) -> FullRows:
        """See :class:`Session`."""
        import torch

        limit: int | None = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        check_positions(self.position + len(token_ids), limit)
        device = input_device(self.model)
        positions: torch.Tensor = torch.arange(self.position, self.position + len(token_ids), device=device)
        options: dict[str, Any] = {"past_key_values": self.cache, "use_cache": True}
        if "position_ids" in inspect.signature(self.model.base_model.forward).parameters:
            options["position_ids"] = positions[None]
        if "logits_to_keep" in inspect.signature(self.model.forward).parameters:
            options["logits_to_keep"] = keep
        with torch.inference_mode(), evaluating(self.model):
            output = self.model(input_ids=torch.tensor([list(token_ids)], device=device), **options)
        self.forwards += 1
        self.position += len(token_ids)
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


class ReplaySession:
    """No cache: the context is a list of ids, and every read is one forward over all of it.

    For recurrent models, whose state cannot be rolled back; and the plainest statement of ``none`` and ``legacy_head``.
    """

    def __init__(self, model: Any, policy: CachePolicy) -> None:
        self.forwards = 0
        self.model = model
        self.policy = policy
        self.context: list[int] = []

    def room(self) -> int | None:
        """See :class:`Session`."""
        return self.policy.room(len(self.context))

    def read(self, token_ids: Sequence[int], keep: int) -> FullRows:
        """See :class:`Session`."""
        import torch

        self.context += token_ids
        check_positions(
            len(self.context), getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        )
        device = input_device(self.model)
        with torch.inference_mode(), evaluating(self.model):
            logits = self.model(input_ids=torch.tensor([self.context], device=device), use_cache=False).logits[0]
        self.forwards += 1
        return FullRows(logits[len(self.context) - keep :])

    def rewind(self, count: int) -> None:
        """See :class:`Session`."""
        del self.context[len(self.context) - count :]

    def settle(self) -> None:
        """See :class:`Session`."""
        del self.context[self.policy.kept_head(len(self.context)) :]
