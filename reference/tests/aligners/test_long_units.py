"""Marks without end: a unit of more than 30 is compared as it is written, so cost grows with the text."""

import unicodedata

import pytest

from tokenspec_reference.aligners import unicode_forms
from tokenspec_reference.aligners.unicode_forms import LONGEST_UNIT, normal_text

MARKS = "\u0301\u0323"


@pytest.mark.parametrize("run", [MARKS * 1200, "\u1161" * 2400])
@pytest.mark.parametrize("around", ["{}", "e\u0301 {} e\u0301", "\u00e9{}", "{}e\u0301"])
def test_a_long_unit_is_never_taken_apart(run, around, monkeypatch):
    seen = []
    taken = unicode_forms.shortest_segments
    monkeypatch.setattr(unicode_forms, "shortest_segments", lambda unit: seen.append(len(unit)) or taken(unit))
    unicode_forms._changed.cache_clear()
    text = around.format("a" + run)
    found = normal_text(text.encode())
    assert run.encode() in found.data
    assert len(found.position) == len(text.encode()) + 1
    assert found.position[-1] == len(found.data)
    assert max(seen, default=0) <= LONGEST_UNIT


def test_thirty_marks_are_put_in_order():
    text = "a" + MARKS * 15
    assert normal_text(text.encode()).data.decode() == unicodedata.normalize("NFC", text)
    longer = text + MARKS
    assert normal_text(longer.encode()).data.decode() == longer
