"""Packing against the definition of first-fit."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.preparation import Pack, first_fit
from tokenspec_reference.preparation.prepared import clipped, spread
from tokenspec_reference.preparation.rendering import joined


def by_definition(lengths, capacity):
    packs, open_packs = [], []
    for position, length in enumerate(lengths):
        fits = next((pack for pack in open_packs if pack.tokens + length <= capacity), None)
        if length == 0 or length > capacity or fits is None:
            fits = Pack()
            packs.append(fits)
            if 0 < length <= capacity:
                open_packs.append(fits)
        fits.members.append(position)
        fits.tokens += length
    return packs


@given(st.lists(st.integers(0, 14), max_size=60), st.integers(1, 12))
def test_first_fit(lengths, capacity):
    assert first_fit(lengths, capacity) == by_definition(lengths, capacity)


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 40))
def test_runs_are_the_mask(mask, length):
    runs = joined((k, k + 1) for k, on in enumerate(mask) if on)
    assert all(end < start for (_, end), (start, _) in pairwise(runs))
    assert spread(runs, len(mask)) == mask
    assert spread(clipped(runs, length), min(length, len(mask))) == mask[:length]
