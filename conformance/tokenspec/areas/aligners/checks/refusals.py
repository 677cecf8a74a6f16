"""Checks of refusals: different texts, broken batches, unknown ids, projection files that are no data."""

from __future__ import annotations

import re

from tokenspec.adapters import Refused
from tokenspec.areas.check import NOT_APPLICABLE, Applicability, Subject, Violation, check


def refusal(subject: Subject, requirement: str) -> Refused | None:
    """The refusal of a case that exercises the requirement; None if it does not."""
    if requirement not in subject.cell.case.requires:
        return None
    if not isinstance(subject.outcome, Refused):
        raise Violation(
            "the input was accepted",
            expected="a refusal",
            got=subject.outcome,
            hint="an exception is a refusal only with an attribute rejection_code",
        )
    return subject.outcome


@check("aligners.refused-text", area="aligners", level="SPANS", requires=("ALN-017",), kind="rejects")
def refused_text(subject: Subject) -> Applicability | None:
    """Different texts are refused with row and first differing byte."""
    refused = refusal(subject, "ALN-017")
    if refused is None:
        return NOT_APPLICABLE
    golden = subject.cell.golden
    byte = (golden.error or "").rsplit(" ", 1)[-1] if golden is not None else ""
    numbers = re.findall(r"\d+", refused.message)
    row = str(len(subject.request["student"]["ids"]) - 1)
    if byte not in numbers or row not in numbers:
        raise Violation(
            "the refusal does not say where the texts differ", expected=f"row {row}, byte {byte}", got=refused.message
        )
    return None


@check("aligners.refused-file", area="aligners", level="LOSS", requires=("ALN-053",), kind="rejects")
def refused_file(subject: Subject) -> Applicability | None:
    """Projection files that are missing, malformed or code are refused."""
    return NOT_APPLICABLE if refusal(subject, "ALN-053") is None else None


@check("aligners.refused-batch", area="aligners", level="SPANS", requires=("ALN-060",), kind="rejects")
def refused_batch(subject: Subject) -> Applicability | None:
    """What is no batch is refused."""
    return NOT_APPLICABLE if refusal(subject, "ALN-060") is None else None


@check("aligners.refused-id", area="aligners", level="SPANS", requires=("ALN-061",), kind="rejects")
def refused_id(subject: Subject) -> Applicability | None:
    """Ids outside the vocabulary are refused."""
    return NOT_APPLICABLE if refusal(subject, "ALN-061") is None else None
