"""Checks of the consumers: numbers equal to plain sums within a relative 2e-5 (single precision)."""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check

RELATIVE, ABSOLUTE = 2e-5, 2e-6


def close(expected: Any, got: Any, where: str) -> None:
    """Nested lists and numbers; integers exactly."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if not isinstance(got, dict) or key not in got:
                raise NotGiven(f"no value {where}{key}")
            close(value, got[key], f"{where}{key}")
    elif isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            raise Violation("another length", where=where, expected=expected, got=got)
        for index, value in enumerate(expected):
            close(value, got[index], f"{where}[{index}]")
    elif isinstance(expected, int):
        if got != expected:
            raise Violation("another number", where=where, expected=expected, got=got)
    elif not isinstance(got, int | float) or not math.isclose(expected, got, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        raise Violation("another number", where=where, expected=expected, got=got)


def compare(subject: Subject, requirement: str) -> Applicability | None:
    """All named values of a case that exercises the requirement."""
    if requirement not in subject.cell.case.requires:
        return NOT_APPLICABLE
    if subject.output.values is None:
        raise NotGiven("no values")
    close(subject.expect.values, subject.output.values, "")
    return None


@check("aligners.chunk-average", area="aligners", level="LOSS", requires=("ALN-050",), kind="golden")
def chunk_average(subject: Subject) -> Applicability | None:
    """Means and sizes per chunk."""
    return compare(subject, "ALN-050")


@check("aligners.valid-chunks", area="aligners", level="LOSS", requires=("ALN-051",), kind="golden")
def valid_chunks(subject: Subject) -> Applicability | None:
    """How many chunks a loss counts, after the shift to the next token."""
    if "ALN-051" not in subject.cell.case.requires:
        return NOT_APPLICABLE
    if subject.output.values is None:
        raise NotGiven("no values")
    wanted = {"valid_chunks": subject.expect.values["valid_chunks"]}
    close(wanted, subject.output.values, "")
    return None


@check("aligners.projection", area="aligners", level="LOSS", requires=("ALN-052",), kind="golden")
def projection(subject: Subject) -> Applicability | None:
    """Shape and entries of the matrix."""
    return compare(subject, "ALN-052")


@check("aligners.exact-map", area="aligners", level="LOSS", requires=("ALN-054",), kind="golden")
def exact_map(subject: Subject) -> Applicability | None:
    """Common and uncommon tokens of both sides."""
    return compare(subject, "ALN-054")


@check("aligners.loss-p-kl", area="aligners", level="LOSS", requires=("ALN-055",), kind="golden")
def loss_p_kl(subject: Subject) -> Applicability | None:
    """The loss p-kl and its parts."""
    return compare(subject, "ALN-055")


@check("aligners.loss-gold", area="aligners", level="LOSS", requires=("ALN-056",), kind="golden")
def loss_gold(subject: Subject) -> Applicability | None:
    """The loss gold and its parts."""
    return compare(subject, "ALN-056")


@check("aligners.loss-xtoken", area="aligners", level="LOSS", requires=("ALN-057",), kind="golden")
def loss_xtoken(subject: Subject) -> Applicability | None:
    """The loss xtoken and its parts."""
    return compare(subject, "ALN-057")
