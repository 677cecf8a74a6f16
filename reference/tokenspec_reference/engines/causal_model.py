"""A ``transformers`` causal language model, read only, with one separator row that exists only here.

``open_rows`` reads in chunks and evaluates the head rows asked for; ``open_steps`` (``stepwise_model.py``) is its
readable twin.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.errors import InvalidParameter, TraceTooLong
from tokenspec_reference.engines.output_head import FULL_ROW_BLOCK, OutputHead, probe_head, upcast
from tokenspec_reference.engines.separators import separator_row
from tokenspec_reference.engines.sessions import CachePolicy, Session
from tokenspec_reference.errors import UnsupportedByReference

if TYPE_CHECKING:
    import torch

INPUT_STREAM, OUTPUT_STREAM = 1, 2  # hash streams of the added rows


class CausalModel:
    """A session source over any ``transformers`` causal LM with attention; nothing of the model is changed."""

    def __init__(self, model: Any, *, separator_id: int | None = None, row_recipe: str = "mean") -> None:
        """Prepare the model; two tiny forwards probe its head.

        Args:
            model: the model, on any device, in any floating dtype.
            separator_id: the separator. An id below the number of embedding rows uses the row that is there (Qwen
                pads its matrix); a larger id gets a row by ``row_recipe``.
            row_recipe: ``mean`` or ``hash:SEED``, see :func:`separator_row`.
        """
        import torch

        self.model = model
        self.base = model.base_model
        self.row_recipe = row_recipe
        embedding = model.get_input_embeddings()
        rows = int(embedding.weight.shape[0])
        self.separator_id = separator_id
        self.added_id = separator_id if separator_id is not None and separator_id >= rows else None
        self.vocabulary_size = rows
        self.position_limit: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        with torch.inference_mode(), evaluating(model):
            head = probe_head(model, self.base)
            self.added_input = None
            if self.added_id is not None:
                scale = float(getattr(embedding, "scalar_embed_scale", 1.0))
                self.added_input = separator_row(embedding.weight, row_recipe, stream=INPUT_STREAM) * scale
                head = self._extended(head)
        self.head = head
        self._stepwise: Any = None

    def _extended(self, head: OutputHead | None) -> OutputHead | None:
        if head is None:
            return None
        tied = head.weight.data_ptr() == self.model.get_input_embeddings().weight.data_ptr()
        added = separator_row(head.weight, self.row_recipe, stream=INPUT_STREAM if tied else OUTPUT_STREAM)
        bias = None if head.bias is None else head.bias.mean()
        return replace(head, added_id=self.added_id, added_weight=added, added_bias=bias)

    def open_rows(self, policy: CachePolicy, prompt_length: int) -> Session:
        """See :class:`SessionSource`."""
        if self.head is None and self.added_id is not None:
            raise UnsupportedByReference(
                "the head of this model is no plain matrix; use algorithm='sequential'", field="model"
            )
        if getattr(self.model, "_is_stateful", False):
            raise UnsupportedByReference(
                "recurrent state cannot be rolled back; use algorithm='sequential'", field="model"
            )
        return ChunkSession(self, policy, prompt_length)

    def open_steps(self, policy: CachePolicy, prompt_length: int) -> Session:
        """See :class:`SessionSource`."""
        del prompt_length  # the twin really evicts, so it need not know where the prompt ended
        from tokenspec_reference.engines.stepwise_model import StepSession, with_separator_row

        if self._stepwise is None:
            self._stepwise = with_separator_row(self)
        return StepSession(self._stepwise, policy)

    def embed(self, token_ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """The model's input: ids, or embeddings when the added separator is among them."""
        if self.added_id is None or self.added_input is None or not bool((token_ids == self.added_id).any()):
            return {"input_ids": token_ids}
        added = token_ids == self.added_id
        vectors = self.model.get_input_embeddings()(token_ids.masked_fill(added, 0)).clone()
        vectors[added] = self.added_input.to(vectors)
        return {"inputs_embeds": vectors}


