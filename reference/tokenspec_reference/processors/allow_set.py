"""The value every processor returns: which token ids each row may sample next.

A row is either a short list of allowed ids or "everything except this short list". Such sets are closed under
intersection, cost memory in proportion to the list and never need a ``[rows, vocab]`` mask.

    >>> allow = AllowSet.of([[2], None, [5, 3]], vocab_size=8)
    >>> [allow.ids(row) for row in range(3)]
    [[2], None, [3, 5]]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.errors import ShapeMismatch, TokenOutOfRange, VocabMismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

PAD = 2**62  # sorts after every token id; also as a float, in which torch pads


@dataclass(frozen=True, eq=False)
class AllowSet:
    """Allowed ids of each row.

    ``listed``: int64 ``[rows, width]``, ids ascending and distinct, the rest of a row filled with ``PAD``.
    ``excluded``: bool ``[rows]``; on such a row the listed ids are the *banned* ones (nothing listed =
    everything allowed).

    The flags are promises known without looking at the tensors, so that a step on an accelerator does not
    wait for the device: ``only_listed`` (no row is excluded), ``bans`` (an excluded row can list ids),
    ``never_empty`` (every row allows something), ``padded`` (a row that allows something can hold ``PAD``).
    """

    listed: Tensor
    excluded: Tensor
    vocab_size: int
    only_listed: bool = False
    bans: bool = True
    never_empty: bool = False
    padded: bool = True

    @classmethod
    def everything(cls, rows: int, vocab_size: int, device: torch.device | str = "cpu") -> AllowSet:
        """No constraint on any of ``rows`` rows."""
        listed = torch.empty((rows, 0), dtype=torch.int64, device=device)
        excluded = torch.ones(rows, dtype=torch.bool, device=device)
        return cls(listed, excluded, vocab_size, bans=False, never_empty=vocab_size > 0)

    @classmethod
    def of(cls, rows: Sequence[Sequence[int] | None], vocab_size: int, device: torch.device | str = "cpu") -> AllowSet:
        """From one list of ids per row; ``None`` means all. Raises ``TokenOutOfRange`` for an id outside the
        vocabulary.
        """
        lists = [[] if ids is None else sorted(set(ids)) for ids in rows]
        for row, ids in enumerate(lists):
            if ids and not 0 <= ids[0] <= ids[-1] < vocab_size:
                bad = ids[0] if ids[0] < 0 else ids[-1]
                raise TokenOutOfRange(f"id {bad} is outside [0, {vocab_size})", row=row, field=f"allow[{row}]")
        width = max((len(ids) for ids in lists), default=0)
        padded = [ids + [PAD] * (width - len(ids)) for ids in lists]
        listed = torch.tensor(padded, dtype=torch.int64, device=device).reshape(len(rows), width)
        excluded = torch.tensor([ids is None for ids in rows], dtype=torch.bool, device=device)
        return cls(
            listed,
            excluded,
            vocab_size,
            only_listed=all(ids is not None for ids in rows),
            bans=False,
            never_empty=all(ids is None or len(ids) > 0 for ids in rows),
        )

    @classmethod
    def except_for(cls, banned: Tensor, vocab_size: int) -> AllowSet:
        """Everything but ``banned``: int64 ``[rows, width]``, any order, ``PAD`` where nothing is banned."""
        listed = _compact(banned)
        excluded = torch.ones(listed.shape[0], dtype=torch.bool, device=listed.device)
        return cls(listed, excluded, vocab_size, never_empty=listed.shape[1] < vocab_size)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.excluded.shape[0])

    def ids(self, row: int) -> list[int] | None:
        """The allowed ids of one row, ascending; ``None`` when every id of the vocabulary is allowed."""
        listed = [token for token in self.listed[row].tolist() if token != PAD]
        if bool(self.excluded[row]):
            banned = set(listed)
            return None if not banned else [token for token in range(self.vocab_size) if token not in banned]
        return None if len(listed) == self.vocab_size else listed

    def to_lists(self) -> list[list[int] | None]:
        """``ids`` of every row."""
        return [self.ids(row) for row in range(self.rows)]

    def count(self) -> Tensor:
        """How many ids each row allows, int64 ``[rows]``."""
        listed = (self.listed != PAD).sum(dim=1)
        return torch.where(self.excluded, self.vocab_size - listed, listed)

    def contains(self, tokens: Tensor) -> Tensor:
        """Whether ``tokens[row]`` is allowed on its row, bool ``[rows]``."""
        return (self.listed == tokens.unsqueeze(1)).any(dim=1) != self.excluded

    def gather(self, rows: Sequence[int]) -> AllowSet:
        """The sets of these rows, in this order."""
        index = torch.tensor(rows, dtype=torch.int64, device=self.listed.device)
        return replace(self, listed=self.listed[index], excluded=self.excluded[index])

    def where(self, mask: Tensor, other: AllowSet) -> AllowSet:
        """This set where ``mask`` (bool ``[rows]``), the other one elsewhere."""
        _same_shape(self, other)
        width = max(self.listed.shape[1], other.listed.shape[1])
        listed = torch.where(mask.unsqueeze(1), _widen(self.listed, width), _widen(other.listed, width))
        return AllowSet(
            listed,
            torch.where(mask, self.excluded, other.excluded),
            self.vocab_size,
            only_listed=self.only_listed and other.only_listed,
            bans=self.bans or other.bans,
            never_empty=self.never_empty and other.never_empty,
        )

    def intersect(self, other: AllowSet) -> AllowSet:
        """Ids allowed by both; commutative and idempotent, static shapes, no device read.

        Cost: one binary search of each side's lists in the other's, ``O(rows * width * log(width))``.
        """
        _same_shape(self, other)
        mine_in_other = _member(self.listed, other.listed)
        other_in_mine = _member(other.listed, self.listed)
        # an id of a listed row survives if the other row allows it; of two excluded rows all bans survive
        keep_mine = torch.where(
            self.excluded[:, None], other.excluded[:, None], mine_in_other != other.excluded[:, None]
        )
        keep_other = self.excluded[:, None] & ~other_in_mine
        mine = torch.where(keep_mine, self.listed, PAD)
        if self.only_listed:
            listed = mine
        elif other.only_listed:
            listed = torch.where(other_in_mine != self.excluded[:, None], other.listed, PAD)
        else:
            listed = torch.cat([mine, torch.where(keep_other, other.listed, PAD)], dim=1)
        free = any(one.never_empty and one.listed.shape[1] == 0 for one in (self, other))
        return AllowSet(
            listed.sort(dim=1).values,
            self.excluded & other.excluded,
            self.vocab_size,
            only_listed=self.only_listed or other.only_listed,
            bans=self.bans or other.bans,
            never_empty=free and self.never_empty and other.never_empty,
        )


def _same_shape(one: AllowSet, other: AllowSet) -> None:
    if one.vocab_size != other.vocab_size:
        raise VocabMismatch(f"sets over {one.vocab_size} and {other.vocab_size} ids do not combine", field="vocab_size")
    if one.rows != other.rows:
        raise ShapeMismatch(f"sets of {one.rows} and {other.rows} rows do not combine", field="allow")


def _widen(listed: Tensor, width: int) -> Tensor:
    return torch.nn.functional.pad(listed, (0, width - listed.shape[1]), value=PAD)


def _compact(listed: Tensor) -> Tensor:
    """Sort each row and turn repeated ids into ``PAD``."""
    ordered = listed.sort(dim=1).values
    repeated = torch.zeros_like(ordered, dtype=torch.bool)
    repeated[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    return torch.where(repeated, PAD, ordered).sort(dim=1).values


def _member(needles: Tensor, haystack: Tensor) -> Tensor:
    """Whether each id of ``needles`` occurs in the same row of ``haystack``; ``PAD`` never does."""
    if haystack.shape[1] == 0:
        return torch.zeros_like(needles, dtype=torch.bool)
    at = torch.searchsorted(haystack.contiguous(), needles.contiguous()).clamp(max=haystack.shape[1] - 1)
    return (haystack.gather(1, at) == needles) & (needles != PAD)
