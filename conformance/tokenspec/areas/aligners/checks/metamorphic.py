"""Checks that ask again with a changed request: exchanged sides, other padding and neighbours, a side with itself."""

from __future__ import annotations

import copy
from typing import Any

from tokenspec.areas.aligners.checks.boundary import is_boundary
from tokenspec.areas.aligners.checks.view import SIDES, View, views
from tokenspec.areas.check import Question, Subject, Violation, check

Request = dict[str, Any]


def is_plain(question: Question) -> bool:
    """A ``boundary`` request over tokenizers, whose ids may be rearranged."""
    return is_boundary(question) and question.request["task"] == "align"


def is_for_identity(question: Question) -> bool:
    """Such a request, of a case about identity."""
    return is_plain(question) and "ALN-021" in question.cell.case.requires


@check(
    "aligners.symmetry", area="aligners", level="SPANS", requires=("ALN-019",), kind="metamorphic", applies=is_boundary
)
def symmetry(subject: Subject) -> None:
    """Exchanging the sides exchanges the chunk ids (A4)."""
    request = copy.deepcopy(subject.request)
    holder = request if request["task"] == "align" else request["data"]
    holder["student"], holder["teacher"] = holder["teacher"], holder["student"]
    if request["task"] == "align-pieces":
        habits = [holder.get(f"{name}_habits", {}) for name in SIDES]
        holder["teacher_habits"], holder["student_habits"] = habits
    mirrored = views(subject, subject.output_of(request), request)
    for view, other in zip(views(subject), mirrored, strict=True):
        if view.ids != (other.ids[1], other.ids[0]):
            raise Violation(
                "exchanging the sides gives other chunks", where=f"row {view.row}", expected=view.ids, got=other.ids
            )


@check(
    "aligners.padding-invariance",
    area="aligners",
    level="SPANS",
    requires=("ALN-020",),
    kind="metamorphic",
    applies=is_plain,
)
def padding_invariance(subject: Subject) -> None:
    """Each row alone, with other padding, aligns as it did in the batch (A5)."""
    for view in views(subject):
        request = alone(subject.request, view.row, left=2 + view.row, right=3)
        other = views(subject, subject.output_of(request), request)[0]
        for side in (0, 1):
            if real_ids(view, side) != real_ids(other, side):
                raise Violation(
                    f"{SIDES[side]} tokens get other chunks with other padding and neighbours",
                    where=f"row {view.row}",
                    expected=real_ids(view, side),
                    got=real_ids(other, side),
                )


def alone(request: Request, row: int, *, left: int, right: int) -> Request:
    """One row of a batch, padded anew: ``left`` student positions before, ``right`` teacher positions after."""
    made = copy.deepcopy(request)
    for name, before, after in (("student", left, 0), ("teacher", 1, right)):
        side = made[name]
        kept = [token for token, real in zip(side["ids"][row], side["mask"][row], strict=True) if real]
        filler = side["ids"][row][0] if side["ids"][row] else 0
        side["ids"] = [[filler] * before + kept + [filler] * after]
        side["mask"] = [[0] * before + [1] * len(kept) + [0] * after]
        side["texts"] = [side["texts"][row]]
    return made


def real_ids(view: View, side: int) -> list[int]:
    """Chunk ids of the positions that are not padding."""
    return [chunk for chunk, real in zip(view.ids[side], view.masks[side], strict=True) if real]


@check(
    "aligners.identity",
    area="aligners",
    level="SPANS",
    requires=("ALN-021",),
    kind="metamorphic",
    applies=is_for_identity,
)
def identity(subject: Subject) -> None:
    """A side aligned with itself: every token is a chunk of its own (A6)."""
    request = copy.deepcopy(subject.request)
    request["teacher"] = copy.deepcopy(request["student"])
    for view in views(subject, subject.output_of(request), request):
        places = view.places().student
        chunk = -1
        before = 0
        for index, position in enumerate(view.positions(0)):
            if position.kind == "text" and places[index] != before:
                chunk += 1
                if view.ids[0][index] != chunk or view.ids[1][index] != chunk:
                    raise Violation(
                        "a token aligned with itself", where=view.at(0, index), expected=chunk, got=view.ids[0][index]
                    )
            before = places[index] or before
