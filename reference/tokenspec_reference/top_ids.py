"""The best tokens of a row, the same ones on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def top_ids(rows: torch.Tensor, count: int) -> torch.Tensor:
    """Ids ``[n, count]`` of the largest values of rows ``[n, vocabulary]``, ascending; of equal values the smaller ids.

    ``topk`` promises no order among equal values, and instruction sets differ in it. As there, NaN is above numbers.
    """
    count = min(count, rows.shape[-1])
    least = rows.topk(count).values[:, -1:]
    unknown, only_unknown = rows.isnan(), least.isnan()
    above, equal = (rows > least) | (unknown & ~only_unknown), (rows == least) | (unknown & only_unknown)
    missing = count - above.sum(dim=1, keepdim=True)
    chosen = above | (equal & (equal.cumsum(dim=1) <= missing))
    return chosen.nonzero()[:, 1].reshape(-1, count)
