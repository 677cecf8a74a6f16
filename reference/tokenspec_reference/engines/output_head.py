"""The output head, evaluated only where it is needed.

The gap of the forced decoder is a difference of two log-probabilities of one position, so the softmax denominator
cancels and a handful of rows of the head replace the whole vocabulary. What a model does after the matrix product
(bias, soft cap, scale) is not guessed from its name: the candidates are tried on a ramp in place of logits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.reading import unrounded

if TYPE_CHECKING:
    import torch

RAMP = 15.0  # a quarter of the largest logit that a head without a soft cap is tried with
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
        with unrounded(hidden.device):
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

        with unrounded(hidden.device):
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


Finish = Callable[["torch.Tensor"], "torch.Tensor"]


def head_of(model: Any, finish: Finish, added_id: int | None, weight: Any, bias: Any) -> OutputHead:
    """The head of a model that was probed; ``weight`` and ``bias`` are the added row's."""
    output = model.get_output_embeddings()
    own = getattr(output, "bias", None)
    return OutputHead(output.weight.detach(), None if own is None else own.detach(), finish, added_id, weight, bias)


def probe_head(model: Any, base: Any) -> Finish | None:
    """The elementwise end behind the rows of the head, or None where the model does something else.

    What goes into the layer has to be what the model without its head gives, and what comes out the rows times that.
    The elementwise end behind it is not inferred from how near two sets of logits are: the model is run on four tokens
    while its output layer gives a ramp in place of logits, from far below zero to far above the soft cap.
    """
    import torch

    output = model.get_output_embeddings()
    weight = getattr(output, "weight", None)
    if base is model or weight is None or weight.is_meta or model.get_input_embeddings().weight.is_meta:
        return None
    config = model.config.get_text_config()
    top = 4.0 * float(getattr(config, "final_logit_softcapping", None) or RAMP)
    entered: list[torch.Tensor] = []
    given: list[torch.Tensor] = []
    ramps: list[torch.Tensor] = []

    def replaced(_: Any, inputs: tuple[Any, ...], logits: torch.Tensor) -> torch.Tensor:
        entered.append(inputs[0])
        given.append(logits)
        ramps.append(torch.linspace(-top, top, logits.shape[-1]).to(logits).expand_as(logits))
        return ramps[-1]

    probe = torch.arange(4, device=model.get_input_embeddings().weight.device)[None]
    hook = output.register_forward_hook(replaced)
    try:
        own = model(input_ids=probe, use_cache=False).logits
    finally:
        hook.remove()
    hidden = base(input_ids=probe, use_cache=False).last_hidden_state
    if len(ramps) != 1 or own.shape != ramps[0].shape or entered[0].shape != hidden.shape:
        return None
    if weight.shape != (own.shape[-1], hidden.shape[-1]) or not weight.is_floating_point():
        return None
    rows = head_of(model, lambda logits: logits, None, None, None)
    if not _same(entered[0], hidden) or not _same(rows.full(entered[0]), given[0]):
        return None
    own = upcast(own)

    def error(finish: Callable[[torch.Tensor], torch.Tensor]) -> float:
        return float((finish(upcast(ramps[0])).to(own.device) - own).abs().amax())

    best = min(finishers(config), key=error)
    if not error(best) <= 8 * torch.finfo(ramps[0].dtype).eps * float(own.abs().amax()):
        return None
    return best


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal but for the rounding of the coarser of both; what is no number is equal to nothing."""
    import torch

    epsilon = 8 * max(torch.finfo(one.dtype).eps, torch.finfo(other.dtype).eps)
    scale = float(upcast(other).abs().amax())
    if not math.isfinite(scale):
        return False
    return bool(torch.allclose(upcast(one), upcast(other).to(one.device), rtol=epsilon, atol=epsilon * scale))
