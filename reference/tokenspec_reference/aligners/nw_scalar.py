"""The dynamic programme of ``nw-compat``, one cell at a time: the readable twin of ``nw_rows``.

Scores are integers in units of 1.5: match +2, mismatch -2, gap -1, one token against k tokens +k (upstream: 3.0,
-3.0, -1.5, 1.5 * k in float32, where every sum is exact). Source: the seed's ``_align_dp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tokenspec_reference.aligners.alignment import AlignmentPair

if TYPE_CHECKING:
    from collections.abc import Sequence

MATCH, MISMATCH, GAP = 2, -2, -1
UNIT = 1.5

Move = tuple[Literal["diagonal", "up", "left", "one-to-many", "many-to-one"], int, int]


def align_scalar(
    student: Sequence[str], teacher: Sequence[str], *, max_comb_len: int = 4
) -> tuple[list[AlignmentPair[str]], float]:
    """Best alignment of two canonical sequences and its score.

    A candidate replaces the best so far only if it is strictly greater, in the order diagonal, up, left,
    one-to-many k = 2..K, many-to-one k = 2..K (``ALN-033``). Time and memory O(n * m * K).
    """
    score = [[GAP * column for column in range(len(teacher) + 1)]]
    moves: list[list[Move]] = [[("left", 0, 1)] * (len(teacher) + 1)]
    for i in range(1, len(student) + 1):
        score.append([GAP * i] + [0] * len(teacher))
        moves.append([("up", 1, 0)] * (len(teacher) + 1))
        for j in range(1, len(teacher) + 1):
            score[i][j], moves[i][j] = _best(score, student, teacher, i, j, max_comb_len)
    return pairs_of_moves(student, teacher, _walk_back(moves)), score[-1][-1] * UNIT


def _best(
    score: list[list[int]], student: Sequence[str], teacher: Sequence[str], i: int, j: int, max_comb_len: int
) -> tuple[int, Move]:
    a, b = student[i - 1], teacher[j - 1]
    best = score[i - 1][j - 1] + (MATCH if a == b else MISMATCH)
    move: Move = ("diagonal", 1, 1)
    if score[i - 1][j] + GAP > best:
        best, move = score[i - 1][j] + GAP, ("up", 1, 0)
    if score[i][j - 1] + GAP > best:
        best, move = score[i][j - 1] + GAP, ("left", 0, 1)
    for k in range(2, min(j, max_comb_len) + 1):
        if score[i - 1][j - k] + k > best and a == "".join(teacher[j - k : j]):
            best, move = score[i - 1][j - k] + k, ("one-to-many", 1, k)
    for k in range(2, min(i, max_comb_len) + 1):
        if score[i - k][j - 1] + k > best and b == "".join(student[i - k : i]):
            best, move = score[i - k][j - 1] + k, ("many-to-one", k, 1)
    return best, move


def _walk_back(moves: list[list[Move]]) -> list[tuple[int, int]]:
    """Steps (student tokens, teacher tokens) in text order."""
    i, j = len(moves) - 1, len(moves[0]) - 1
    steps = []
    while i or j:
        _, di, dj = moves[i][j]
        steps.append((di, dj))
        i, j = i - di, j - dj
    return steps[::-1]


def pairs_of_moves(
    student: Sequence[str], teacher: Sequence[str], steps: Sequence[tuple[int, int]]
) -> list[AlignmentPair[str]]:
    """Turn steps into pairs; a step of 0 tokens is an empty side with the sentinel -1."""
    pairs = []
    i = j = 0
    for di, dj in steps:
        s_span = (i, i + di) if di else (-1, -1)
        t_span = (j, j + dj) if dj else (-1, -1)
        pairs.append(AlignmentPair(list(student[i : i + di]), list(teacher[j : j + dj]), *s_span, *t_span))
        i, j = i + di, j + dj
    return pairs
