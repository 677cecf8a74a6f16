"""Comparisons with the oracle, one check per requirement: a case names the requirements it pins, and fails those.

Segments of tiny models are compared only where the oracle's margin is clear of rounding (ENG-053); tables are exact.
"""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.areas.engines.records import EnginesExpect, EnginesOutput

MARGIN = 1e-3
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
)


def is_tiny(subject: Subject) -> bool:
    """Whether the model of the case computes in floating point."""
    return (subject.request.get("model") or {}).get("kind") == "tiny"


def decided(subject: Subject) -> bool:
    """Whether rounding cannot have changed the segments."""
    expect: EnginesExpect = subject.expect
    return not is_tiny(subject) or (expect.margin is not None and expect.margin > MARGIN)


def shown(trace: str, offsets: list[tuple[int, int]]) -> str:
    """Segments as text, shortened for a terminal."""
    pieces = " | ".join(repr(trace[start:end])[1:-1] for start, end in offsets)
    return pieces if len(pieces) <= 300 else pieces[:297] + "..."


def compare_segments(subject: Subject) -> Applicability | None:
    """Equal offsets, or the first difference."""
    expect: EnginesExpect = subject.expect
    output: EnginesOutput = subject.output
    if not decided(subject):
        return NOT_APPLICABLE
    if output.offsets == expect.offsets:
        return None
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
    @check(
        f"engines.segments.{requirement.lower()}",
        area="engines",
        level="SEGMENTS",
        requires=(requirement,),
        kind="golden",
    )
    def segments_are_the_oracles(subject: Subject) -> Applicability | None:
        """The segments of a case that pins this requirement are the oracle's."""
        return compare_segments(subject) if requirement in subject.cell.case.requires else NOT_APPLICABLE


for _requirement in PINNED:
    _pinned(_requirement)


@check("engines.labels", area="engines", level="LABELS", requires=("ENG-085",), kind="golden")
def labels_are_the_oracles(subject: Subject) -> Applicability | None:
    """Fused labels are the oracle's."""
    if "ENG-085" not in subject.cell.case.requires:
        return NOT_APPLICABLE
    output: EnginesOutput = subject.output
    if output.labels is None:
        raise NotGiven("labels")
    if output.labels != subject.expect.labels:
        raise Violation("fused labels differ", expected=subject.expect.labels, got=output.labels)
    return None


@check("engines.threshold", area="engines", level="SCORES", requires=("ENG-023",), kind="golden")
def threshold_is_the_oracles(subject: Subject) -> Applicability | None:
    """The threshold is the oracle's: to nine digits on tables, to rounding on tiny models."""
    expect: EnginesExpect = subject.expect
    if expect.threshold is None or "forced-decoder" not in subject.request["engines"]:
        return NOT_APPLICABLE
    _close(subject.output.threshold, expect.threshold, 1e-3 if is_tiny(subject) else 1e-9, "threshold")
    return None


@check("engines.margin", area="engines", level="SCORES", requires=("ENG-054",), kind="golden")
def margin_is_the_oracles(subject: Subject) -> Applicability | None:
    """The reported decision margin is the oracle's."""
    expect: EnginesExpect = subject.expect
    if expect.margin is None or not decided(subject) or expect.margin < 1e-9:
        return NOT_APPLICABLE
    _close(subject.output.margin, expect.margin, 2e-3 if is_tiny(subject) else 1e-9, "margin")
    return None


def _close(got: float | None, expected: float, tolerance: float, name: str) -> None:
    if got is None:
        raise NotGiven(name)
    if not math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance):
        raise Violation(f"another {name}", expected=expected, got=got)


def _measures(requirement: str, names: tuple[str, ...]) -> None:
    @check(
        f"engines.agreement.{requirement.lower()}",
        area="engines",
        level="AGREEMENT",
        requires=(requirement,),
        kind="golden",
    )
    def measures_are_the_oracles(subject: Subject) -> Applicability | None:
        """Measures of agreement are the oracle's."""
        expected: dict[str, float] | None = subject.expect.agreement
        if expected is None or requirement not in subject.cell.case.requires:
            return NOT_APPLICABLE
        given: dict[str, Any] | None = subject.output.agreement
        if given is None:
            raise NotGiven("agreement")
        for name in names:
            _close(given.get(name), expected[name], 1e-9, name)
        return None


_measures("ENG-090", ("boundary_similarity", "boundary_f1"))
_measures("ENG-091", ("pk", "window_diff"))
