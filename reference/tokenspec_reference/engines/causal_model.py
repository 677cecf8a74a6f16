"""A ``transformers`` causal language model, read only, with one separator row that exists only here.

``open_rows`` reads in chunks and evaluates the head rows asked for (``chunk_session.py``); ``open_steps`` is its
readable twin (``plain_sessions.py``).
"""

from __future__ import annotations

import copy
import inspect
import itertools
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.cache_probe import reads_separator, rolls_back
from tokenspec_reference.engines.chunk_session import ChunkSession
from tokenspec_reference.engines.output_head import head_of, probe_head
from tokenspec_reference.engines.plain_sessions import ReplaySession, StepSession
from tokenspec_reference.engines.reading import evaluating
from tokenspec_reference.engines.remembered import remembered, state_of
from tokenspec_reference.engines.separators import separator_row
from tokenspec_reference.engines.sessions import CachePolicy, Session
from tokenspec_reference.errors import UnsupportedByReference

if TYPE_CHECKING:
    import torch

DENSE_MASKS = {"eager", "sdpa"}
INPUT_STREAM, OUTPUT_STREAM = 1, 2  # hash streams of the added rows


class CausalModel:
    """A session source over any ``transformers`` causal LM; nothing of the model is changed."""

    def __init__(self, model: Any, *, separator_id: int | None = None, row_recipe: str = "mean") -> None:
        """Prepare the model; two tiny forwards probe its head, once until its weights change.

        Args:
            model: the model, on any device, in any floating dtype.
            separator_id: the separator. An id below the number of embedding rows uses the row that is there (Qwen
                pads its matrix); a larger id gets a row by ``row_recipe``.
            row_recipe: ``mean`` or ``hash:SEED``, see :func:`separator_row`.
        """
        self.model = model
        self.base = model.base_model
        self.row_recipe = row_recipe
        embedding = model.get_input_embeddings()
        rows = int(embedding.weight.shape[0])
        self.separator_id = separator_id
        self.added_id = separator_id if separator_id is not None and separator_id >= rows else None
        self.vocabulary_size = rows
        require_loaded(model, self.added_id)
        self.position_limit: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        layers = (embedding, model.get_output_embeddings())
        weights = [layer.weight for layer in layers if getattr(layer, "weight", None) is not None]
        state = (self.added_id, row_recipe, state_of(weights))
        finish, self.added_input, added = remembered(model, "head", state, self._probed)
        self.head = None if finish is None else head_of(model, finish, self.added_id, *added)
        self.is_read_in_chunks, is_readable = remembered(model, "cache", state, self._probed_cache)
        if not (self.is_read_in_chunks or is_readable):
            raise UnsupportedByReference(
                "the model has further inputs by token id, and no row there for the separator; give a sep_tok that it "
                "has a row for",
                field="sep_tok",
            )

    def _probed(self) -> tuple[Any, torch.Tensor | None, tuple[Any, ...]]:
        """The head's elementwise end (None: no head), and the added row of the embedding, of the head, and its bias."""
        import torch

        with torch.inference_mode(), evaluating(self.model):
            embedding = self.model.get_input_embeddings()
            finish = probe_head(self.model, self.base)
            if self.added_id is None:
                return finish, None, (None, None)
            scale = float(getattr(embedding, "scalar_embed_scale", 1.0))
            row = separator_row(embedding.weight, self.row_recipe, stream=INPUT_STREAM) * scale
            if finish is None:
                return finish, row, (None, None)
            output = self.model.get_output_embeddings()
            tied = output.weight.data_ptr() == embedding.weight.data_ptr()
            added = separator_row(output.weight, self.row_recipe, stream=INPUT_STREAM if tied else OUTPUT_STREAM)
            bias = getattr(output, "bias", None)
            return finish, row, (added, None if bias is None else bias.detach().mean())

    def _probed_cache(self) -> tuple[bool, bool]:
        """Whether chunks can be taken back; and, where not, whether the separator is read by its id."""
        import torch

        if getattr(self.model, "_is_stateful", False) or self.model.get_input_embeddings().weight.is_meta:
            return not getattr(self.model, "_is_stateful", False), True
        with torch.inference_mode(), evaluating(self.model):
            does_roll_back = rolls_back(self)
        if does_roll_back or self.added_id is None:
            return does_roll_back, True
        resized = self.resized  # made where its rows can be written
        with torch.inference_mode(), evaluating(resized):
            return False, reads_separator(self)

    @cached_property
    def epsilon(self) -> float:
        """That of the weights, or of matrix products where the caller allowed coarser ones."""
        import torch

        own = float(torch.finfo(self.model.get_input_embeddings().weight.dtype).eps)
        products = {"highest": 0.0, "high": 2.0**-10, "medium": 2.0**-7}[torch.get_float32_matmul_precision()]
        return max(own, products) if own == 2.0**-23 else own

    @cached_property
    def shares_forwards(self) -> bool:
        """Whether contexts may lie side by side: a known head, a dense mask, full attention, explicit positions."""
        dense = self.head is not None and attention_kernel(self.model) in DENSE_MASKS
        return dense and self.is_read_in_chunks and has_full_attention(self.model)

    @property
    def recurrent(self) -> bool:
        """Whether the model carries what cannot be rolled back; its context is read again each time."""
        return not self.is_read_in_chunks

    @cached_property
    def resized(self) -> Any:
        """The model itself when it has a row for the separator, else a copy with the row written in.

        Only the two matrices that get the row are copied, everything else is shared.
        """
        import torch

        if self.added_id is None:
            return self.model
        layers = (self.model.get_input_embeddings(), self.model.get_output_embeddings())
        own = {id(tensor) for layer in layers for tensor in layer.parameters()}
        tensors = itertools.chain(self.model.parameters(), self.model.buffers())
        model = copy.deepcopy(self.model, {id(tensor): tensor for tensor in tensors if id(tensor) not in own})
        old = self.vocabulary_size
        with torch.random.fork_rng():  # the values drawn for the new row are overwritten below
            model.resize_token_embeddings(self.added_id + 1, mean_resizing=False)
        inputs, outputs = model.get_input_embeddings(), model.get_output_embeddings()
        with torch.no_grad():
            inputs.weight[self.added_id] = separator_row(inputs.weight[:old], self.row_recipe, stream=INPUT_STREAM)
            if outputs.weight is not inputs.weight:
                row = separator_row(outputs.weight[:old], self.row_recipe, stream=OUTPUT_STREAM)
                outputs.weight[self.added_id] = row
            if getattr(outputs, "bias", None) is not None:
                outputs.bias[self.added_id] = outputs.bias[:old].mean()
        return model

    def open_rows(self, policy: CachePolicy, prompt_length: int) -> Session:
        """See :class:`SessionSource`."""
        require_policy(self.model, policy)
        return ReplaySession(self.resized, policy) if self.recurrent else ChunkSession(self, policy, prompt_length)

    def open_steps(self, policy: CachePolicy, prompt_length: int) -> Session:
        """See :class:`SessionSource`; these sessions really evict, so they need not know where the prompt ended."""
        del prompt_length
        require_policy(self.model, policy)
        return ReplaySession(self.resized, policy) if self.recurrent else StepSession(self.resized, policy)

    def embed(self, token_ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """The model's input: ids, or embeddings when the added separator is among them."""
        if self.added_id is None or self.added_input is None or not bool((token_ids == self.added_id).any()):
            return {"input_ids": token_ids}
        added = token_ids == self.added_id
        vectors = self.model.get_input_embeddings()(token_ids.masked_fill(added, 0)).clone()
        vectors[added] = self.added_input.to(vectors)
        return {"inputs_embeds": vectors}


def require_loaded(model: Any, added_id: int | None) -> None:
    """Refuse what cannot be read: attention that aborts, and offloaded matrices that need a further row.

    Raises:
        UnsupportedByReference: names the kernel or the matrix, and the cure.
    """
    kernel = attention_kernel(model)
    if kernel == "flex_attention":
        raise UnsupportedByReference(
            "flex_attention takes no dense mask; load the model with attn_implementation='sdpa'", field="model"
        )
    layers = {"embedding": model.get_input_embeddings(), "output layer": model.get_output_embeddings()}
    away = [name for name, layer in layers.items() if layer is not None and layer.weight.is_meta]
    if away and added_id is not None:
        raise UnsupportedByReference(
            f"its {' and '.join(away)} is offloaded and has no row for the separator; keep it on a device (device_map, "
            "max_memory), or give a sep_tok that the model has a row for",
            field="model",
        )


def attention_kernel(model: Any) -> str:
    """The name of the attention implementation; ``eager`` where the model has no choice."""
    return str(getattr(model.config.get_text_config(), "_attn_implementation", None) or "eager")


def require_policy(model: Any, policy: CachePolicy) -> None:
    """Refuse ``window:M`` where it has no exact meaning: other attention patterns, implicit positions, recurrence.

    Raises:
        UnsupportedByReference: says what the model lacks.
    """
    if policy.kind != "window":
        return
    kernel = attention_kernel(model)
    if kernel not in DENSE_MASKS:
        raise UnsupportedByReference(
            f"{kernel} takes no dense mask, which window:M needs; load the model with attn_implementation='sdpa'",
            field="cache_policy",
        )
    if not has_full_attention(model):
        raise UnsupportedByReference("window:M needs full attention and explicit positions", field="cache_policy")


def has_full_attention(model: Any) -> bool:
    """Whether every position sees all before it, and says which position it is."""
    config = model.config.get_text_config()
    kinds = getattr(config, "layer_types", None)
    full = set(kinds) == {"full_attention"} if kinds else getattr(config, "sliding_window", None) is None
    positions = "position_ids" in inspect.signature(model.base_model.forward).parameters
    return full and positions and not getattr(model, "_is_stateful", False)
