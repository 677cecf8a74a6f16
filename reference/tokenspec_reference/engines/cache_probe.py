"""Whether a model can be read in chunks that are taken back: tried on eight tokens, not concluded from its name.

A hybrid model keeps states beside keys and values (convolutions, recurrences), which dropping the tail of a cache
leaves as they are; another embeds ids a second time, and takes no embeddings in their place. Both give other hidden
states here, or raise, and are then read anew each time.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch

CLOSE = 64
"""How many units of rounding two ways to the same hidden state may differ by, of its largest number."""


class Probed(Protocol):
    """What is probed."""

    @property
    def base(self) -> Any:
        """The model without its head."""
        ...

    @property
    def resized(self) -> Any:
        """The model with a row for the separator."""
        ...

    @property
    def added_id(self) -> int | None:
        """The separator that has no row of the model; None where it has one."""
        ...

    @property
    def epsilon(self) -> float:
        """The unit of rounding."""
        ...

    def embed(self, token_ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """The input of ``base`` for some ids."""
        ...


def rolls_back(source: Probed) -> bool:
    """Whether some tokens, fewer of them, and others behind these give what the model gives for the context at once."""
    import torch

    separator = 3 if source.added_id is None else source.added_id
    head, wrong, tail = [0, 1, 2, 3], [5, 4], [separator, 1]
    context = torch.tensor([head + tail], device=source.base.get_input_embeddings().weight.device)
    try:
        plain = source.base(**source.embed(context), use_cache=False).last_hidden_state[0, -1]
        chunked = _in_chunks(source, head, wrong, tail)
    except Exception:  # noqa: BLE001 - whatever a model makes of its cache, it is not to be read by it
        return False
    bound = CLOSE * source.epsilon * float(plain.abs().max())
    return chunked.shape == plain.shape and float((chunked.to(plain) - plain).abs().max()) <= bound


def _in_chunks(source: Probed, head: list[int], wrong: list[int], tail: list[int]) -> torch.Tensor:
    """The last hidden state behind head and tail, where something else was read in between and taken back."""
    import torch

    from tokenspec_reference.engines.growing_cache import growing_cache

    device = source.base.get_input_embeddings().weight.device
    cache = growing_cache()
    takes_positions = "position_ids" in inspect.signature(source.base.forward).parameters
    length = 0
    found: Any = None
    for chunk in (head, wrong, tail):
        options: dict[str, Any] = {"past_key_values": cache, "use_cache": True}
        if takes_positions:
            options["position_ids"] = torch.arange(length, length + len(chunk), device=device)[None]
        found = source.base(**source.embed(torch.tensor([chunk], device=device)), **options)
        length += len(chunk)
        if chunk is wrong:
            cache.crop(-len(wrong))
            length -= len(wrong)
    state: torch.Tensor = found.last_hidden_state[0, -1]
    return state


def reads_separator(source: Probed) -> bool:
    """Whether the model with a further row reads the added separator by its id."""
    import torch

    device = source.resized.get_input_embeddings().weight.device
    try:
        source.resized(input_ids=torch.tensor([[0, 1, source.added_id]], device=device), use_cache=False)
    except Exception:  # noqa: BLE001 - any failure means that it does not
        return False
    return True
