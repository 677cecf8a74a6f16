"""Write an allow-set into logits: banned ids become exactly ``-inf``, allowed ids keep their bits.

Why an integer view: torch's CPU ``scatter_`` on fp16/bf16 is about ten thousand times slower than on integers
of the same width, and moving bits instead of numbers is what makes ``-0.0``, NaN payloads and denormals come
through unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.errors import (
    DeadRow,
    EmptyAllowedSet,
    ShapeMismatch,
    UnsupportedDtype,
    VocabMismatch,
)

if TYPE_CHECKING:
    from torch import Tensor

# dtype -> (integer dtype of the same width, the bits of -inf as that integer)
NEGATIVE_INFINITY: dict[torch.dtype, tuple[torch.dtype, int]] = {
    torch.float16: (torch.int16, 0xFC00 - 2**16),
    torch.bfloat16: (torch.int16, 0xFF80 - 2**16),
    torch.float32: (torch.int32, 0xFF800000 - 2**32),
    torch.float64: (torch.int64, 0xFFF0000000000000 - 2**64),
}


def apply_allowed(logits: Tensor, allow: AllowSet, *, on_dead: Literal["raise", "zero"] = "raise") -> Tensor:
    """Ban in place every id outside ``allow`` and return ``logits``.

    ``logits`` is ``[rows, vocab]``, fp16, bf16, fp32 or fp64, on any device, with any strides; ``allow`` has
    one set per row over the same vocabulary. ``on_dead`` says what to do with a row whose allowed logits are
    all ``-inf``: ``"raise"`` reads one flag back from the device, ``"zero"`` sets the allowed logits of that
    row to ``+0.0`` and reads nothing back.

    Raises:
        UnsupportedDtype, ShapeMismatch, VocabMismatch, EmptyAllowedSet, DeadRow: before anything is written.

    Rows without any constraint are neither read nor written. Source: facts page of the ``logits_processor``
    seed; the dead-row rule follows the prefix-constrained processor of transformers 5.23.
    """
    bits, negative = _integer_view(logits, allow)
    if not allow.never_empty:
        _refuse_empty(allow)
    if allow.rows == 0 or (not allow.bans and allow.listed.shape[1] == 0):
        return logits
    index = _write_index(allow)
    kept = bits.gather(1, index)
    dead = _dead_rows(bits, kept, allow, negative)
    if on_dead == "raise":
        if bool(dead.any()):
            raise DeadRow(int(dead.nonzero()[0]))
    elif allow.only_listed:
        kept = kept.masked_fill(dead.unsqueeze(1), 0)
    if allow.only_listed:
        bits.fill_(negative)
        bits.scatter_(1, index, kept)
        return logits
    _write_mixed(bits, index, kept, allow, negative=negative, zero=dead if on_dead == "zero" else None)
    return logits


def _integer_view(logits: Tensor, allow: AllowSet) -> tuple[Tensor, int]:
    if logits.dtype not in NEGATIVE_INFINITY:
        raise UnsupportedDtype(f"{logits.dtype} has no -inf to write; use fp16, bf16, fp32 or fp64", field="dtype")
    if logits.dim() != 2 or logits.shape[0] != allow.rows:
        shape = tuple(logits.shape)
        raise ShapeMismatch(f"expected [{allow.rows}, {allow.vocab_size}], got {shape}", field="logits")
    if logits.shape[1] != allow.vocab_size:
        raise VocabMismatch(
            f"logits have {logits.shape[1]} columns, the processor was bound to {allow.vocab_size}; "
            "bind it to the width of the logits, which may exceed the tokenizer",
            field="logits",
        )
    integer, negative = NEGATIVE_INFINITY[logits.dtype]
    return logits.detach().view(integer), negative


def _refuse_empty(allow: AllowSet) -> None:
    empty = allow.count() == 0
    if bool(empty.any()):
        raise EmptyAllowedSet(int(empty.nonzero()[0]))


def _write_index(allow: AllowSet) -> Tensor:
    """``listed`` with padding replaced by the row's first id, so that writing it twice is harmless."""
    if not allow.padded:
        return allow.listed
    first = allow.listed[:, :1]
    if not allow.only_listed:
        first = torch.where(first == PAD, 0, first)
    return torch.where(allow.listed == PAD, first, allow.listed)


def _dead_rows(bits: Tensor, kept: Tensor, allow: AllowSet, negative: int) -> Tensor:
    """Rows with at least one listed id whose every allowed logit is ``-inf``, bool ``[rows]``."""
    lost = (kept == negative).all(dim=1)
    if allow.listed.shape[1] >= allow.vocab_size:  # a row that lists every id has no constraint to die of
        lost &= (allow.listed != PAD).sum(dim=1) < allow.vocab_size
    if allow.only_listed:
        return lost
    if not allow.bans:
        return lost & ~allow.excluded
    real = allow.listed != PAD
    alive = (bits != negative).sum(dim=1) - ((kept != negative) & real).sum(dim=1)
    return torch.where(allow.excluded, (alive == 0) & real.any(dim=1), lost)


def _write_mixed(
    bits: Tensor, index: Tensor, kept: Tensor, allow: AllowSet, *, negative: int, zero: Tensor | None
) -> None:
    """Rows of both kinds in one pass: list rows are filled and restored, the others lose their banned ids."""
    listed_rows = ~allow.excluded
    real = allow.listed != PAD
    no_ban = ~real.any(dim=1, keepdim=True)  # such an excluded row writes column 0 back onto itself
    if zero is not None:
        kept = kept.masked_fill((zero & listed_rows).unsqueeze(1), 0)
        bits.masked_fill_((zero & allow.excluded).unsqueeze(1), 0)
    bits.masked_fill_(listed_rows.unsqueeze(1), negative)
    banned = torch.where(no_ban, kept, negative)
    bits.scatter_(1, index, torch.where(listed_rows.unsqueeze(1), kept, banned))


def mask_naive(logits: Tensor, allow: AllowSet) -> Tensor:
    """The readable twin of ``apply_allowed``: a new tensor, one id at a time, no dead-row rule."""
    out = torch.full_like(logits, float("-inf"))
    for row in range(allow.rows):
        ids = allow.ids(row)
        for token in range(allow.vocab_size) if ids is None else ids:
            out[row, token] = logits[row, token]
    return out