class ChunkRows:
    """Rows over hidden states ``[n, width]``; the head runs when it is asked."""

    def __init__(self, head: OutputHead, hidden: torch.Tensor) -> None:
        self.head = head
        self.hidden = hidden

    def logits_of(self, candidates: Sequence[int], next_ids: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """See :class:`Rows`."""
        return self.head.logits_of(self.hidden, candidates, next_ids)

    def full(self, start: int, stop: int) -> torch.Tensor:
        """See :class:`Rows`."""
        return self.head.full(self.hidden[start:stop])


class FullRows:
    """Rows over finished logits ``[n, vocabulary]``."""

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = upcast(logits)

    def logits_of(self, candidates: Sequence[int], next_ids: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """See :class:`Rows`."""
        import torch

        own = torch.tensor(next_ids, device=self.logits.device, dtype=torch.long)
        return self.logits[:, list(candidates)], self.logits.gather(1, own[:, None])[:, 0]

    def full(self, start: int, stop: int) -> torch.Tensor:
        """See :class:`Rows`."""
        return self.logits[start:stop]


class ChunkSession:
    """The fast session: one growing cache, rolled back by dropping its tail."""

    def __init__(self, source: CausalModel, policy: CachePolicy, prompt_length: int) -> None:
        from transformers import DynamicCache

        self.forwards = 0
        self.source = source
        self.policy = policy
        self.length = 0
        self.prompt_length = prompt_length
        # Without a configuration every layer keeps all entries, so that sliding-window layers can be rolled back too;
        # the model masks what such a layer may not see.
        self.cache = DynamicCache()
        self.takes_positions = "position_ids" in inspect.signature(source.base.forward).parameters
        if policy.kind == "window":
            kinds = set(getattr(source.model.config.get_text_config(), "layer_types", None) or ["full_attention"])
            if kinds != {"full_attention"} or not self.takes_positions:
                raise UnsupportedByReference(
                    "window:M needs full-attention layers and explicit positions", field="cache_policy"
                )

    def room(self) -> int | None:
        """See :class:`Session`."""
        return self.policy.room(self.length)

    def read(self, token_ids: Sequence[int], keep: int) -> ChunkRows | FullRows:
        """See :class:`Session`."""
        import torch

        source = self.source
        check_positions(self.length + len(token_ids), source.position_limit)
        device = source.model.get_input_embeddings().weight.device
        ids = torch.tensor([list(token_ids)], device=device)
        options: dict[str, Any] = {"past_key_values": self.cache, "use_cache": True}
        if self.takes_positions:
            options["position_ids"] = torch.arange(self.length, self.length + len(token_ids), device=device)[None]
        if self.policy.kind == "window":
            options["attention_mask"] = self._window_mask(len(token_ids), device)
        with torch.inference_mode(), evaluating(source.model):
            if source.head is None:
                kept = {"logits_to_keep": max(keep, 1)}
                rows: ChunkRows | FullRows = FullRows(
                    source.model(**source.embed(ids), **options, **kept).logits[0, -max(keep, 1) :]
                )
            else:
                hidden = source.base(**source.embed(ids), **options).last_hidden_state[0]
                rows = ChunkRows(source.head, hidden[len(token_ids) - keep :].to(source.head.weight.device))
        self.forwards += 1
        self.length += len(token_ids)
        return rows

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


@contextlib.contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Dropout off while the model is read, and every module's flag as it was afterwards."""
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


def check_positions(needed: int, limit: int | None) -> None:
    """Refuse a context the model has no positions for.

    Raises:
        TraceTooLong: says how many tokens are too many.
    """
    if limit is not None and needed > limit:
        raise TraceTooLong(
            f"{needed} tokens of prompt, trace and separators, but the model has {limit} positions ({needed - limit} "
            "too many); shorten the trace or use a model with a longer context",
            field="trace",
        )


def check_vocabulary(token_ids: Sequence[int], size: int, added_id: int | None) -> None:
    """Refuse ids the model has no row for.

    Raises:
        InvalidParameter: tokenizer and model do not belong together.
    """
    beyond = [token for token in token_ids if token >= size and token != added_id]
    if beyond:
        raise InvalidParameter(
            f"token id {beyond[0]} is outside the model's {size} rows; give its own tokenizer", field="tokenizer"
        )


__all__ = [
    "FULL_ROW_BLOCK",
    "CausalModel",
    "ChunkRows",
    "ChunkSession",
    "FullRows",
    "check_positions",
    "check_vocabulary",
]
