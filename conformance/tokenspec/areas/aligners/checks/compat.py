"""Checks of ``nw-compat``: equal to the upstream code, bit for bit, and the promises on ranges."""

from __future__ import annotations

import copy
from typing import Any

from tokenspec.areas.aligners.records import AlignersExpect
from tokenspec.areas.check import Applies, NotGiven, Question, Subject, Violation, check, cites
from tokenspec.store.masks import decode_mask, encode_mask


def is_task(name: str) -> Applies:
    """The case asks for one task."""
    return lambda question: bool(question.request["task"] == name)


def about(*requirements: str) -> Applies:
    """The case exercises one of these requirements in this profile."""

    def applies(question: Question) -> bool:
        compat = question.request["profile"] == "nw-compat" or question.request["task"].startswith("canonical")
        return compat and any(requirement in question.cell.case.requires for requirement in requirements)

    return applies


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


@check(
    "aligners.canonical-token",
    area="aligners",
    level="COMPAT",
    requires=("ALN-030", "ALN-031"),
    kind="golden",
    applies=is_task("canonical-token"),
)
def canonical_token(subject: Subject) -> None:
    """Single tokens in canonical spelling."""
    same("canonical tokens", subject.expect.canonical, subject.output.canonical)


@check(
    "aligners.canonical-sequence",
    area="aligners",
    level="COMPAT",
    requires=("ALN-031", "ALN-032"),
    kind="golden",
    applies=is_task("canonical-sequence"),
)
def canonical_sequence(subject: Subject) -> None:
    """Sequences in canonical spelling, with their ranges."""
    same("canonical tokens", subject.expect.canonical, subject.output.canonical)
    same("ranges", subject.expect.ranges, subject.output.ranges)


@check("aligners.ranges", area="aligners", level="COMPAT", requires=("ALN-032",), applies=is_task("canonical-sequence"))
def ranges(subject: Subject) -> None:
    """Ranges are non-empty, strictly increasing and jointly cover the sequence (A7)."""
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


@check(
    "aligners.programme",
    area="aligners",
    level="COMPAT",
    requires=("ALN-033",),
    kind="golden",
    applies=lambda question: is_task("align-canonical")(question) and cites("ALN-033")(question),
)
def programme(subject: Subject) -> None:
    """Path and score of the dynamic programme."""
    same("pairs", subject.expect.pairs, subject.output.pairs)
    same("score", subject.expect.score, subject.output.score)


@check(
    "aligners.scores",
    area="aligners",
    level="COMPAT",
    requires=("ALN-040",),
    kind="golden",
    applies=cites("ALN-040"),
)
def scores(subject: Subject) -> None:
    """Pairs, and of the bare programme the score, with scores that the request names."""
    same("pairs", subject.expect.pairs, subject.output.pairs)
    if subject.expect.score is not None:
        same("score", subject.expect.score, subject.output.score)


@check(
    "aligners.paths-agree",
    area="aligners",
    level="COMPAT",
    requires=("ALN-039",),
    kind="metamorphic",
    applies=is_task("align-canonical"),
)
def paths_agree(subject: Subject) -> None:
    """The scalar path gives the pairs and the score of the fast one."""
    request = copy.deepcopy(subject.request)
    request["options"]["path"] = "scalar"
    other = subject.output_of(request)
    if (other.pairs, other.score) != (subject.output.pairs, subject.output.score):
        raise Violation("the scalar path differs from the fast path", expected=other.pairs, got=subject.output.pairs)


@check(
    "aligners.compat-pairs",
    area="aligners",
    level="COMPAT",
    requires=("ALN-034", "ALN-035"),
    kind="golden",
    applies=about("ALN-034", "ALN-035"),
)
def compat_pairs(subject: Subject) -> None:
    """The pairs of the whole pipeline; where an implementation gives only chunk ids, those."""
    expect: AlignersExpect = subject.expect
    if subject.output.pairs is not None:
        same("pairs", expect.pairs, subject.output.pairs)
    else:
        same("student chunk ids", expect.student_chunk_id, subject.output.student_chunk_id)
        same("teacher chunk ids", expect.teacher_chunk_id, subject.output.teacher_chunk_id)


@check(
    "aligners.remap", area="aligners", level="COMPAT", requires=("ALN-036",), kind="golden", applies=is_task("remap")
)
def remap(subject: Subject) -> None:
    """Canonical ranges carried back to original positions."""
    same("pairs", subject.expect.pairs, subject.output.pairs)


@check(
    "aligners.remap-round-trip",
    area="aligners",
    level="COMPAT",
    requires=("ALN-036",),
    kind="metamorphic",
    applies=is_task("canonical-sequence"),
)
def remap_round_trip(subject: Subject) -> None:
    """Each canonical token alone maps to its range, and all together to the whole sequence."""
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


@check(
    "aligners.compat-correct",
    area="aligners",
    level="COMPAT",
    requires=("ALN-037",),
    kind="golden",
    applies=about("ALN-037"),
)
def compat_correct(subject: Subject) -> None:
    """Correctness of every pair (A9)."""
    if subject.output.pair_is_correct is None:
        raise NotGiven("no pair_is_correct")
    expect: AlignersExpect = subject.expect
    given = subject.output.pair_is_correct
    if len(given) != len(expect.correct or []):
        raise Violation("pair_is_correct has another number of rows", got=len(given))
    for row, wanted in enumerate(expect.correct or []):
        flags = decode_mask(wanted)
        same(f"row {row}: correct pairs", flags, given[row][: len(flags)])


@check(
    "aligners.compat-packing",
    area="aligners",
    level="COMPAT",
    requires=("ALN-038",),
    kind="golden",
    applies=about("ALN-038"),
)
def compat_packing(subject: Subject) -> None:
    """Chunk ids after masking, counts with gaps and padding, exact partitions."""
    expect: AlignersExpect = subject.expect
    same("student chunk ids", expect.student_chunk_id, subject.output.student_chunk_id)
    same("teacher chunk ids", expect.teacher_chunk_id, subject.output.teacher_chunk_id)
    same("chunk counts", [len(row) for row in expect.pairs or []], subject.output.num_chunks)
    for name in ("student_exact", "teacher_exact"):
        given = getattr(subject.output, name)
        same(name, (expect.values or {})[name], None if given is None else [encode_mask(row) for row in given])
