"""The think budget: upstream's vectors, the row twin, and the three historical policies as parameters."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.processors import (
    AllowSet,
    ConfigError,
    StringContainDFA,
    ThinkConfig,
    ThinkModeLogitsProcessor,
    ThinkRow,
)

VOCAB = 16


def shown(processor, history, rows=1):
    """The allowed ids before each token of the history and after the last."""
    state, sets = processor.init(rows), []
    for token in [*history, None]:
        sets.append(processor.allow(state).ids(0))
        if token is not None:
            state = processor.advance(state, [token] * rows)
    return sets


def forced(processor, history):
    """Where a single id is left: position -> id."""
    return {at: ids[0] for at, ids in enumerate(shown(processor, history)) if ids is not None and len(ids) == 1}


def banned(ids, vocab=VOCAB):
    return [] if ids is None else sorted(set(range(vocab)) - set(ids))


def head(max_tokens, end, begin=(7,), vocab=VOCAB):
    """The class of the pinned upstream commit."""
    return ThinkModeLogitsProcessor(
        end, max_tokens=max_tokens, vocab_size=vocab, begin_ids=begin, close="eager", mask_boundaries="both"
    )


def test_budget_then_end_tag():
    processor = ThinkModeLogitsProcessor([8, 9], max_tokens=3, vocab_size=VOCAB)
    assert forced(processor, [5, 5, 5, 8, 9, 5, 5]) == {3: 8, 4: 9}


def test_zero_budget_closes_at_once():
    assert forced(ThinkModeLogitsProcessor([8, 9], max_tokens=0, vocab_size=VOCAB), [8, 9, 1]) == {0: 8, 1: 9}


def test_no_budget_never_forces():
    assert forced(ThinkModeLogitsProcessor([8, 9], max_tokens=None, vocab_size=VOCAB), [5] * 40) == {}


def test_classic_forces_one_token_earlier():
    classic = ThinkModeLogitsProcessor([8, 9], max_tokens=3 - 1, vocab_size=VOCAB)
    assert forced(classic, [5, 5, 8, 9]) == {2: 8, 3: 9}


def test_half_a_tag_at_the_budget_is_completed_not_restarted():
    processor = ThinkModeLogitsProcessor([8, 9], max_tokens=3, vocab_size=VOCAB)
    assert forced(processor, [5, 5, 8, 9]) == {3: 9}


def test_eager_close_hijacks_a_shared_first_token():
    trace = [5, 8, 5, 8, 9]
    assert forced(ThinkModeLogitsProcessor([8, 9], max_tokens=6, vocab_size=VOCAB), trace) == {}
    eager = ThinkModeLogitsProcessor([8, 9], max_tokens=6, vocab_size=VOCAB, close="eager")
    assert forced(eager, trace)[2] == 9


def test_upstream_boundary_vectors():
    opening = head(5, [128822, 271], (128821, 201), 128900)
    assert banned(shown(opening, [])[-1], 128900) == [128821]
    closed = head(32, [128822, 271], (128821, 201), 128900)
    assert banned(shown(closed, [128822, 271])[-1], 128900) == [128821, 128822]
    assert shown(closed, [128822])[-1] == [271]
    assert shown(head(32, [8, 9]), [8])[-1] == [9]
    assert banned(shown(head(3, [8, 9]), [1, 1])[-1]) == [7]
    assert shown(head(3, [8, 9]), [1, 1, 1])[-1] == [8]
    assert banned(shown(head(3, [8]), [1, 1, 1, 8])[-1]) == [7, 8]
    assert shown(head(3, [8, 9]), [1, 1, 1, 8])[-1] == [9]


def test_counting_after_the_begin_tag():
    processor = ThinkModeLogitsProcessor(
        [8, 9], max_tokens=2, vocab_size=VOCAB, begin_ids=[6, 7], counting="after_begin"
    )
    assert forced(processor, [5] * 9) == {}
    assert forced(processor, [5, 6, 6, 7, 5, 5, 8, 9, 5]) == {6: 8, 7: 9}
    assert forced(processor, [8, 9, 6, 7, 5, 5, 8]) == {6: 8, 7: 9}


def test_begin_is_free_until_thinking_starts():
    processor = ThinkModeLogitsProcessor(
        [8, 9], max_tokens=4, vocab_size=VOCAB, begin_ids=[6, 7], counting="after_begin", mask_boundaries="both"
    )
    assert [banned(ids) for ids in shown(processor, [6, 7, 8, 9])] == [[], [], [6], [6], [6, 8]]


policies = st.fixed_dictionaries(
    {
        "end_ids": st.lists(st.integers(0, 2), min_size=1, max_size=4),
        "max_tokens": st.one_of(st.none(), st.integers(0, 8)),
        "begin_ids": st.lists(st.integers(2, 3), min_size=1, max_size=2),
        "counting": st.sampled_from(["generated", "after_begin"]),
        "close": st.sampled_from(["budget", "eager"]),
        "mask_boundaries": st.sampled_from(["none", "begin", "both"]),
        "min_tokens": st.integers(0, 4),
    },
    optional={"closing_ids": st.lists(st.integers(0, 3), max_size=3)},
)


@given(policies, st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), max_size=14))
def test_rows_equal_their_twins(policy, columns):
    if policy["mask_boundaries"] != "none" and policy["begin_ids"][0] == policy["end_ids"][0]:
        return
    if policy["max_tokens"] is not None:
        policy = {**policy, "min_tokens": min(policy["min_tokens"], policy["max_tokens"])}
    if "closing_ids" in policy:
        policy = {**policy, "closing_ids": [*policy["closing_ids"], *policy["end_ids"]]}
        if StringContainDFA(tuple(policy["end_ids"])).feed(policy["closing_ids"][:-1]).finished:
            return
    config = ThinkConfig(
        **{key: tuple(one) if isinstance(one, list) else one for key, one in policy.items()}, vocab_size=5
    )
    processor = ThinkModeLogitsProcessor(**policy, vocab_size=5)
    state, rows = processor.init(3), [ThinkRow.start(config)] * 3
    for place, column in enumerate([*columns, None]):
        allow = processor.allow(state)
        assert allow.to_lists() == AllowSet.of([row.allowed() for row in rows], 5).to_lists()
        assert allow.never_empty
        if column is not None:
            active = [True, place % 2 == 0, True]
            state = processor.advance(state, column, active)
            rows = [row.next(token) if runs else row for row, token, runs in zip(rows, column, active, strict=True)]


@given(st.integers(0, 10**6))
def test_invariants_of_the_budget(seed):
    """The end tag comes within max + n tokens, nothing is forced afterwards, and CLASSIC and HEAD are parameters."""
    rng = random.Random(seed)
    end = tuple(rng.randrange(3) for _ in range(rng.randint(1, 4)))
    budget = rng.randint(1, 8)
    config = ThinkConfig(end, budget, 4)
    row, history = ThinkRow.start(config), []
    while not row.end.finished:
        allowed = row.allowed()
        history.append(rng.randrange(4) if allowed is None else allowed[0])
        row = row.next(history[-1])
    assert len(history) <= budget + len(end)
    assert row.allowed() is None
    assert row.next(end[0]).allowed() is None


def classic(end, budget, history):
    """Upstream before 2026-08, by its own words: force at ``generated + 1 >= max`` unless the tag was seen."""
    seen = StringContainDFA(end).feed(history)
    force = len(history) + 1 >= budget and not seen.finished
    return [end[seen.status]] if force else None


def head_class(end, budget, begin, history):
    """Upstream at 4b8d39cd: close at the first tag token or at the budget, ban boundary ids."""
    seen = StringContainDFA(end)
    for token in history:
        seen = seen.next(token)
    if not seen.finished and (seen.status > 0 or len(history) >= budget):
        return [end[seen.status]]
    banned = {begin, end[0]} if seen.finished else {begin}
    return [token for token in range(4) if token not in banned]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple), st.integers(1, 8), st.integers(0, 10**6))
def test_historical_policies_are_parameters(end, budget, seed):
    rng = random.Random(seed)
    for upstream, config in (
        (lambda history: classic(end, budget, history), ThinkConfig(end, budget - 1, 4)),
        (
            lambda history: head_class(end, budget, 3, history),
            ThinkConfig(end, budget, 4, begin_ids=(3,), close="eager", mask_boundaries="both"),
        ),
    ):
        row, history = ThinkRow.start(config), []
        for _ in range(14):
            allowed = row.allowed()
            assert allowed == upstream(history)
            history.append(rng.choice(allowed or range(4)))
            row = row.next(history[-1])


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"end_ids": []}, "/end_ids"),
        ({"end_ids": [16]}, "/end_ids/0"),
        ({"end_ids": [1, -1]}, "/end_ids/1"),
        ({"end_ids": [True]}, "/end_ids/0"),
        ({"max_tokens": -1}, "/max_tokens"),
        ({"max_tokens": 2.0}, "/max_tokens"),
        ({"max_tokens": True}, "/max_tokens"),
        ({"counting": "tokens"}, "/counting"),
        ({"close": "now"}, "/close"),
        ({"mask_boundaries": "end"}, "/mask_boundaries"),
        ({"counting": "after_begin"}, "/begin_ids"),
        ({"mask_boundaries": "both"}, "/begin_ids"),
        ({"mask_boundaries": "begin", "begin_ids": [8, 1]}, "/mask_boundaries"),
        ({"begin_ids": [99]}, "/begin_ids/0"),
        ({"closing_ids": [4, 5]}, "/closing_ids"),
        ({"closing_ids": [8, 9, 8, 9]}, "/closing_ids"),
        ({"closing_ids": [-1, 8, 9]}, "/closing_ids/0"),
        ({"min_tokens": 4}, "/min_tokens"),
        ({"min_tokens": True}, "/min_tokens"),
    ],
)
def test_rejected_policies(arguments, pointer):
    with pytest.raises(ConfigError) as caught:
        ThinkModeLogitsProcessor(**{"end_ids": [8, 9], "max_tokens": 3, **arguments}, vocab_size=VOCAB)
    assert caught.value.problems[0].pointer == pointer
