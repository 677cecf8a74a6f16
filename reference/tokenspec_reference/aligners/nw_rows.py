"""The same dynamic programme, a row of cells at a time, on any device.

Two ideas make it short. First, strings become integers: every token and every join of 2..K tokens is looked up in one
exact dictionary on the host. Second, scores are written as ``F[i, j] = D[i, j] - (i + j) * gap`` in whole units, so
that a gap costs 0 (and, with NeMo-RL's scores, a mismatch gains 0, a match 4 and a combination of k tokens 2k + 1). A
left gap is then a running maximum along the row::

    F[i] = running maximum of max(F[i-1], shifted F[i-1] + 4 where equal, combinations)

Scores that float32 would round have no such units; the scalar twin adds them as upstream does.

The maximum does not depend on order; the order of ties is restored while walking back, by testing diagonal, up, left,
one-to-many, many-to-one against F. Paths and scores equal the scalar twin's (``ALN-040``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tokenspec_reference.aligners.nw_scalar import align_scalar, pairs_of_moves
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, Rules, Scores, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokenspec_reference.aligners.alignment import AlignmentPair

ROWS_PER_BLOCK = 256


@dataclass(frozen=True)
class Interned:
    """Strings as integers. ``joins[k][x]``: id of the k tokens that end before ``x``, -1 if no token equals it."""

    tokens: np.ndarray
    joins: dict[int, np.ndarray]


def intern_sequences(
    student: Sequence[str], teacher: Sequence[str], max_comb_len: int, spell: Callable[[str], str] = str
) -> tuple[Interned, Interned]:
    """Integer forms of both sides; equal integers mean equal strings, exactly. ``spell``: what is compared of each."""
    index: dict[str, int] = {}
    ids = [
        np.array([index.setdefault(spell(token), len(index)) for token in tokens], np.int64)
        for tokens in (student, teacher)
    ]
    joins = [_joins(tokens, index, max_comb_len, spell) for tokens in (student, teacher)]
    return Interned(ids[0], joins[0]), Interned(ids[1], joins[1])


def _joins(
    tokens: Sequence[str], index: dict[str, int], max_comb_len: int, spell: Callable[[str], str]
) -> dict[int, np.ndarray]:
    result = {}
    for k in range(2, min(len(tokens), max_comb_len) + 1):
        found = np.full(len(tokens) + 1, -1, np.int64)
        for end in range(k, len(tokens) + 1):
            found[end] = index.get(spell("".join(tokens[end - k : end])), -1)
        if (found >= 0).any():
            result[k] = found
    return result


def align_rows(
    student: Sequence[str],
    teacher: Sequence[str],
    *,
    max_comb_len: int = 4,
    device: torch.device | str = "cpu",
    scores: Scores = DEFAULT_SCORES,
) -> tuple[list[AlignmentPair[str]], float]:
    """``align_scalar`` with rows as tensors: same pairs, same order, same score.

    Memory 2 bytes per cell up to 16,000 tokens for both sides together, else 4.
    """
    rules = rules_of(scores, len(student) + len(teacher), max_comb_len)
    if rules.rounded:
        return align_scalar(student, teacher, max_comb_len=max_comb_len, scores=scores)
    s, t = intern_sequences(student, teacher, max_comb_len, scores.spell)
    filled = fill_rows(s, t, torch.device(device), rules)
    steps = walk_back(filled, s, t, rules)
    score = int(filled[-1, -1]) + (len(student) + len(teacher)) * rules.gap
    return pairs_of_moves(student, teacher, steps), score * rules.unit


def fill_rows(s: Interned, t: Interned, device: torch.device, rules: Rules) -> np.ndarray:
    """The table F, shape ``(n + 1, m + 1)``, on the host."""
    n, m = len(s.tokens), len(t.tokens)
    dtype = torch.int16 if rules.most * (n + m) < 32_000 else torch.int32
    table = torch.zeros(n + 1, m + 1, dtype=dtype, device=device)
    teacher_ids = torch.from_numpy(t.tokens).to(device)
    teacher_joins = {k: torch.from_numpy(found).to(device) for k, found in t.joins.items()}
    best = torch.empty(m, dtype=dtype, device=device)
    ignored = torch.empty(m, dtype=torch.int64, device=device)
    for start in range(0, n, ROWS_PER_BLOCK):
        block = slice(start, min(start + ROWS_PER_BLOCK, n))
        student_ids = torch.from_numpy(s.tokens[block]).to(device)[:, None]
        gains = (student_ids == teacher_ids).to(dtype).mul_(rules.equal - rules.unequal).add_(rules.unequal)
        one_to_many = {k: student_ids == found[k:] for k, found in teacher_joins.items()}
        many_to_one = {
            k: torch.from_numpy(found[block.start + 1 : block.stop + 1]).to(device)[:, None] == teacher_ids
            for k, found in s.joins.items()
        }
        busy_one = {k: hits.any(1).tolist() for k, hits in one_to_many.items()}
        busy_many = {k: hits.any(1).tolist() for k, hits in many_to_one.items()}
        for r in range(block.stop - block.start):
            i = block.start + r + 1
            above = table[i - 1]
            torch.add(above[:-1], gains[r], out=best)
            torch.maximum(best, above[1:], out=best)
            for k, busy in busy_one.items():
                if busy[r]:
                    _raise_to(best[k - 1 :], above[:-k], one_to_many[k][r], rules.joined[k])
            for k, busy in busy_many.items():
                if busy[r]:
                    _raise_to(best, table[i - k, :-1], many_to_one[k][r], rules.joined[k])
            torch.cummax(best, 0, out=(table[i, 1:], ignored))
    host: np.ndarray = table.cpu().numpy()
    return host


def _raise_to(best: torch.Tensor, source: torch.Tensor, where: torch.Tensor, gain: int) -> None:
    torch.maximum(best, torch.where(where, source + gain, best), out=best)


def walk_back(table: Any, s: Interned, t: Interned, rules: Rules) -> list[tuple[int, int]]:
    """Steps in text order that lead to the last cell of both sides; ``table`` is read as ``table[i][j]``."""
    students, teachers = s.tokens.tolist(), t.tokens.tolist()
    joins = [{k: found.tolist() for k, found in side.joins.items()} for side in (s, t)]
    steps = []
    i, j = len(students), len(teachers)
    while i and j:
        di, dj = _move(table, (students, teachers), joins, (i, j), rules)
        steps.append((di, dj))
        i, j = i - di, j - dj
    steps += [(1, 0)] * i + [(0, 1)] * j
    return steps[::-1]


def _move(
    table: Any,
    tokens: tuple[list[int], list[int]],
    joins: list[dict[int, list[int]]],
    at: tuple[int, int],
    rules: Rules,
) -> tuple[int, int]:
    """The first candidate, in the order of the scalar twin, that attains ``F[i, j]``; a join that begins before the
    first token is none.
    """
    i, j = at
    value, a, b = table[i][j], tokens[0][i - 1], tokens[1][j - 1]
    if table[i - 1][j - 1] + (rules.equal if a == b else rules.unequal) == value:
        return 1, 1
    if table[i - 1][j] == value:
        return 1, 0
    if table[i][j - 1] == value:
        return 0, 1
    for k, found in joins[1].items():
        if found[j] == a and table[i - 1][j - k] + rules.joined[k] == value:
            return 1, k
    for k, found in joins[0].items():
        if found[i] == b and table[i - k][j - 1] + rules.joined[k] == value:
            return k, 1
    raise AssertionError("every cell has a predecessor")
