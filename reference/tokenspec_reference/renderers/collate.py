"""Pad rendered conversations to one batch of tensors."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from tokenspec_reference.errors import TokenSpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.renderers.rendered import RenderedTokens

ROLES = ("system", "developer", "user", "assistant", "tool")
"""Role ids of :attr:`Batch.roles`; -1 is scaffold outside all messages or padding, ``len(ROLES)`` any other role."""


@dataclass(frozen=True)
class Batch:
    """Tensors of shape ``(batch, length)``; integers are int64, masks bool. Padding: id ``pad_id``, indices -1."""

    input_ids: Tensor
    attention_mask: Tensor
    message_indices: Tensor
    roles: Tensor
    sampled_mask: Tensor
    is_content: Tensor
    loss_mask: Tensor

    def to(self, device: Any) -> Batch:
        """The same batch on another device."""
        return replace(self, **{entry.name: getattr(self, entry.name).to(device) for entry in fields(self)})


def collate(
    rendered: Sequence[RenderedTokens],
    *,
    padding_side: Literal["left", "right"] = "right",
    pad_id: int = 0,
    loss_masks: Sequence[Sequence[bool]] | None = None,
    device: Any = None,
) -> Batch:
    """Pad to the longest conversation. The loss mask is the sampled mask unless ``loss_masks`` gives another.

    Raises:
        TokenSpecError: an empty batch, an unknown side, missing or ill-fitting masks.
    """
    import torch

    if not rendered:
        raise TokenSpecError("nothing to collate", field="rendered")
    if padding_side not in ("left", "right"):
        raise TokenSpecError(f"expected 'left' or 'right', got {padding_side!r}", field="padding_side")
    if loss_masks is not None and len(loss_masks) != len(rendered):
        raise TokenSpecError(f"expected {len(rendered)} masks, got {len(loss_masks)}", field="loss_masks")
    for row, tokens in enumerate(rendered):
        losses = tokens.sampled_mask if loss_masks is None else loss_masks[row]
        for name, values in (
            ("sampled_mask", tokens.sampled_mask),
            ("is_content", tokens.is_content),
            ("loss mask", losses),
        ):
            if len(values) != len(tokens.token_ids):
                raise TokenSpecError(
                    f"{name} has {len(values)} entries for {len(tokens.token_ids)} tokens", field=f"rendered[{row}]"
                )
    length = max(len(tokens.token_ids) for tokens in rendered)

    def stacked(columns: Sequence[Sequence[Any]], padding: Any, dtype: Any) -> Tensor:
        padded = [
            [*([padding] * (length - len(c))), *c] if padding_side == "left" else [*c, *([padding] * (length - len(c)))]
            for c in columns
        ]
        return torch.tensor(padded, dtype=dtype, device=device)

    sampled = [tokens.sampled_mask for tokens in rendered]
    return Batch(
        input_ids=stacked([tokens.token_ids for tokens in rendered], pad_id, torch.int64),
        attention_mask=stacked([[True] * len(tokens.token_ids) for tokens in rendered], False, torch.bool),
        message_indices=stacked([tokens.message_indices for tokens in rendered], -1, torch.int64),
        roles=stacked([_role_ids(tokens) for tokens in rendered], -1, torch.int64),
        sampled_mask=stacked(sampled, False, torch.bool),
        is_content=stacked([tokens.is_content for tokens in rendered], False, torch.bool),
        loss_mask=stacked(sampled if loss_masks is None else loss_masks, False, torch.bool),
    )


def _role_ids(tokens: RenderedTokens) -> list[int]:
    known = [ROLES.index(role) if role in ROLES else len(ROLES) for role in tokens.message_roles]
    return [known[index] if 0 <= index < len(known) else -1 for index in tokens.message_indices]
