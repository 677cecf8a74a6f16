"""The dynamic programme over many short segments at once: what lies between anchors, and what repairs look at.

The rows of ``nw_rows``, each as long as the longest segment of its size; a cell depends on nothing beyond its own
segment, so what is filled up changes nothing. Segments too large for that run by themselves, on any device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tokenspec_reference.aligners.nw_rows import Interned, fill_rows, intern_sequences, walk_back
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.nw_scores import Rules, Scores, rules_of

if TYPE_CHECKING:
    import torch

Segment = tuple[Sequence[str], Sequence[str]]
Steps = list[tuple[int, int]]
LARGE = 1 << 15
"""Cells from which a segment runs alone."""
NO_STUDENT, NO_TEACHER, NO_STUDENT_JOIN, NO_TEACHER_JOIN = -2, -3, -4, -5


def align_segments(
    segments: Sequence[Segment], *, max_comb_len: int, scores: Scores, device: torch.device | str
) -> list[Steps]:
    """Steps (student tokens, teacher tokens) in text order of each pair of canonical sequences."""
    solved: list[Steps] = [[]] * len(segments)
    by_size: dict[tuple[int, int], list[int]] = {}
    for number, (student, teacher) in enumerate(segments):
        if not student or not teacher:
            solved[number] = [(1, 0)] * len(student) + [(0, 1)] * len(teacher)
        else:
            by_size.setdefault((len(student).bit_length(), len(teacher).bit_length()), []).append(number)
    for numbers in by_size.values():
        tokens = max(len(segments[number][0]) + len(segments[number][1]) for number in numbers)
        rules = rules_of(scores, tokens, max_comb_len)
        if rules.rounded:
            for number in numbers:
                pairs, _ = align_scalar(*segments[number], max_comb_len=max_comb_len, scores=scores)
                solved[number] = [(len(pair.s_tokens), len(pair.t_tokens)) for pair in pairs]
            continue
        interned = [intern_sequences(*segments[number], max_comb_len, scores.spell) for number in numbers]
        for number, found in zip(numbers, _tables(interned, rules, device), strict=True):
            solved[number] = found
    return solved


def _tables(sides: list[tuple[Interned, Interned]], rules: Rules, device: torch.device | str) -> list[Steps]:
    import torch

    height = max(len(s.tokens) for s, _ in sides)
    width = max(len(t.tokens) for _, t in sides)
    if height * width >= LARGE:
        return [walk_back(fill_rows(s, t, torch.device(device), rules), s, t, rules) for s, t in sides]
    table = _filled(sides, height, width, rules)
    return [walk_back(table[:, number].tolist(), s, t, rules) for number, (s, t) in enumerate(sides)]


def _filled(sides: list[tuple[Interned, Interned]], height: int, width: int, rules: Rules) -> np.ndarray:
    """The tables F of all segments, ``[height + 1, segments, width + 1]``."""
    students, teachers = [s for s, _ in sides], [t for _, t in sides]
    own = _stacked([side.tokens for side in students], height, NO_STUDENT)
    their = _stacked([side.tokens for side in teachers], width, NO_TEACHER)
    many = _stacked_joins(students, height, NO_STUDENT_JOIN)
    one = _stacked_joins(teachers, width, NO_TEACHER_JOIN)
    table = np.zeros((height + 1, len(sides), width + 1), np.int32)
    for i in range(1, height + 1):
        above, token = table[i - 1], own[:, i - 1, None]
        best = above[:, :-1] + np.where(token == their, rules.equal, rules.unequal)
        np.maximum(best, above[:, 1:], out=best)
        for k, found in one.items():
            _raise_to(best[:, k - 1 :], above[:, :-k], token == found[:, k:], rules.joined[k])
        for k, found in many.items():
            if k <= i:
                _raise_to(best, table[i - k, :, :-1], found[:, i, None] == their, rules.joined[k])
        np.maximum.accumulate(best, axis=1, out=table[i, :, 1:])
    return table


def _raise_to(best: np.ndarray, source: np.ndarray, where: np.ndarray, gain: int) -> None:
    if where.any():
        np.maximum(best, source + gain, out=best, where=where)


def _stacked(rows: Sequence[np.ndarray], width: int, filler: int) -> np.ndarray:
    stacked = np.full((len(rows), width), filler, np.int64)
    for row, values in enumerate(rows):
        stacked[row, : len(values)] = values
    return stacked


def _stacked_joins(sides: Sequence[Interned], width: int, filler: int) -> dict[int, np.ndarray]:
    """By size of the join: ``[segments, width + 1]``, the filler where no token equals it."""
    stacked = {}
    for k in {k for side in sides for k in side.joins}:
        found = np.full((len(sides), width + 1), filler, np.int64)
        for row, side in enumerate(sides):
            if k in side.joins:
                known = side.joins[k]
                found[row, : len(known)] = np.where(known < 0, filler, known)
        stacked[k] = found
    return stacked
