"""MASKS of what is no body: scaffold belongs to a message beside it or to none, the generation prompt to none."""

from __future__ import annotations

from collections.abc import Iterable

from tokenspec.areas.check import Subject, Violation, check
from tokenspec.areas.render.checks.laying import BODY, Label
from tokenspec.areas.render.checks.masks import has_tokens, indices_of
from tokenspec.areas.render.checks.place import count_of, describe, labels_of


def nearest(labels: Iterable[Label], start: int) -> list[tuple[int, int]]:
    """Per token the messages of the last two bodies up to it; ``start`` before the first.

    Two, because a turn may hold the bodies of two messages (a system text folded into a question).
    """
    found, recent = [], (start, start)
    for kind, message in labels:
        if kind in BODY and message is not None and message != recent[1]:
            recent = recent[1], message
        found.append(recent)
    return found


@check("render.scaffold-indices", area="render", level="MASKS", requires=("RND-021",), applies=has_tokens)
def scaffold_wraps_its_message(subject: Subject) -> None:
    """Scaffold carries -1 or the index of a message between the two bodies on each side, the generation prompt -1."""
    indices, labels = indices_of(subject), labels_of(subject)
    before = nearest(labels, 0)
    behind = nearest(reversed(labels), count_of(subject) - 1)[::-1]
    for token, (kind, _) in enumerate(labels):
        beside = (*before[token], *behind[token])
        if kind == "prompt" and indices[token] != -1:
            raise Violation(
                "a token of the generation prompt carries a message's index",
                where=describe(subject, token),
                expected=-1,
                got=indices[token],
            )
        if kind == "scaffold" and indices[token] != -1 and not min(beside) <= indices[token] <= max(beside):
            raise Violation(
                "scaffold carries the index of a message that is not beside it",
                where=describe(subject, token),
                expected=f"-1 or {min(beside)} .. {max(beside)}",
                got=indices[token],
            )
