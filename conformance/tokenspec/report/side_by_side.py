"""Two sequences laid side by side: runs of equal, changed, missing and added items, for tokens and for lines."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from tokenspec.report.exhibit import same_owner
from tokenspec.verdict import Tokens

Run = tuple[str, int, int]
"""A mark and how many items of the left and of the right side it covers: ``=`` equal, ``~`` changed, ``-`` only left,
``+`` only right, ``o`` same token, another owner."""

LONGEST_MIDDLE = 1500
"""Items between the common ends up to which the best alignment is searched (quadratic); longer ones are changed."""


def side_by_side(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Run]:
    """Runs that tile both sides. Common ends are cut off first, so a single edit costs nothing."""
    shorter = min(len(left), len(right))
    head = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    tail = next((i for i in range(shorter - head) if left[-1 - i] != right[-1 - i]), shorter - head)
    a, b = left[head : len(left) - tail], right[head : len(right) - tail]
    runs: list[Run] = [("=", head, head)]
    if max(len(a), len(b)) > LONGEST_MIDDLE:
        runs.append(("~", len(a), len(b)))
    else:
        marks = {"equal": "=", "replace": "~", "delete": "-", "insert": "+"}
        codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        runs += [(marks[tag], i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in codes]
    runs.append(("=", tail, tail))
    return [run for run in runs if run[1] or run[2]]


def tokens_side_by_side(expected: Tokens, got: Tokens) -> list[Run]:
    """The same for tokens, by id; equal ids whose owners disagree are marked ``o``."""
    want, have = expected.labels(), got.labels()
    runs: list[Run] = []
    i = j = 0
    for mark, left, right in side_by_side(expected.ids, got.ids):
        if mark == "=":
            agree = [same_owner(a, b) for a, b in zip(want[i : i + left], have[j : j + right], strict=True)]
            for same, group in groupby(agree):
                length = len(list(group))
                runs.append(("=" if same else "o", length, length))
        else:
            runs.append((mark, left, right))
        i, j = i + left, j + right
    return runs
