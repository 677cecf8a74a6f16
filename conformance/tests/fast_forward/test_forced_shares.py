"""The figures of forcing, on a vocabulary small enough to count by hand."""

import pytest

from tokenspec.bench.forced import Reference, Tally, write, written
from tokenspec.cli.bench import amount
from tokenspec_reference.fast_forward import small_vocabulary

SCHEMA = {"json_schema": {"enum": ["order", "orderId"]}}
VOCABULARY = small_vocabulary("or", "de", "der", "order", "Id", "orderId")


def tally(text, **query):
    found = Tally()
    write(VOCABULARY, text, Reference(VOCABULARY, SCHEMA, query), found)
    return found


def test_keeping_everything_leaves_the_canonical_way():
    """``"order`` is forced at once; the model is left with ``Id``, which the canonical text does not have."""
    found = tally(b'"orderId"', max_tokens=0)
    assert (found.tokens, found.forced, found.foreign, found.size) == (4, 3, 1, 9)
    assert found.share == pytest.approx(3 / 4)
    assert "100.00% of the model's tokens not canonical, 2.25 bytes a token" in found.note


@pytest.mark.parametrize("query", [{"mode": "strict"}, {"max_tokens": 4}])
def test_what_is_held_back_keeps_to_it(query):
    found = tally(b'"orderId"', **query)
    assert (found.tokens, found.forced, found.foreign) == (3, 2, 0)
    both = written(
        VOCABULARY, [(SCHEMA, b'"order"'), (SCHEMA, b'"orderId"')], lambda one: Reference(VOCABULARY, one, query)
    )
    assert both.foreign == 0
    assert both.size == 16


def test_shares_are_no_durations():
    assert amount(0.456, "%") == "45.6%"
    assert amount(0.456, "s") == "456 ms"
