"""Checks of refusals: different texts, broken batches, unknown ids, projection files that are no data."""

from __future__ import annotations

import re

from tokenspec.adapters import Refused
from tokenspec.areas.check import Subject, Violation, check, cites


def refusal(subject: Subject) -> Refused:
    """The refusal that is due."""
    if not isinstance(subject.outcome, Refused):
        raise Violation(
            "the input was accepted",
            expected="a refusal",
            got=subject.outcome,
            hint="an exception is a refusal only with an attribute rejection_code",
        )
    return subject.outcome


@check(
    "aligners.refused-text",
    area="aligners",
    level="SPANS",
    requires=("ALN-017",),
    kind="rejects",
    applies=cites("ALN-017"),
)
def refused_text(subject: Subject) -> None:
    """Different texts are refused with row and first differing byte."""
    refused = refusal(subject)
    golden = subject.cell.golden
    byte = (golden.error or "").rsplit(" ", 1)[-1] if golden is not None else ""
    numbers = re.findall(r"\d+", refused.message)
    row = str(len(subject.request["student"]["ids"]) - 1)
    if byte not in numbers or row not in numbers:
        raise Violation(
            "the refusal does not say where the texts differ", expected=f"row {row}, byte {byte}", got=refused.message
        )


@check(
    "aligners.refused-file",
    area="aligners",
    level="LOSS",
    requires=("ALN-053",),
    kind="rejects",
    applies=cites("ALN-053"),
)
def refused_file(subject: Subject) -> None:
    """Projection files that are missing, malformed or code are refused."""
    refusal(subject)


@check(
    "aligners.refused-batch",
    area="aligners",
    level="SPANS",
    requires=("ALN-060",),
    kind="rejects",
    applies=cites("ALN-060"),
)
def refused_batch(subject: Subject) -> None:
    """What is no batch is refused."""
    refusal(subject)


@check(
    "aligners.refused-id",
    area="aligners",
    level="SPANS",
    requires=("ALN-061",),
    kind="rejects",
    applies=cites("ALN-061"),
)
def refused_id(subject: Subject) -> None:
    """Ids outside the vocabulary are refused."""
    refusal(subject)
