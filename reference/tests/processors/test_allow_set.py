"""Allow-sets are sets: compared with Python's on random rows."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.processors import AllowSet, ShapeMismatch, TokenOutOfRange, VocabMismatch
from tokenspec_reference.processors.allow_set import PAD

VOCAB = 12
EVERYTHING = frozenset(range(VOCAB))
ids = st.frozensets(st.integers(0, VOCAB - 1))
row = st.tuples(st.booleans(), ids)


def build(rows):
    """Rows of both kinds: (True, bans) or (False, allowed)."""
    lists = AllowSet.of([None if banned else sorted(listed) for banned, listed in rows], VOCAB)
    width = max([len(listed) for _, listed in rows], default=0)
    table = [sorted(listed) + [PAD] * (width - len(listed)) for _, listed in rows]
    bans = AllowSet.except_for(torch.tensor(table, dtype=torch.int64).reshape(len(rows), width), VOCAB)
    return bans.where(torch.tensor([banned for banned, _ in rows], dtype=torch.bool), lists)


def meaning(rows):
    return [EVERYTHING - listed if banned else listed for banned, listed in rows]


def sets(allow):
    return [EVERYTHING if found is None else frozenset(found) for found in allow.to_lists()]


@given(st.lists(row, max_size=4))
def test_rows_mean_what_they_list(rows):
    assert sets(build(rows)) == meaning(rows)
    assert build(rows).count().tolist() == [len(found) for found in meaning(rows)]


@given(st.lists(st.tuples(row, row), max_size=4))
def test_intersection_is_that_of_sets(pairs):
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    expected = [a & b for a, b in zip(meaning(left), meaning(right), strict=True)]
    both = build(left).intersect(build(right))
    assert sets(both) == expected
    assert sets(build(right).intersect(build(left))) == expected
    assert sets(both.intersect(both)) == expected
    assert sets(both.intersect(build(left))) == expected


@given(st.lists(st.tuples(ids, ids, row), max_size=3))
def test_promises_survive_intersection(triples):
    listed = AllowSet.of([sorted(a) for a, _, _ in triples], VOCAB).intersect(
        AllowSet.of([sorted(b) for _, b, _ in triples], VOCAB)
    )
    mixed = listed.intersect(build([c for _, _, c in triples]))
    for allow in (listed, mixed):
        assert not (allow.only_listed and bool(allow.excluded.any()))
        assert not (allow.never_empty and bool((allow.count() == 0).any()))
    assert sets(mixed) == [a & b & c for (a, b, _), c in zip(triples, meaning([c for *_, c in triples]), strict=True)]


@given(st.lists(st.tuples(row, st.integers(0, VOCAB - 1)), min_size=1, max_size=4))
def test_contains(pairs):
    rows, tokens = [a for a, _ in pairs], torch.tensor([b for _, b in pairs])
    expected = [token in allowed for token, allowed in zip(tokens.tolist(), meaning(rows), strict=True)]
    assert build(rows).contains(tokens).tolist() == expected


def test_equal_sets_look_equal():
    listed_all = AllowSet.of([range(VOCAB)], VOCAB)
    assert listed_all.ids(0) is None
    assert AllowSet.everything(1, VOCAB).ids(0) is None
    assert build([(True, frozenset())]).ids(0) is None


def test_errors_name_the_field():
    with pytest.raises(TokenOutOfRange, match=r"allow\[1\]"):
        AllowSet.of([[0], [VOCAB]], VOCAB)
    with pytest.raises(TokenOutOfRange, match="id -1"):
        AllowSet.of([[-1]], VOCAB)
    with pytest.raises(VocabMismatch):
        AllowSet.everything(1, 3).intersect(AllowSet.everything(1, 4))
    with pytest.raises(ShapeMismatch):
        AllowSet.everything(1, 3).intersect(AllowSet.everything(2, 3))


def test_the_last_token_id_that_fits_in_32_bits_is_an_id():
    assert AllowSet.of([[3, 2**31 - 1]], vocab_size=2**31).ids(0) == [3, 2**31 - 1]
