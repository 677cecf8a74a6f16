"""Checks of the chunk losses of the literature: numbers as close as those of the other losses.

The loss is always judged, what it is made of and how many chunks were counted where an implementation says so.
"""

from __future__ import annotations

from tokenspec.areas.aligners.checks.losses import close
from tokenspec.areas.check import NotGiven, Subject, check, cites


def compare(subject: Subject) -> None:
    """The loss, and of its parts those that are given."""
    if subject.output.values is None:
        raise NotGiven("no values")
    given = {"loss", *subject.output.values} - {"gradient"}
    wanted = {name: value for name, value in subject.expect.values.items() if name in given}
    close(wanted, subject.output.values, "")


@check("aligners.merged", area="aligners", level="LOSS", requires=("ALN-080",), kind="golden", applies=cites("ALN-080"))
def merged(subject: Subject) -> None:
    """The loss of distributions of several tokens."""
    compare(subject)


@check("aligners.uld", area="aligners", level="LOSS", requires=("ALN-081",), kind="golden", applies=cites("ALN-081"))
def uld(subject: Subject) -> None:
    """The loss uld and how many chunks it counts."""
    compare(subject)


@check(
    "aligners.uld-hybrid", area="aligners", level="LOSS", requires=("ALN-082",), kind="golden", applies=cites("ALN-082")
)
def uld_hybrid(subject: Subject) -> None:
    """The loss uld-hybrid, and what common and other tokens have in it."""
    compare(subject)


@check("aligners.alm", area="aligners", level="LOSS", requires=("ALN-083",), kind="golden", applies=cites("ALN-083"))
def alm(subject: Subject) -> None:
    """The loss alm and how many chunks it counts."""
    compare(subject)


@check(
    "aligners.alm-unbiased",
    area="aligners",
    level="LOSS",
    requires=("ALN-084",),
    kind="golden",
    applies=cites("ALN-084"),
)
def alm_unbiased(subject: Subject) -> None:
    """The loss alm where words end, and how many chunks are left."""
    compare(subject)


@check("aligners.dskd", area="aligners", level="LOSS", requires=("ALN-085",), kind="golden", applies=cites("ALN-085"))
def dskd(subject: Subject) -> None:
    """The loss dskd and its three parts."""
    compare(subject)
