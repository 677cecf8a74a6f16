"""The dynamic programme of ``nw-compat``, one cell at a time: the readable twin of ``nw_rows``.

With NeMo-RL's scores these are integers in units of 1.5: match +2, mismatch -2, gap -1, one token against k tokens +k
(upstream: 3.0, -3.0, -1.5, 1.5 * k in float32, where every sum is exact). Source: NeMo-RL x_token, ``_align_dp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tokenspec_reference.aligners.alignment import AlignmentPair
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, Rules, Scores, rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Move = tuple[Literal["diagonal", "up", "left", "one-to-many", "many-to-one"], int, int]


def align_scalar(
    student: Sequence[str], teacher: Sequence[str], *, max_comb_len: int = 4, scores: Scores = DEFAULT_SCORES
) -> tuple[list[AlignmentPair[str]], float]:
    """Best alignment of two canonical sequences and its score.

    A candidate replaces the best so far only if it is strictly greater, in the order diagonal, up, left,
    one-to-many k = 2..K, many-to-one k = 2..K (``ALN-033``). Time and memory O(n * m * K).
    """
    rules = rules_of(scores, len(student) + len(teacher), max_comb_len)
    spelled = [[scores.spell(token) for token in side] for side in (student, teacher)]
    joins = [_joins(side, scores, max_comb_len) for side in (student, teacher)]
    score: list[list[Any]] = [[0 * rules.gap]]
    for _ in teacher:
        score[0].append(score[0][-1] + rules.gap)
    moves: list[list[Move]] = [[("left", 0, 1)] * (len(teacher) + 1)]
    for i in range(1, len(student) + 1):
        score.append([score[-1][0] + rules.gap] + [0 * rules.gap] * len(teacher))
        moves.append([("up", 1, 0)] * (len(teacher) + 1))
        for j in range(1, len(teacher) + 1):
            a, b = spelled[0][i - 1], spelled[1][j - 1]
            score[i][j], moves[i][j] = _best(score, (a, b), (joins[0][i], joins[1][j]), (i, j), rules)
    return pairs_of_moves(student, teacher, _walk_back(moves)), float(score[-1][-1]) * rules.unit


def _joins(tokens: Sequence[str], scores: Scores, max_comb_len: int) -> list[list[str]]:
    """``joins[end][k - 2]``: the k tokens before ``end`` as one."""
    return [
        [scores.spell("".join(tokens[end - k : end])) for k in range(2, min(end, max_comb_len) + 1)]
        for end in range(len(tokens) + 1)
    ]


def _best(
    score: list[list[Any]],
    tokens: tuple[str, str],
    joins: tuple[list[str], list[str]],
    at: tuple[int, int],
    rules: Rules,
) -> tuple[Any, Move]:
    (a, b), (i, j) = tokens, at
    best = score[i - 1][j - 1] + (rules.match if a == b else -rules.match)
    move: Move = ("diagonal", 1, 1)
    if score[i - 1][j] + rules.gap > best:
        best, move = score[i - 1][j] + rules.gap, ("up", 1, 0)
    if score[i][j - 1] + rules.gap > best:
        best, move = score[i][j - 1] + rules.gap, ("left", 0, 1)
    for k, joined in enumerate(joins[1], start=2):
        if a == joined and score[i - 1][j - k] + rules.combinations[k] > best:
            best, move = score[i - 1][j - k] + rules.combinations[k], ("one-to-many", 1, k)
    for k, joined in enumerate(joins[0], start=2):
        if b == joined and score[i - k][j - 1] + rules.combinations[k] > best:
            best, move = score[i - k][j - 1] + rules.combinations[k], ("many-to-one", k, 1)
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
