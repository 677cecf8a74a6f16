"""What RT-SEG's engines are given in place of a downloaded model: a table, or a tiny Qwen2 of transformers.

They ask a model for logits and a cache, and a tokenizer for four methods; both shapes are here, and nothing else.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.areas.engines.oracle.predictors import uniform
from tokenspec.areas.engines.records import Scripted, Tiny

STANDARD_SEPARATOR = "<|seg|>"


class TableTokenizer:
    """Longest match over the pieces of a table; the prompt is its one text."""

    def __init__(self, model: Scripted) -> None:
        """Keep the pieces."""
        self.model = model

    def get_vocab(self) -> dict[str, int]:
        """Piece -> id."""
        return {piece: index for index, piece in enumerate(self.model.pieces)}

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Ids of a text."""
        del add_special_tokens
        ids, vocabulary = [], self.get_vocab()
        while text:
            piece = max(filter(text.startswith, self.model.pieces), key=len, default="")
            if not piece:
                raise Unsupported("a table without an unknown token")
            ids.append(vocabulary[piece])
            text = text[len(piece) :]
        return ids

    def decode(self, ids: list[int], *, skip_special_tokens: bool) -> str:
        """The text of ids."""
        del skip_special_tokens
        return "".join(self.model.pieces[index] for index in ids)

    def apply_chat_template(self, messages: list[dict[str, str]], **options: Any) -> str:
        """The prompt."""
        del messages, options
        if self.model.prompt is None or self.model.refuses_system:
            raise Unsupported("a table that writes no prompt")
        return self.model.prompt


class TableModel:
    """A table with the face of a causal model. What it has read is its cache."""

    device = "cpu"

    def __init__(self, model: Scripted, separator: int) -> None:
        """Keep the table."""
        self.model, self.separator = model, separator

    def eval(self) -> None:
        """As it is."""

    def __call__(self, input_ids: Any, past_key_values: Any, *, use_cache: bool) -> Any:
        """Logits behind what was read; the first call reads the prompt."""
        import torch

        del use_cache
        read = [] if past_key_values is None else [*past_key_values.read, *input_ids[0].tolist()]
        separators = read.count(self.separator)
        row = self.model.rows[min(len(read) - separators, len(self.model.rows) - 1)]
        values = []
        for piece in self.model.pieces:
            value = row.get(piece, self.model.default_logit)
            if value is None:
                raise Unsupported("logits that are not finite: it does not look")
            values.append(value + separators * self.model.per_separator.get(piece, 0.0))
        return SimpleNamespace(
            logits=torch.tensor([[values]], dtype=torch.float64),
            past_key_values=SimpleNamespace(read=read, get_seq_length=lambda: 0),
        )


def table(model: Scripted, separator: str) -> tuple[TableModel, TableTokenizer]:
    """Model and tokenizer of a table."""
    if model.position_limit is not None:
        raise Unsupported("a table of few positions")
    tokenizer = TableTokenizer(model)
    return TableModel(model, tokenizer.get_vocab()[separator]), tokenizer


def tiny(model: Tiny, assets: dict[str, Any], separator: str) -> tuple[Any, Any]:
    """A Qwen2 of transformers with the matrices of the formula, and the row's tokenizer with the separator in it."""
    import torch
    from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
    tokenizer.chat_template = assets["chat_template"]
    known = max(tokenizer.get_vocab().values()) + 1
    tokenizer.add_special_tokens({"additional_special_tokens": [separator]})
    rows = known + model.padding
    configuration = Qwen2Config(
        vocab_size=rows,
        hidden_size=model.hidden,
        intermediate_size=model.intermediate,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=model.key_value_heads,
        max_position_embeddings=model.positions,
        tie_word_embeddings=model.tied,
        rms_norm_eps=1e-6,
    )
    network = Qwen2ForCausalLM(configuration).to(torch.float64)
    fill(network, model)
    if tokenizer.get_vocab()[separator] >= rows:
        network.resize_token_embeddings(tokenizer.get_vocab()[separator] + 1, mean_resizing=False)
        with torch.no_grad():
            for table_of in {id(each.weight): each.weight for each in embeddings(network)}.values():
                table_of[rows:] = table_of[:rows].mean(dim=0)
    return network, tokenizer


def embeddings(network: Any) -> list[Any]:
    """The matrices with a row a token."""
    return [network.get_input_embeddings(), network.get_output_embeddings()]


def fill(network: Any, model: Tiny) -> None:
    """The matrices of the formula, in the order of the chapter."""
    import torch

    filled = [network.model.embed_tokens.weight]
    for layer in network.model.layers:
        attention, mlp = layer.self_attn, layer.mlp
        for part in (attention.q_proj, attention.k_proj, attention.v_proj):
            filled += [part.weight, part.bias]
        filled += [attention.o_proj.weight, mlp.gate_proj.weight, mlp.up_proj.weight, mlp.down_proj.weight]
    if not model.tied:
        filled.append(network.lm_head.weight)
    with torch.no_grad():
        for number, matrix in enumerate(filled):
            values = model.scale * uniform(model.seed, number, matrix.numel())
            matrix.copy_(torch.from_numpy(values).reshape(matrix.shape))
