"""Banned combos: upstream's vectors for bans, completion, cross-sequence bans and the diversity rule."""

import pytest
import torch

from tokenspec_reference.processors import ConfigError, RecommendationLogitsProcessor

VOCAB = 128


def banned(processor, state, logits=None):
    allow = processor.allow(state) if logits is None else processor.allow_from_logits(state, logits)
    everything = set(range(processor.vocab_size))
    return [sorted(everything - everything if ids is None else everything - set(ids)) for ids in allow.to_lists()]


def test_bans_only_at_the_last_token():
    processor = RecommendationLogitsProcessor(3, vocab_size=VOCAB, banned_combo_token_ids=[[10, 20, 30], [15, 25, 35]])
    state = processor.init(1)
    assert banned(processor, state) == [[]]
    state = processor.advance(state, [10])
    assert banned(processor, state) == [[]]
    assert banned(processor, processor.advance(state, [20])) == [[30]]
    assert banned(processor, processor.advance(state, [25])) == [[]]


def test_completed_combos_are_banned():
    processor = RecommendationLogitsProcessor(3, vocab_size=VOCAB)
    state = processor.advance(processor.init(1), [[7, 8, 9, 7, 8]])
    assert banned(processor, state) == [[9]]
    assert (state[0].prefix, state[0].completed, state[0].banned) == ((7, 8), 1, {(7, 8, 9)})


def test_copies_do_not_alias():
    processor = RecommendationLogitsProcessor(3, vocab_size=VOCAB)
    state = processor.reorder(processor.advance(processor.init(1), [1]), [0, 0, 0])
    state = processor.advance(state, [9, 0, 0])
    assert [row.prefix for row in state] == [(1, 9), (1, 0), (1, 0)]


def test_cross_sequence_ban_never_reaches_the_primary():
    arguments = {"vocab_size": VOCAB, "cross_sequence_ban": True}
    processor = RecommendationLogitsProcessor(3, **arguments)
    state = processor.advance(processor.init(2), [[1, 2, 3], [4, 5, 6]])
    assert [row.banned for row in state] == [{(1, 2, 3)}, {(1, 2, 3), (4, 5, 6)}]
    alone = RecommendationLogitsProcessor(3, vocab_size=VOCAB)
    state = alone.advance(alone.init(2), [[1, 2, 3], [4, 5, 6]])
    assert [row.banned for row in state] == [{(1, 2, 3)}, {(4, 5, 6)}]
    state = processor.advance(processor.init(3), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert [len(row.banned) for row in state] == [1, 3, 3]
    with pytest.raises(ConfigError, match="cross"):
        processor.reorder(state, [0, 1, 2])
    assert alone.reorder(alone.init(2), [1, 0]) == alone.init(2)


def test_diversity():
    processor = RecommendationLogitsProcessor(3, vocab_size=5, cross_sequence_ban=True)
    logits = torch.tensor([[1.0, 5, 3, 4, 2]] * 3)
    assert banned(processor, processor.init(3), logits) == [[], [1], [1, 3]]
    later = RecommendationLogitsProcessor(3, vocab_size=5, cross_sequence_ban=True, cross_seq_diverge_start_combo=1)
    state = later.init(2)
    assert banned(later, state, logits[:2]) == [[], []]
    assert banned(later, later.advance(state, [[0, 0, 0], [2, 2, 2]]), logits[:2]) == [[], [1]]
    wide = RecommendationLogitsProcessor(2, vocab_size=20, cross_sequence_ban=True)
    found = banned(wide, wide.init(12), torch.arange(20.0).expand(12, -1))
    assert [len(row) for row in found] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]


def test_single_token_items_do_not_cross():
    processor = RecommendationLogitsProcessor(1, vocab_size=8, cross_sequence_ban=True)
    assert banned(processor, processor.advance(processor.init(2), [3, 4])) == [[3], [4]]


def test_thinking_first():
    processor = RecommendationLogitsProcessor(2, vocab_size=VOCAB, end_think_token_ids=[99, 100])
    state = processor.init(1)
    for token, done in ((50, False), (99, False), (99, False), (100, True)):
        state = processor.advance(state, [token])
        assert (state[0].prelude.finished, state[0].prefix) == (done, ())
    state = processor.advance(state, [[1, 2, 1]])
    assert banned(processor, state) == [[2]]


def test_inactive_rows_hear_nothing():
    processor = RecommendationLogitsProcessor(2, vocab_size=VOCAB, cross_sequence_ban=True)
    state = processor.advance(processor.init(2), [[1, 2], [3, 4]], [True, False])
    assert [row.completed for row in state] == [1, 0]
    assert state[1].banned == frozenset()
    assert len(processor.join([state, processor.init(1)])) == 3


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"combo_token_size": 0}, "/combo_token_size"),
        ({"banned_combo_token_ids": [[1, 2, 3], [7, 8]]}, "/banned_combo_token_ids/1"),
        ({"banned_combo_token_ids": [[1, 2, 999]]}, "/banned_combo_token_ids/0/2"),
        ({"end_think_token_ids": [-1]}, "/end_think_token_ids/0"),
    ],
)
def test_rejected(arguments, pointer):
    with pytest.raises(ConfigError) as caught:
        RecommendationLogitsProcessor(**{"combo_token_size": 3, "vocab_size": VOCAB, **arguments})
    assert caught.value.problems[0].pointer == pointer
