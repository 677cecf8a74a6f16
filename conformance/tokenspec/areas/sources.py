"""Sources that disagree (CNV-008): a cell with a named answer in the golden's place, and what findings become of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec

from tokenspec.areas.area import Cell
from tokenspec.store.records import Answer, Golden, Source
from tokenspec.verdict import WRONG, Finding, Verdict, by_level


def others(cell: Cell) -> Iterator[tuple[Answer, Cell]]:
    """The named answers of a cell's golden, each with the cell that has it for its golden."""
    golden = cell.golden
    if golden is None:
        return
    for name, answer in golden.answers.items():
        own = msgspec.structs.replace(
            golden,
            oracle={**golden.oracle, name: answer.by},
            outcome=answer.outcome,
            error=answer.error,
            expect=answer.expect,
            witnesses={},
            answers={},
        )
        yield answer, dataclasses.replace(cell, golden=own)


def is_another_source(golden: Golden | None) -> bool:
    """Whether a golden stands for a named answer: what else is known of the oracle does not hold for it."""
    return golden is not None and not golden.oracle.keys().isdisjoint(get_args(Source))


def in_light_of(answer: Answer, findings: Sequence[Finding], instead: Sequence[Finding]) -> list[Finding]:
    """The findings on a cell, where ``instead`` are those on the same output were the named answer the golden.

    What is wrong in a level in which the two sources differ, and right by the other one, is nobody's fault; nor is a
    refusal where the other source refuses, whatever the levels it counts in.
    """
    right = {level for level, found in by_level(instead).items() if is_right(found)}
    refused = answer.outcome == "raises" and is_right(instead)

    def is_disputed(finding: Finding) -> bool:
        if finding.verdict in {Verdict.FAIL, Verdict.WARNING}:
            return finding.level in right.intersection(answer.levels)
        return finding.verdict is Verdict.REJECTED and refused

    return [said_by(answer, finding) if is_disputed(finding) else finding for finding in findings]


def is_right(findings: Sequence[Finding]) -> bool:
    """Whether something was laid beside what is expected, and nothing is wrong."""
    compared = any(finding.compares and finding.verdict is Verdict.PASS for finding in findings)
    return compared and not any(finding.verdict in WRONG for finding in findings)


def said_by(answer: Answer, finding: Finding) -> Finding:
    """The finding as the verdict on the sources."""
    detail = f"answers as {answer.by} does, which is the publisher's; the golden is the template's\n{finding.detail}"
    return msgspec.structs.replace(finding, verdict=Verdict.DISAGREE, detail=detail)
