"""Tiny language models whose weights are a formula: the same numbers in every language, version and device.

The architecture is Qwen2 (RMSNorm, rotary positions, grouped attention, gated SiLU, tied or untied head). Matrix ``m``
of the list below holds ``scale * u`` in row-major order, with ``u`` from :func:`hashed_uniform`, seed and stream ``m``;
norm weights are 1. All numbers are exact in float32, so float32 and float64 models agree on their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.separators import hashed_uniform


@dataclass(frozen=True)
class TinyModel:
    """A description that fits into a fixture.

    ``vocabulary`` is the number of embedding rows; ``scale`` should be a power of two so that products stay exact.
    """

    vocabulary: int
    seed: int = 0
    hidden: int = 32
    intermediate: int = 64
    layers: int = 2
    heads: int = 4
    key_value_heads: int = 2
    positions: int = 4096
    tied: bool = True
    scale: float = 0.25
    dtype: str = "float32"

    def configuration(self) -> Any:
        """The ``transformers`` configuration."""
        from transformers import Qwen2Config

        return Qwen2Config(
            vocab_size=self.vocabulary,
            hidden_size=self.hidden,
            intermediate_size=self.intermediate,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            num_key_value_heads=self.key_value_heads,
            max_position_embeddings=self.positions,
            tie_word_embeddings=self.tied,
            rms_norm_eps=1e-6,
            bos_token_id=None,
            eos_token_id=None,
            pad_token_id=None,
        )

    def build(self, *, device: str = "cpu") -> Any:
        """The model, in evaluation mode; no random number is drawn for its values.

        Raises:
            InvalidParameter: an unknown dtype.
        """
        import torch
        from transformers import Qwen2ForCausalLM

        if self.dtype not in ("float32", "float64", "bfloat16"):
            raise InvalidParameter(f"{self.dtype!r} is not float32, float64 or bfloat16", field="model")
        with torch.random.fork_rng(devices=[]):  # the values drawn are overwritten, the caller's generator stays
            model = Qwen2ForCausalLM(self.configuration())
        parameters = dict(model.named_parameters())
        with torch.no_grad():
            for stream, name in enumerate(self.matrices()):
                target = parameters[name]
                values = self.scale * hashed_uniform(self.seed, stream, target.numel())
                target.copy_(torch.from_numpy(values).reshape(target.shape))
        return model.to(dtype=getattr(torch, self.dtype), device=device).eval()

    def matrices(self) -> list[str]:
        """Names in the order of their hash streams."""
        names = ["model.embed_tokens.weight"]
        for layer in range(self.layers):
            prefix = f"model.layers.{layer}"
            for part in "qkv":
                names += [f"{prefix}.self_attn.{part}_proj.weight", f"{prefix}.self_attn.{part}_proj.bias"]
            names.append(f"{prefix}.self_attn.o_proj.weight")
            names += [f"{prefix}.mlp.{part}_proj.weight" for part in ("gate", "up", "down")]
        return names if self.tied else [*names, "lm_head.weight"]
