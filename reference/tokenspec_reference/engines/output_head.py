"""The output head, evaluated only where it is needed.

The gap of the forced decoder is a difference of two log-probabilities of one position, so the softmax denominator
cancels and a handful of rows of the head replace the whole vocabulary. What a model does after the matrix product
(bias, soft cap, scale) is not guessed from its name: candidates are tried on a probe and must reproduce its logits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

FULL_ROW_BLOCK = 64  # rows of a full head computed at once: 64 x 152k float32 is 39 MB


@dataclass(frozen=True)
class OutputHead:
    """``weight [vocabulary, width]``, ``bias [vocabulary]``, the elementwise end, and the separator's own row."""

    weight: torch.Tensor
    bias: torch.Tensor | None
    finish: Callable[[torch.Tensor], torch.Tensor]
    added_id: int | None = None
    added_weight: torch.Tensor | None = None
    added_bias: torch.Tensor | None = None

    def row(self, token_id: int) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Weight ``[width]`` and bias of one token."""
        if token_id == self.added_id and self.added_weight is not None:
            return self.added_weight, self.added_bias
        return self.weight[token_id], None if self.bias is None else self.bias[token_id]

    def logits_of(
        self, hidden: torch.Tensor, candidates: Sequence[int], next_ids: Sequence[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits ``[n, len(candidates)]`` and ``[n]`` from hidden states ``[n, width]``; at least float32."""
        import torch

        hidden = upcast(hidden)
        rows, biases = zip(*(self.row(token) for token in candidates), strict=True)
        competing = hidden @ upcast(torch.stack(rows)).T
        known = torch.tensor(
            [0 if token == self.added_id else token for token in next_ids], device=self.weight.device, dtype=torch.long
        )
        weights = upcast(self.weight[known])
        own_bias = None if self.bias is None else upcast(self.bias[known])
        for position, token in enumerate(next_ids):
            if token == self.added_id and self.added_weight is not None:
                weights[position] = upcast(self.added_weight)
                if own_bias is not None and self.added_bias is not None:
                    own_bias[position] = upcast(self.added_bias)
        own = (hidden * weights).sum(dim=-1)
        if own_bias is not None:
            competing = competing + upcast(torch.stack([bias for bias in biases if bias is not None]))
            own = own + own_bias
        return self.finish(competing), self.finish(own)

    def full(self, hidden: torch.Tensor) -> torch.Tensor:
        """All logits ``[n, vocabulary]`` of hidden states ``[n, width]``, without the added row."""
        from torch.nn import functional

        return self.finish(upcast(functional.linear(hidden, self.weight, self.bias)))


def upcast(values: torch.Tensor) -> torch.Tensor:
    """Float32 for half precision, everything else unchanged."""
    return values.float() if values.dtype.itemsize < 4 else values


def finishers(config: Any) -> list[Callable[[torch.Tensor], torch.Tensor]]:
    """The elementwise ends that models of ``transformers`` put after the head, as their configuration declares them."""
    found: list[Callable[[torch.Tensor], torch.Tensor]] = [lambda logits: logits]
    cap = getattr(config, "final_logit_softcapping", None)
    if cap:
        found.append(lambda logits: (logits / cap).tanh() * cap)
    scale = getattr(config, "logit_scale", None)
    if scale:
        found.append(lambda logits: logits * scale)
    divisor = getattr(config, "logits_scaling", None)
    if divisor:
        found.append(lambda logits: logits / divisor)
    return found


def probe_head(model: Any, base: Any) -> OutputHead | None:
    """The head whose rows reproduce the model's own logits on four tokens, or None when no candidate does."""
    import torch

    output = model.get_output_embeddings()
    weight, bias = getattr(output, "weight", None), getattr(output, "bias", None)
    if base is model or weight is None:
        return None
    probe = torch.arange(4, device=model.get_input_embeddings().weight.device)[None]
    own = upcast(model(input_ids=probe, use_cache=False).logits[0])
    hidden = base(input_ids=probe, use_cache=False).last_hidden_state[0]
    if hidden.shape[-1] != weight.shape[-1]:
        return None
    tolerance = 1e-4 if hidden.dtype.itemsize >= 4 else 5e-2
    for finish in finishers(model.config.get_text_config()):
        head = OutputHead(weight.detach(), None if bias is None else bias.detach(), finish)
        if torch.allclose(head.full(hidden.to(weight.device)), own.to(weight.device), rtol=tolerance, atol=tolerance):
            return head
    return None
