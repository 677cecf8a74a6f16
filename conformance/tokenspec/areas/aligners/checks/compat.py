"""Checks of ``nw-compat``: equal to the upstream code, bit for bit, and the promises on ranges."""

from __future__ import annotations

import copy
from typing import Any

from tokenspec.areas.aligners.records import AlignersExpect
from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.store.masks import decode_mask, encode_mask


def about(subject: Subject, *requirements: str) -> bool:
    """Whether the case exercises one of these requirements in this profile."""
    compat = subject.request["profile"] == "nw-compat" or subject.request["task"].startswith("canonical")
    return compat and any(requirement in subject.cell.case.requires for requirement in requirements)


def same(what: str, expected: Any, got: Any) -> None:
    """Equal, or a violation that shows the first difference."""
    if got is None:
        raise NotGiven(f"no {what}")
    expected, got = _plain(expected), _plain(got)
    if expected != got:
        place = ""
        if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            index = next(index for index, (a, b) in enumerate(zip(expected, got, strict=True)) if a != b)
            place, expected, got = f"entry {index}", expected[index], got[index]
        raise Violation(f"{what} differ from upstream", where=place, expected=expected, got=got)


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


@check("aligners.canonical-token", area="aligners", level="COMPAT", requires=("ALN-030", "ALN-031"), kind="golden")
def canonical_token(subject: Subject) -> Applicability | None:
    """Single tokens in canonical spelling."""
    if subject.request["task"] != "canonical-token":
        return NOT_APPLICABLE
    same("canonical tokens", subject.expect.canonical, subject.output.canonical)
    return None


@check("aligners.canonical-sequence", area="aligners", level="COMPAT", requires=("ALN-031", "ALN-032"), kind="golden")
def canonical_sequence(subject: Subject) -> Applicability | None:
    """Sequences in canonical spelling, with their ranges."""
    if subject.request["task"] != "canonical-sequence":
        return NOT_APPLICABLE
    same("canonical tokens", subject.expect.canonical, subject.output.canonical)
    same("ranges", subject.expect.ranges, subject.output.ranges)
    return None


@check("aligners.ranges", area="aligners", level="COMPAT", requires=("ALN-032",))
def ranges(subject: Subject) -> Applicability | None:
    """Ranges are non-empty, strictly increasing and jointly cover the sequence (A7)."""
    if subject.request["task"] != "canonical-sequence":
        return NOT_APPLICABLE
    if subject.output.ranges is None or subject.output.canonical is None:
        raise NotGiven("no ranges")
    if len(subject.output.ranges) != len(subject.output.canonical):
        raise Violation("not one range per canonical token", got=subject.output.ranges)
    reached = 0
    for start, end in subject.output.ranges:
        if start != reached or end <= start:
            raise Violation("a gap, an overlap or an empty range", expected=f"[{reached}, ..", got=(start, end))
        reached = end
    if reached != len(subject.request["data"]["tokens"]):
        raise Violation(
            "the ranges do not cover the sequence", expected=len(subject.request["data"]["tokens"]), got=reached
        )
    return None


@check("aligners.programme", area="aligners", level="COMPAT", requires=("ALN-033",), kind="golden")
def programme(subject: Subject) -> Applicability | None:
    """Path and score of the dynamic programme."""
    if subject.request["task"] != "align-canonical":
        return NOT_APPLICABLE
    same("pairs", subject.expect.pairs, subject.output.pairs)
    same("score", subject.expect.score, subject.output.score)
    return None


@check("aligners.paths-agree", area="aligners", level="COMPAT", requires=("ALN-039",), kind="metamorphic")
def paths_agree(subject: Subject) -> Applicability | None:
    """The scalar path gives the pairs and the score of the fast one."""
    if subject.request["task"] != "align-canonical":
        return NOT_APPLICABLE
    request = copy.deepcopy(subject.request)
    request["options"]["path"] = "scalar"
    other = subject.output_of(request)
    if (other.pairs, other.score) != (subject.output.pairs, subject.output.score):
        raise Violation("the scalar path differs from the fast path", expected=other.pairs, got=subject.output.pairs)
    return None


@check("aligners.compat-pairs", area="aligners", level="COMPAT", requires=("ALN-034", "ALN-035"), kind="golden")
def compat_pairs(subject: Subject) -> Applicability | None:
    """The pairs of the whole pipeline; where an implementation gives only chunk ids, those."""
    if not about(subject, "ALN-034", "ALN-035"):
        return NOT_APPLICABLE
    expect: AlignersExpect = subject.expect
    if subject.output.pairs is not None:
        same("pairs", expect.pairs, subject.output.pairs)
    else:
        same("student chunk ids", expect.student_chunk_id, subject.output.student_chunk_id)
        same("teacher chunk ids", expect.teacher_chunk_id, subject.output.teacher_chunk_id)
    return None


@check("aligners.remap", area="aligners", level="COMPAT", requires=("ALN-036",), kind="golden")
def remap(subject: Subject) -> Applicability | None:
    """Canonical ranges carried back to original positions."""
    if subject.request["task"] != "remap":
        return NOT_APPLICABLE
    same("pairs", subject.expect.pairs, subject.output.pairs)
    return None


@check("aligners.remap-round-trip", area="aligners", level="COMPAT", requires=("ALN-036",), kind="metamorphic")
def remap_round_trip(subject: Subject) -> Applicability | None:
    """Each canonical token alone maps to its range, and all together to the whole sequence."""
    if subject.request["task"] != "canonical-sequence":
        return NOT_APPLICABLE
    ranges = subject.output.ranges
    if not ranges:
        raise NotGiven("no ranges")
    single = [[index, index + 1, index, index + 1] for index in range(len(ranges))]
    whole = [0, len(ranges), -1, -1]
    request = {
        "task": "remap",
        "profile": "nw-compat",
        "options": {},
        "data": {"pairs": [*single, whole], "student_ranges": ranges, "teacher_ranges": ranges},
    }
    wanted = [[*span, *span] for span in ranges] + [[0, len(subject.request["data"]["tokens"]), -1, -1]]
    same("remapped pairs", [wanted], subject.output_of(request).pairs)
    return None


@check("aligners.compat-correct", area="aligners", level="COMPAT", requires=("ALN-037",), kind="golden")
def compat_correct(subject: Subject) -> Applicability | None:
    """Correctness of every pair (A9)."""
    if not about(subject, "ALN-037"):
        return NOT_APPLICABLE
    if subject.output.pair_is_correct is None:
        raise NotGiven("no pair_is_correct")
    expect: AlignersExpect = subject.expect
    for row, wanted in enumerate(expect.correct or []):
        flags = decode_mask(wanted)
        same(f"row {row}: correct pairs", flags, subject.output.pair_is_correct[row][: len(flags)])
    return None


@check("aligners.compat-packing", area="aligners", level="COMPAT", requires=("ALN-038",), kind="golden")
def compat_packing(subject: Subject) -> Applicability | None:
    """Chunk ids after masking, counts with gaps and padding, exact partitions."""
    if not about(subject, "ALN-038"):
        return NOT_APPLICABLE
    expect: AlignersExpect = subject.expect
    same("student chunk ids", expect.student_chunk_id, subject.output.student_chunk_id)
    same("teacher chunk ids", expect.teacher_chunk_id, subject.output.teacher_chunk_id)
    same("chunk counts", [len(row) for row in expect.pairs or []], subject.output.num_chunks)
    for name in ("student_exact", "teacher_exact"):
        given = getattr(subject.output, name)
        same(name, (expect.values or {})[name], None if given is None else [encode_mask(row) for row in given])
    return None
