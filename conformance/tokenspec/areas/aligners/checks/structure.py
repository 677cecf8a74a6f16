"""Checks of the form of any alignment, in either profile."""

from __future__ import annotations

from tokenspec.areas.aligners.checks import invariants
from tokenspec.areas.aligners.checks.view import SIDES, views
from tokenspec.areas.aligners.records import AlignersOutput
from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check

ALIGNMENTS = frozenset({"align", "align-pieces"})


def aligns(subject: Subject) -> bool:
    """Whether the cell's output is an alignment of positions."""
    return subject.request["task"] in ALIGNMENTS


@check("aligners.pairs-and-ids", area="aligners", level="SPANS", requires=("ALN-001",))
def pairs_and_ids(subject: Subject) -> Applicability | None:
    """Pairs and chunk ids say the same."""
    if not aligns(subject):
        return NOT_APPLICABLE
    if subject.output.pairs is None or subject.output.student_chunk_id is None:
        raise NotGiven("pairs and chunk ids are not both given")
    for view in views(subject):
        invariants.pairs_agree_with_ids(view)
    return None


@check("aligners.order", area="aligners", level="SPANS", requires=("ALN-002",))
def order(subject: Subject) -> Applicability | None:
    """Chunk ids do not decrease, pairs do not overlap (A1)."""
    if not aligns(subject):
        return NOT_APPLICABLE
    for view in views(subject):
        invariants.ids_are_ordered(view)
    return None


@check("aligners.dense", area="aligners", level="SPANS", requires=("ALN-003",))
def dense(subject: Subject) -> Applicability | None:
    """Chunk ids are 0..n-1 and nothing else but -1 (A8)."""
    if not aligns(subject):
        return NOT_APPLICABLE
    for view in views(subject):
        invariants.ids_are_dense(view, both_sides=subject.request["profile"] == "boundary")
    return None


@check("aligners.padding", area="aligners", level="SPANS", requires=("ALN-005",))
def padding(subject: Subject) -> Applicability | None:
    """Masked positions are in no chunk and no partition."""
    if not aligns(subject):
        return NOT_APPLICABLE
    found = views(subject)
    if all(all(mask) for view in found for mask in view.masks):
        return NOT_APPLICABLE
    for view in found:
        invariants.padding_has_no_chunk(view)
    return None


@check("aligners.batch", area="aligners", level="SPANS", requires=("ALN-004",))
def batch(subject: Subject) -> Applicability | None:
    """Pair tensors are [B, P], token tensors [B, T], and pair_valid counts num_chunks."""
    if not aligns(subject):
        return NOT_APPLICABLE
    output: AlignersOutput = subject.output
    if output.pair_valid is None or output.num_chunks is None:
        raise NotGiven("no batch tensors: pair_valid and num_chunks")
    found = views(subject)
    if len(output.pair_valid) != len(found) or len(output.num_chunks) != len(found):
        raise Violation("pair tensors have another number of rows", expected=len(found), got=len(output.pair_valid))
    width = max([1, *output.num_chunks])
    for row, valid in enumerate(output.pair_valid):
        wanted = [slot < output.num_chunks[row] for slot in range(width)]
        if valid != wanted:
            raise Violation("pair_valid", where=f"row {row}", expected=wanted, got=valid)
        if output.pair_is_correct is not None and len(output.pair_is_correct[row]) != width:
            raise Violation("pair_is_correct has another width", where=f"row {row}", expected=width)
    for side, exact in ((0, output.student_exact), (1, output.teacher_exact)):
        if exact is not None and [len(row) for row in exact] != [len(view.ids[side]) for view in found]:
            raise Violation(f"{SIDES[side]}_exact has another shape than the ids")
    return None


@check("aligners.repeatable", area="aligners", level="SPANS", requires=("ALN-006",), kind="metamorphic")
def repeatable(subject: Subject) -> Applicability | None:
    """The same request a second time, and an unchanged request (A11)."""
    if "ALN-006" not in subject.cell.case.requires:
        return NOT_APPLICABLE
    if subject.mutated:
        raise Violation("the request was modified")
    if subject.output_of(subject.request) != subject.output:
        raise Violation("a second call gives another answer", hint="state is kept between calls")
    return None
