"""A case that is refused states the code and the places that the chapter has for it."""

from __future__ import annotations

import pytest

from tokenspec.areas import areas
from tokenspec.areas.area import NO_ROW
from tokenspec.areas.engines.oracle.forced import Refuses
from tokenspec.areas.engines.oracle.golden import expectation
from tokenspec.areas.selection import load_cases
from tokenspec.models import load

REFUSED = [case for case in load_cases(areas()["engines"]) if case.outcome == "raises"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.slug)
def test_places_are_the_chapters(case) -> None:
    (row, *_) = case.rows or [NO_ROW]
    with pytest.raises(Refuses) as caught:
        expectation(case, None if row == NO_ROW else load(row))
    assert case.requires[0] == str(caught.value)
    assert case.refusal["code"] == caught.value.code
    assert sorted(case.refusal["places"]) == sorted(caught.value.places)
