"""KMP against a plain search, and the upstream vectors of the string-contain automaton."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.processors import ContainTable, StringContainDFA

symbols = st.integers(0, 2)


def border(pattern, history):
    """The definition: longest suffix of the history that is a prefix of the pattern, until the first occurrence."""
    for end in range(len(history) + 1):
        if tuple(history[max(end - len(pattern), 0) : end]) == pattern:
            return len(pattern)
    return max(
        n for n in range(len(pattern) + 1) if n <= len(history) and tuple(history[len(history) - n :]) == pattern[:n]
    )


@given(st.lists(symbols, max_size=4).map(tuple), st.lists(symbols, max_size=12))
def test_status_is_the_longest_border(pattern, history):
    dfa, table = StringContainDFA(pattern), ContainTable(pattern)
    status = torch.zeros(1, dtype=torch.int64)
    for length, token in enumerate(history, start=1):
        dfa = dfa.next(token)
        status = table.next(status, torch.tensor([token]))
        assert dfa.status == border(pattern, history[:length]) == int(status)
        assert dfa.finished == (dfa.status == len(pattern))


@pytest.mark.parametrize(
    ("pattern", "feed", "statuses"),
    [
        ((3,), (1, 2, 3, 1, 1, 3), (0, 0, 1, 1, 1, 1)),
        ((1, 1, 2), (1, 1, 1, 3, 1, 1, 2), (1, 2, 2, 0, 1, 2, 3)),
        ((99, 100), (99, 99, 100), (1, 1, 2)),
        ((1, 2, 1, 3), (1, 2, 1, 2, 1, 3), (1, 2, 3, 2, 3, 4)),
    ],
)
def test_upstream_vectors(pattern, feed, statuses):
    seen = []
    dfa = StringContainDFA(pattern)
    for token in feed:
        dfa = dfa.next(token)
        seen.append(dfa.status)
    assert tuple(seen) == statuses


def test_empty_pattern_has_occurred():
    assert StringContainDFA(()).finished
    assert StringContainDFA(()).next(1).finished
