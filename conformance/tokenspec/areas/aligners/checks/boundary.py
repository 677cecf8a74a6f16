"""Checks of the normative profile: bytes, finest segmentation, coverage, special tokens, and the oracle's walk."""

from __future__ import annotations

from tokenspec.areas.aligners.checks import invariants
from tokenspec.areas.aligners.checks.structure import aligns
from tokenspec.areas.aligners.checks.view import SIDES, unanswered, views
from tokenspec.areas.aligners.records import AlignersExpect
from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check


def is_boundary(question: Question) -> bool:
    """An alignment in the normative profile."""
    return aligns(question) and question.request["profile"] == "boundary"


def has_specials(question: Question) -> bool:
    """Special tokens stand among the positions."""
    return is_boundary(question) and any(
        position.kind == "special"
        for view in unanswered(question)
        for side in (0, 1)
        for position in view.positions(side)
    )


def ends_together(question: Question) -> bool:
    """On some row both sides end at the same place, so that no text is left over."""
    return is_boundary(question) and any(map(invariants.sides_end_together, unanswered(question)))


@check("aligners.bytes", area="aligners", level="SPANS", requires=("ALN-010",), applies=is_boundary)
def same_bytes(subject: Subject) -> None:
    """Both sides of every chunk spell the same bytes (A3)."""
    for view in views(subject):
        invariants.chunks_spell_the_same(view)


@check("aligners.finest", area="aligners", level="SPANS", requires=("ALN-011",), applies=is_boundary)
def finest(subject: Subject) -> None:
    """No chunk can be cut at a common boundary (A2)."""
    for view in views(subject):
        invariants.chunks_cannot_be_cut(view)


@check("aligners.coverage", area="aligners", level="SPANS", requires=("ALN-012", "ALN-016"), applies=is_boundary)
def coverage(subject: Subject) -> None:
    """All tokens of the common text have a chunk, no others (A1)."""
    for view in views(subject):
        invariants.text_is_covered(view)


@check("aligners.special", area="aligners", level="SPANS", requires=("ALN-013",), applies=has_specials)
def special(subject: Subject) -> None:
    """Paired special tokens are alone, of one role, at one place."""
    for view in views(subject):
        invariants.specials_are_alone(view)


@check("aligners.correct", area="aligners", level="SPANS", requires=("ALN-022",), applies=is_boundary)
def correct(subject: Subject) -> None:
    """Every valid pair is correct; the exact partition is the 1-1 chunks (A9)."""
    found = views(subject)
    if all(view.correct is None and view.exact is None for view in found):
        raise NotGiven("neither pair_is_correct nor exact partitions")
    for view in found:
        invariants.chunks_are_correct(view)


@check("aligners.mass", area="aligners", level="SPANS", requires=("ALN-023",), applies=ends_together)
def mass(subject: Subject) -> None:
    """Totals over chunks are totals over text tokens."""
    for view in filter(invariants.sides_end_together, views(subject)):
        invariants.mass_is_conserved(view)


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


GOLDENS = {
    "walk": "ALN-011",
    "walk-special": "ALN-013",
    "walk-added-space": "ALN-014",
    "walk-normal-form": "ALN-015",
    "walk-truncated": "ALN-016",
    "walk-truncate-option": "ALN-018",
}


def walks(name: str, requirement: str) -> None:
    """Register the comparison with the walk, for the cases that a requirement has."""

    def judge(subject: Subject) -> None:
        equals_the_walk(subject)

    def applies(question: Question) -> bool:
        return is_boundary(question) and requirement in question.cell.case.requires

    judge.__doc__ = f"Chunk ids are those of the two-pointer walk, on the cases of {requirement}."
    check(f"aligners.{name}", area="aligners", level="SPANS", requires=(requirement,), kind="golden", applies=applies)(
        judge
    )


for _name, _requirement in GOLDENS.items():
    walks(_name, _requirement)
