"""Comparisons with the oracle, one check per requirement: a case names the requirements it pins, and fails those.

Segments of tiny models are compared only where the oracle's margin is clear of rounding (ENG-053); tables are exact.
"""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.engines.records import EnginesExpect, EnginesOutput

MARGIN = 1e-3
DIGITS = {"float32": 1e-3, "float64": 1e-5}
"""How near numbers of a tiny model have to be; the logits of a double precision one may be single ones (ENG-020)."""
PINNED = (
    "ENG-001",
    "ENG-002",
    "ENG-010",
    "ENG-011",
    "ENG-012",
    "ENG-020",
    "ENG-021",
    "ENG-022",
    "ENG-023",
    "ENG-030",
    "ENG-031",
    "ENG-032",
    "ENG-033",
    "ENG-034",
    "ENG-040",
    "ENG-041",
    "ENG-042",
    "ENG-043",
    "ENG-050",
    "ENG-051",
    "ENG-070",
    "ENG-071",
    "ENG-072",
    "ENG-073",
    "ENG-075",
    "ENG-076",
    "ENG-080",
    "ENG-081",
    "ENG-082",
    "ENG-083",
    "ENG-084",
    "ENG-086",
    "ENG-100",
    "ENG-102",
    "ENG-103",
    "ENG-104",
    "ENG-105",
    "ENG-106",
    "ENG-107",
    "ENG-108",
    "ENG-109",
)


def is_tiny(question: Question) -> bool:
    """Whether the model of the case computes in floating point."""
    return (question.request.get("model") or {}).get("kind") == "tiny"


def digits(question: Question) -> float:
    """How near a number has to be to the oracle's."""
    return DIGITS[question.request["model"].get("dtype", "float32")] if is_tiny(question) else 1e-9


def decided(question: Question) -> bool:
    """Whether rounding cannot have changed the segments."""
    expect: EnginesExpect = question.expect
    return not is_tiny(question) or (expect.margin is not None and expect.margin > MARGIN)


def shown(trace: str, offsets: list[tuple[int, int]]) -> str:
    """Segments as text, shortened for a terminal."""
    pieces = " | ".join(repr(trace[start:end])[1:-1] for start, end in offsets)
    return pieces if len(pieces) <= 300 else pieces[:297] + "..."


def compare_segments(subject: Subject) -> None:
    """Equal offsets, or the first difference."""
    expect: EnginesExpect = subject.expect
    output: EnginesOutput = subject.output
    if output.offsets == expect.offsets:
        return
    trace = subject.request["trace"]
    ours, theirs = ({start for start, _ in side} for side in (output.offsets, expect.offsets))
    differing = sorted(ours ^ theirs)
    where = f"character {differing[0]}" if differing else "the ends of segments"
    verb = "a cut the oracle has not" if differing and differing[0] in ours else "no cut where the oracle has one"
    raise Violation(
        f"the segments differ from the oracle's: {verb}",
        expected=shown(trace, expect.offsets),
        got=shown(trace, output.offsets),
        where=f"{where} of {len(trace)}",
        hint=f"oracle: threshold {expect.threshold}, margin {expect.margin}; got threshold {output.threshold}",
    )


def _pinned(requirement: str) -> None:
    def applies(question: Question) -> bool:
        return requirement in question.cell.case.requires and decided(question)

    @check(
        f"engines.segments.{requirement.lower()}",
        area="engines",
        level="SEGMENTS",
        requires=(requirement,),
        kind="golden",
        applies=applies,
    )
    def segments_are_the_oracles(subject: Subject) -> None:
        """The segments of a case that pins this requirement are the oracle's."""
        compare_segments(subject)


for _requirement in PINNED:
    _pinned(_requirement)


def _compare_labels(subject: Subject) -> None:
    output: EnginesOutput = subject.output
    if output.labels is None:
        raise NotGiven("labels")
    if output.labels != subject.expect.labels:
        raise Violation("labels differ", expected=subject.expect.labels, got=output.labels)


@check("engines.labels", area="engines", level="LABELS", requires=("ENG-085",), kind="golden", applies=cites("ENG-085"))
def labels_are_the_oracles(subject: Subject) -> None:
    """Fused labels are the oracle's."""
    _compare_labels(subject)


@check(
    "engines.labels.runs",
    area="engines",
    level="LABELS",
    requires=("ENG-104",),
    kind="golden",
    applies=cites("ENG-104"),
)
def labels_of_runs_are_the_oracles(subject: Subject) -> None:
    """The label of each run of units is the oracle's."""
    _compare_labels(subject)


def has_a_threshold(question: Question) -> bool:
    """The forced decoder decides by a threshold."""
    return question.expect.threshold is not None and "forced-decoder" in question.request["engines"]


@check(
    "engines.threshold", area="engines", level="SCORES", requires=("ENG-023",), kind="golden", applies=has_a_threshold
)
def threshold_is_the_oracles(subject: Subject) -> None:
    """The threshold is the oracle's: to nine digits on tables, to rounding on tiny models."""
    _require_both(subject)
    _close(subject.output.threshold, subject.expect.threshold, digits(subject), "threshold")


def has_a_margin(question: Question) -> bool:
    """Scores decide, and rounding does not."""
    margin = question.expect.margin
    return margin is not None and decided(question) and margin >= 1e-9


@check("engines.margin", area="engines", level="SCORES", requires=("ENG-054",), kind="golden", applies=has_a_margin)
def margin_is_the_oracles(subject: Subject) -> None:
    """The reported decision margin is the oracle's."""
    _require_both(subject)
    _close(subject.output.margin, subject.expect.margin, 2 * digits(subject), "margin")


def _require_both(subject: Subject) -> None:
    """Threshold and margin are given together, or neither (ENG-054)."""
    given = {name: getattr(subject.output, name) for name in ("threshold", "margin")}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) == 1 and subject.expect.margin is not None:
        raise Violation(f"no {missing[0]}, though scores decided", expected="threshold and margin", got=given)


def _close(got: float | None, expected: float, tolerance: float, name: str) -> None:
    if got is None:
        raise NotGiven(name)
    if not math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance):
        raise Violation(f"another {name}", expected=expected, got=got)


def _measures(requirement: str, names: tuple[str, ...], field: str = "agreement") -> None:
    def applies(question: Question) -> bool:
        return requirement in question.cell.case.requires and getattr(question.expect, field) is not None

    @check(
        f"engines.agreement.{requirement.lower()}",
        area="engines",
        level="AGREEMENT",
        requires=(requirement,),
        kind="golden",
        applies=applies,
    )
    def measures_are_the_oracles(subject: Subject) -> None:
        """Measures of agreement are the oracle's."""
        expected: dict[str, float] = getattr(subject.expect, field)
        given: dict[str, Any] | None = getattr(subject.output, field)
        if given is None:
            raise NotGiven(field)
        for name in names:
            _close(given.get(name), expected[name], 1e-9, name)


_measures("ENG-090", ("boundary_similarity", "boundary_f1"))
_measures("ENG-091", ("pk", "window_diff"))
_measures("ENG-092", ("soft_boundary_f1", "segment_iou", "segment_dice", "count_bias"))
_measures("ENG-094", ("krippendorff_alpha",), "group")
_measures("ENG-095", ("consensus", "optimistic"), "group")
