"""Checks of the form of any alignment, in either profile."""

from __future__ import annotations

from tokenspec.areas.aligners.checks import invariants
from tokenspec.areas.aligners.checks.view import inputs, views
from tokenspec.areas.aligners.records import AlignersOutput
from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check, cites

ALIGNMENTS = frozenset({"align", "align-pieces"})


def aligns(question: Question) -> bool:
    """The answer is an alignment of positions."""
    return question.request["task"] in ALIGNMENTS


def is_padded(question: Question) -> bool:
    """An alignment over masked positions."""
    return aligns(question) and not all(all(row) for side in inputs(question, question.request).masks for row in side)


@check("aligners.pairs-and-ids", area="aligners", level="SPANS", requires=("ALN-001",), applies=aligns)
def pairs_and_ids(subject: Subject) -> None:
    """Pairs and chunk ids say the same."""
    if subject.output.pairs is None or subject.output.student_chunk_id is None:
        raise NotGiven("pairs and chunk ids are not both given")
    for view in views(subject):
        invariants.pairs_agree_with_ids(view)


@check("aligners.order", area="aligners", level="SPANS", requires=("ALN-002",), applies=aligns)
def order(subject: Subject) -> None:
    """Chunk ids do not decrease, pairs do not overlap (A1)."""
    for view in views(subject):
        invariants.ids_are_ordered(view)


@check("aligners.dense", area="aligners", level="SPANS", requires=("ALN-003",), applies=aligns)
def dense(subject: Subject) -> None:
    """Chunk ids are 0..n-1 and nothing else but -1 (A8)."""
    for view in views(subject):
        invariants.ids_are_dense(view, both_sides=subject.request["profile"] == "boundary")


@check("aligners.padding", area="aligners", level="SPANS", requires=("ALN-005",), applies=is_padded)
def padding(subject: Subject) -> None:
    """Masked positions are in no chunk and no partition."""
    for view in views(subject):
        invariants.padding_has_no_chunk(view)


@check("aligners.batch", area="aligners", level="SPANS", requires=("ALN-004",), applies=aligns)
def batch(subject: Subject) -> None:
    """Pair tensors are [B, P], token tensors [B, T], and pair_valid counts num_chunks."""
    output: AlignersOutput = subject.output
    if output.pair_valid is None or output.num_chunks is None:
        raise NotGiven("no batch tensors: pair_valid and num_chunks")
    views(subject)
    width = max([1, *output.num_chunks])
    for row, valid in enumerate(output.pair_valid):
        wanted = [slot < output.num_chunks[row] for slot in range(width)]
        if valid != wanted:
            raise Violation("pair_valid", where=f"row {row}", expected=wanted, got=valid)
        if output.pair_is_correct is not None and len(output.pair_is_correct[row]) != width:
            raise Violation("pair_is_correct has another width", where=f"row {row}", expected=width)


@check(
    "aligners.repeatable",
    area="aligners",
    level="SPANS",
    requires=("ALN-006",),
    kind="metamorphic",
    applies=cites("ALN-006"),
)
def repeatable(subject: Subject) -> None:
    """The same request a second time, and an unchanged request (A11)."""
    if subject.mutated:
        raise Violation("the request was modified")
    if subject.output_of(subject.request) != subject.output:
        raise Violation("a second call gives another answer", hint="state is kept between calls")
