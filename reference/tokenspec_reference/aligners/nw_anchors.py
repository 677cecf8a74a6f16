"""Anchors of ``nw-compat``: n-grams that occur once on each side cut the table into small segments.

Upstream's two mistakes are kept (``ALN-034``): an n-gram that is unique on both sides need not be the same place of the
text, and the monotone filter keeps the first anchors in student order, so one far outlier removes all that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from tokenspec_reference.aligners.alignment import AlignmentPair

Anchor = tuple[int, int, int]
Kernel = Callable[[Sequence[str], Sequence[str]], tuple[list[AlignmentPair[str]], float]]


def align_with_anchors(
    student: Sequence[str], teacher: Sequence[str], kernel: Kernel, *, anchor_lengths: Sequence[int] = (3,)
) -> tuple[list[AlignmentPair[str]], float]:
    """Run ``kernel`` between anchors. The score is the kernel's if there is no anchor, else 0.0."""
    anchors = find_anchors(student, teacher, anchor_lengths)
    if not anchors:
        return kernel(student, teacher)
    pairs: list[AlignmentPair[str]] = []
    last_i = last_j = 0
    for i, j, length in anchors:
        segment, _ = kernel(student[last_i:i], teacher[last_j:j])
        pairs += [pair.shifted(last_i, last_j) for pair in segment]
        pairs += [
            AlignmentPair([student[i + x]], [teacher[j + x]], i + x, i + x + 1, j + x, j + x + 1) for x in range(length)
        ]
        last_i, last_j = i + length, j + length
    tail, _ = kernel(student[last_i:], teacher[last_j:])
    pairs += [pair.shifted(last_i, last_j) for pair in tail]
    return pairs, 0.0


def find_anchors(student: Sequence[Hashable], teacher: Sequence[Hashable], lengths: Sequence[int]) -> list[Anchor]:
    """Anchors (student start, teacher start, length) in student order, with increasing teacher positions."""
    candidates = [anchor for length in lengths for anchor in _unique_matches(student, teacher, length)]
    candidates.sort(key=lambda anchor: (-anchor[2], anchor[0]))
    used_student, used_teacher = bytearray(len(student)), bytearray(len(teacher))
    chosen = []
    for i, j, length in candidates:
        if not any(used_student[i : i + length]) and not any(used_teacher[j : j + length]):
            chosen.append((i, j, length))
            used_student[i : i + length] = used_teacher[j : j + length] = b"\1" * length
    return _keep_increasing(sorted(chosen))


def _keep_increasing(anchors: Sequence[Anchor]) -> list[Anchor]:
    kept = []
    last_j = -1
    for i, j, length in anchors:
        if j > last_j:
            kept.append((i, j, length))
            last_j = j  # none begins within another
    return kept


def _unique_matches(student: Sequence[Hashable], teacher: Sequence[Hashable], length: int) -> list[Anchor]:
    in_student, in_teacher = _unique_starts(student, length), _unique_starts(teacher, length)
    return [(i, in_teacher[gram], length) for gram, i in in_student.items() if gram in in_teacher]


def _unique_starts(tokens: Sequence[Hashable], length: int) -> dict[tuple[Hashable, ...], int]:
    """Start of every n-gram that occurs exactly once."""
    starts: dict[tuple[Hashable, ...], int] = {}
    repeated = set()
    for start, gram in enumerate(zip(*(tokens[shift:] for shift in range(length)), strict=False)):
        if starts.setdefault(gram, start) != start:
            repeated.add(gram)
    for gram in repeated:
        del starts[gram]
    return starts
