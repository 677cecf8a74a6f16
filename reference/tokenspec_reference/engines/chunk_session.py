"""The fast session of a ``transformers`` model: chunks through one cache, rolled back by dropping its tail."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tokenspec_reference.engines.output_head import OutputHead
from tokenspec_reference.engines.reading import check_positions, evaluating, input_device
from tokenspec_reference.engines.rows import ChunkRows, FullRows
from tokenspec_reference.engines.sessions import CachePolicy

if TYPE_CHECKING:
    import torch


class ChunkSource(Protocol):
    """What the fast session needs of the model it reads."""

    @property
    def model(self) -> Any:
        """The model itself."""
        ...

    @property
    def base(self) -> Any:
        """The model without its head."""
        ...

    @property
    def resized(self) -> Any:
        """The model with a row for the separator."""
        ...

    @property
    def head(self) -> OutputHead | None:
        """The head, to evaluate in part; None where it could not be told apart from the model."""
        ...

    @property
    def position_limit(self) -> int | None:
        """How many positions the model has."""
        ...

    def embed(self, token_ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """The input of ``base`` for some ids, the separator among them or not."""
        ...


class ChunkSession:
    """The fast session: one growing cache, rolled back by dropping its tail."""

    def __init__(self, source: ChunkSource, policy: CachePolicy, prompt_length: int) -> None:
        from tokenspec_reference.engines.growing_cache import growing_cache

        self.forwards = 0
        self.source = source
        self.policy = policy
        self.length = 0
        self.prompt_length = prompt_length
        # Without a configuration every layer keeps all entries, so that sliding-window layers can be rolled back too;
        # the model masks what such a layer may not see.
        self.cache = growing_cache()
        self.modules = list(source.model.modules())
        self.takes_positions = "position_ids" in inspect.signature(source.base.forward).parameters

    def room(self) -> int | None:
        """See :class:`Session`."""
        return self.policy.room(self.length)

    def read(self, token_ids: Sequence[int], keep: int) -> ChunkRows | FullRows:
        """See :class:`Session`."""
        import torch

        source = self.source
        check_positions(self.length + len(token_ids), source.position_limit)
        device = input_device(source.model)
        ids = torch.tensor([list(token_ids)], device=device)
        options: dict[str, Any] = {"past_key_values": self.cache, "use_cache": True}
        if self.takes_positions:
            options["position_ids"] = torch.arange(self.length, self.length + len(token_ids), device=device)[None]
        if self.policy.kind == "window":
            options["attention_mask"] = self._window_mask(len(token_ids), device)
        with torch.inference_mode(), evaluating(source.model, self.modules):
            self.forwards += 1
            self.length += len(token_ids)
            if source.head is None:
                return FullRows(source.resized(input_ids=ids, **options).logits[0, len(token_ids) - keep :])
            hidden = source.base(**source.embed(ids), **options).last_hidden_state[0]
            return ChunkRows(source.head, hidden[len(token_ids) - keep :].to(source.head.weight.device))

    def _window_mask(self, count: int, device: torch.device) -> torch.Tensor:
        """Additive mask ``[1, 1, count, length + count]``.

        Rows of the prompt are causal, every later row sees itself and the ``M`` entries before it: what a cache cut to
        its last ``M`` entries after the prompt and after every token shows, in one forward.
        """
        import torch

        dtype = self.source.model.dtype
        query = torch.arange(self.length, self.length + count, device=device)[:, None]
        key = torch.arange(self.length + count, device=device)[None]
        hidden = (key > query) | ((key < query - self.policy.size) & (query >= self.prompt_length))
        return torch.zeros(hidden.shape, dtype=dtype, device=device).masked_fill(hidden, torch.finfo(dtype).min)[
            None, None
        ]

    def rewind(self, count: int) -> None:
        """See :class:`Session`."""
        if count:
            self.cache.crop(-count)
            self.length -= count

    def settle(self) -> None:
        """See :class:`Session`."""
        self.rewind(self.length - self.policy.kept_head(self.length))
