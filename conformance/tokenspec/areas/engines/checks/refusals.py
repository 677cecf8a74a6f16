"""Inputs the chapter refuses, one check per requirement."""

from __future__ import annotations

from tokenspec.areas.check import Subject, check, cites
from tokenspec.areas.refusal import refused

REFUSING = [
    "ENG-043",
    "ENG-060",
    "ENG-061",
    "ENG-062",
    "ENG-063",
    "ENG-064",
    "ENG-065",
    "ENG-086",
    "ENG-087",
    "ENG-093",
    "ENG-106",
]


def _refusal(requirement: str) -> None:
    @check(
        f"engines.refuses.{requirement.lower()}",
        area="engines",
        level="REFUSALS",
        requires=(requirement,),
        kind="rejects",
        applies=cites(requirement),
    )
    def the_input_is_refused(subject: Subject) -> None:
        """The implementation refuses what this requirement refuses, for its reason, and says where."""
        refused(subject, naming_place=True)


for _requirement in REFUSING:
    _refusal(_requirement)
