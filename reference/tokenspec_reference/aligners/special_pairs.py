"""Pairs of special tokens: same byte position, same role, same occurrence, and never crossing (``ALN-013``).

The rule treats both sides alike. At one position the k-th token of a role pairs with the k-th of that role on the other
side; candidates that cross another candidate are dropped, all of them, so that no side decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class _Specials:
    """Special tokens of a batch in order: flat position ``row * T + t`` and a key (row, place, role, occurrence)."""

    position: torch.Tensor
    key: torch.Tensor


def pair_specials(
    s_code: torch.Tensor,
    s_places: torch.Tensor,
    t_code: torch.Tensor,
    t_places: torch.Tensor,
    common: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Bool masks ``[B, T]`` of the special tokens of each side that have a partner.

    Codes are positive for tokens that may pair; places are their byte positions, ``common`` ``[B, 1]`` the last one
    at which the texts still agree.
    """
    s_mask, t_mask = torch.zeros_like(s_code, dtype=torch.bool), torch.zeros_like(t_code, dtype=torch.bool)
    s_may, t_may = (s_code > 0) & (s_places <= common), (t_code > 0) & (t_places <= common)
    if not bool(s_may.any() & t_may.any()):
        return s_mask, t_mask
    roles = 1 + max(int(s_code.max()), int(t_code.max()))
    occurrences = 1 + max(s_code.shape[1], t_code.shape[1])
    span = 1 + int(common.max())
    student = _collect(s_may, s_code, s_places, roles, occurrences, span)
    teacher = _collect(t_may, t_code, t_places, roles, occurrences, span)
    order = teacher.key.argsort()
    found = torch.searchsorted(teacher.key[order], student.key).clamp(max=len(order) - 1)
    partner = order[found]
    matched = teacher.key[partner] == student.key
    s_position, t_position = student.position[matched], teacher.position[partner[matched]]
    straight = _crosses_nothing(t_position)
    s_mask.view(-1)[s_position[straight]] = True
    t_mask.view(-1)[t_position[straight]] = True
    return s_mask, t_mask


def _collect(
    may: torch.Tensor, code: torch.Tensor, places: torch.Tensor, roles: int, occurrences: int, span: int
) -> _Specials:
    position = may.flatten().nonzero().flatten()
    row = position // may.shape[1]
    key = (row * span + places.flatten()[position]) * roles + code.flatten()[position]
    ordered, order = key.sort(stable=True)
    rank = torch.arange(len(key), device=key.device) - torch.searchsorted(ordered, ordered)
    occurrence = torch.empty_like(rank)
    occurrence[order] = rank
    return _Specials(position, key * occurrences + occurrence)


def _crosses_nothing(partners: torch.Tensor) -> torch.Tensor:
    """Elements greater than all before and smaller than all after."""
    if len(partners) == 0:
        return torch.zeros(0, dtype=torch.bool, device=partners.device)
    low, high = partners.new_full((1,), -1), partners.new_full((1,), torch.iinfo(partners.dtype).max)
    before = torch.cat([low, partners.cummax(0).values[:-1]])
    after = torch.cat([partners.flip(0).cummin(0).values.flip(0)[1:], high])
    return (partners > before) & (partners < after)
