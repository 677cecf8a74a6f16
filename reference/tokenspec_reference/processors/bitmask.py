"""The interchange form of an allow-set: packed 32-bit words, bit ``id % 32`` of word ``id // 32``, 1 =
allowed.

The layout is the one of xgrammar, llguidance and outlines-core. Padding bits beyond the vocabulary are 0.

    >>> pack(AllowSet.of([[0, 31, 32], None], vocab_size=34)).tolist()
    [[-2147483647, 1], [-1, 3]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.errors import ShapeMismatch, SourceRowOutOfRange
from tokenspec_reference.processors.masking import NEGATIVE_INFINITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

WORD = 32


def words(vocab_size: int) -> int:
    """Number of 32-bit words that hold one row."""
    return -(-vocab_size // WORD)


def pack(allow: AllowSet, *, padding_bit: Literal[0, 1] = 0) -> Tensor:
    """``AllowSet`` -> int32 ``[rows, ceil(vocab / 32)]`` on the same device, without reading it back.

    The canonical form has ``padding_bit=0``. xgrammar 0.2.8's CPU kernel looks for the next zero without a bound and
    writes ``-inf`` one place behind the row when it finds it in the padding; give it ``padding_bit=1`` unless the
    vocabulary is a multiple of 32.
    """
    real = allow.listed != PAD
    word = torch.where(real, allow.listed // WORD, 0)
    bit = torch.where(real, torch.ones_like(allow.listed) << (allow.listed % WORD), 0)
    shape = (allow.rows, words(allow.vocab_size))
    listed = torch.zeros(shape, dtype=torch.int64, device=allow.listed.device)
    listed.scatter_add_(1, word, bit)  # ids of a row are distinct, so a sum of their bits is their union
    full = torch.full((shape[1],), 2**WORD - 1, dtype=torch.int64, device=allow.listed.device)
    if allow.vocab_size % WORD:
        full[-1] = 2 ** (allow.vocab_size % WORD) - 1
    unsigned = torch.where(allow.excluded.unsqueeze(1), full & ~listed, listed)
    if padding_bit:
        unsigned = unsigned | (2**WORD - 1 - full)
    return unsigned.to(torch.int32)  # the low 32 bits, read as a signed number


def unpack(bitmask: Tensor, vocab_size: int) -> AllowSet:
    """Packed words -> ``AllowSet``; the inverse of ``pack``. Words beyond the mask count as banned, extra
    bits are ignored.
    """
    if bitmask.dim() != 2 or bitmask.dtype != torch.int32:
        raise ShapeMismatch("expected int32 [rows, words]", field="bitmask")
    allowed = _bits(bitmask, vocab_size)
    rows = [None if bool(row.all()) else row.nonzero().flatten().tolist() for row in allowed]
    return AllowSet.of(rows, vocab_size, bitmask.device)


def apply_bitmask(
    logits: Tensor, bitmask: Tensor, vocab_size: int | None = None, *, rows: Sequence[int] | None = None
) -> Tensor:
    """Ban in place the ids whose bit is 0 and return ``logits``; columns from ``vocab_size`` on stay untouched.

    ``logits`` ``[rows, columns]``; the effective vocabulary is ``min(vocab_size or columns, 32 * words)``. ``rows``
    names the row of logits behind each row of the mask. Both as in xgrammar's ``apply_token_bitmask_inplace``. Raises
    ``SourceRowOutOfRange`` for a row that does not exist (upstream skips it without a word), ``ShapeMismatch`` when
    masks and rows do not pair up.
    """
    columns = min(logits.shape[1] if vocab_size is None else vocab_size, logits.shape[1], WORD * bitmask.shape[1])
    chosen = list(range(logits.shape[0])) if rows is None else list(rows)
    if bitmask.shape[0] != len(chosen):
        raise ShapeMismatch(f"{bitmask.shape[0]} masks for {len(chosen)} rows", field="bitmask")
    for place, row in enumerate(chosen):
        if not 0 <= row < logits.shape[0]:
            raise SourceRowOutOfRange(f"row {row} is outside [0, {logits.shape[0]})", field=f"rows[{place}]")
    integer, negative = NEGATIVE_INFINITY[logits.dtype]
    target, banned = logits.detach()[:, :columns].view(integer), ~_bits(bitmask, columns)
    if rows is None:
        target.masked_fill_(banned, negative)
    else:
        for row, mask in zip(chosen, banned, strict=True):
            target[row].masked_fill_(mask, negative)
    return logits


def _bits(bitmask: Tensor, columns: int) -> Tensor:
    """Bool ``[rows, columns]``; columns without a word are False."""
    places = torch.arange(WORD, dtype=torch.int32, device=bitmask.device)
    flat = ((bitmask.unsqueeze(2) >> places) & 1).bool().flatten(1)
    missing = columns - flat.shape[1]
    return flat[:, :columns] if missing <= 0 else torch.nn.functional.pad(flat, (0, missing), value=False)
