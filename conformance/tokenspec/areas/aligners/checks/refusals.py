"""Checks of refusals: different texts, broken batches, unknown ids, projection files that are no data."""

from __future__ import annotations

from tokenspec.areas.aligners.hostile import ran
from tokenspec.areas.check import Subject, Violation, check, cites
from tokenspec.areas.refusal import refused


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
    refused(subject, naming_place=True)


@check(
    "aligners.refused-file",
    area="aligners",
    level="LOSS",
    requires=("ALN-053",),
    kind="rejects",
    applies=cites("ALN-053"),
)
def refused_file(subject: Subject) -> None:
    """Projection files that are missing, malformed or code are refused at their place, and code in them is not run."""
    if ran():
        raise Violation("the code in the file was run", expected="a refusal without running it", got=subject.outcome)
    refused(subject, naming_place=True)


@check(
    "aligners.refused-batch",
    area="aligners",
    level="SPANS",
    requires=("ALN-060",),
    kind="rejects",
    applies=cites("ALN-060"),
)
def refused_batch(subject: Subject) -> None:
    """What is no batch is refused, and where it stands is said."""
    refused(subject, naming_place=True)


@check(
    "aligners.refused-id",
    area="aligners",
    level="SPANS",
    requires=("ALN-061",),
    kind="rejects",
    applies=cites("ALN-061"),
)
def refused_id(subject: Subject) -> None:
    """Ids outside the vocabulary are refused, and where they stand is said."""
    refused(subject, naming_place=True)
