"""Checks of the normative profile: bytes, finest segmentation, coverage, special tokens, and the oracle's walk."""

from __future__ import annotations

from collections.abc import Callable

from tokenspec.areas.aligners.checks import invariants
from tokenspec.areas.aligners.checks.structure import aligns
from tokenspec.areas.aligners.checks.view import SIDES, View, views
from tokenspec.areas.aligners.records import AlignersExpect
from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check


def is_boundary(subject: Subject) -> bool:
    """Whether the normative profile was asked for."""
    return aligns(subject) and subject.request["profile"] == "boundary"


def every_row(subject: Subject, judge: Callable[[View], object]) -> Applicability | None:
    """Judge all rows of a ``boundary`` alignment."""
    if not is_boundary(subject):
        return NOT_APPLICABLE
    for view in views(subject):
        judge(view)
    return None


@check("aligners.bytes", area="aligners", level="SPANS", requires=("ALN-010",))
def same_bytes(subject: Subject) -> Applicability | None:
    """Both sides of every chunk spell the same bytes (A3)."""
    return every_row(subject, invariants.chunks_spell_the_same)


@check("aligners.finest", area="aligners", level="SPANS", requires=("ALN-011",))
def finest(subject: Subject) -> Applicability | None:
    """No chunk can be cut at a common boundary (A2)."""
    return every_row(subject, invariants.chunks_cannot_be_cut)


@check("aligners.coverage", area="aligners", level="SPANS", requires=("ALN-012", "ALN-016"))
def coverage(subject: Subject) -> Applicability | None:
    """All tokens of the common text have a chunk, no others (A1)."""
    return every_row(subject, invariants.text_is_covered)


@check("aligners.special", area="aligners", level="SPANS", requires=("ALN-013",))
def special(subject: Subject) -> Applicability | None:
    """Paired special tokens are alone, of one role, at one place."""
    if not is_boundary(subject):
        return NOT_APPLICABLE
    found = views(subject)
    if not any(position.kind == "special" for view in found for side in (0, 1) for position in view.positions(side)):
        return NOT_APPLICABLE
    for view in found:
        invariants.specials_are_alone(view)
    return None


@check("aligners.correct", area="aligners", level="SPANS", requires=("ALN-022",))
def correct(subject: Subject) -> Applicability | None:
    """Every valid pair is correct; the exact partition is the 1-1 chunks (A9)."""
    if is_boundary(subject) and subject.output.pair_is_correct is None and subject.output.student_exact is None:
        raise NotGiven("neither pair_is_correct nor exact partitions")
    return every_row(subject, invariants.chunks_are_correct)


@check("aligners.mass", area="aligners", level="SPANS", requires=("ALN-023",))
def mass(subject: Subject) -> Applicability | None:
    """Totals over chunks are totals over text tokens."""
    if not is_boundary(subject):
        return NOT_APPLICABLE
    judged = [invariants.mass_is_conserved(view) for view in views(subject)]
    return None if any(judged) else NOT_APPLICABLE


def equals_the_walk(subject: Subject) -> None:
    """Chunk ids of both sides are the oracle's."""
    expect: AlignersExpect = subject.expect
    if expect.student_ids is not None and subject.request["student"]["ids"] != expect.student_ids:
        raise Violation("the tokenizer of this row gives other ids than the golden's; the row has drifted")
    found = views(subject)
    for side, wanted in enumerate((expect.student_chunk_id, expect.teacher_chunk_id)):
        for view in found:
            want, got = (wanted or [])[view.row], view.ids[side]
            if want != got:
                first = next(index for index, (a, b) in enumerate(zip(want, got, strict=True)) if a != b)
                raise Violation(
                    f"chunk ids differ from the two-pointer walk, first at {SIDES[side]} position {first}",
                    where=f"row {view.row}",
                    expected=want,
                    got=got,
                )


def golden(requirement: str) -> Callable[[Subject], Applicability | None]:
    """The comparison with the walk, for the cases that a requirement has."""

    def judge(subject: Subject) -> Applicability | None:
        if not is_boundary(subject) or requirement not in subject.cell.case.requires:
            return NOT_APPLICABLE
        equals_the_walk(subject)
        return None

    judge.__doc__ = f"Chunk ids are those of the two-pointer walk, on the cases of {requirement}."
    return judge


GOLDENS = {
    "walk": "ALN-011",
    "walk-special": "ALN-013",
    "walk-added-space": "ALN-014",
    "walk-normal-form": "ALN-015",
    "walk-truncated": "ALN-016",
    "walk-truncate-option": "ALN-018",
}
for _name, _requirement in GOLDENS.items():
    check(f"aligners.{_name}", area="aligners", level="SPANS", requires=(_requirement,), kind="golden")(
        golden(_requirement)
    )
