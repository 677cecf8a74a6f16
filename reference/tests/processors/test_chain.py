"""Composition: intersection, its errors, and finished rows."""

import itertools

import pytest

from tokenspec_reference.processors import (
    Chain,
    ConfigError,
    EmptyAllowedSet,
    MultiSeqLogitsProcessor,
    SourceRowOutOfRange,
    ThinkModeLogitsProcessor,
    TokenOutOfRange,
    TreeLogitsProcessor,
    VocabMismatch,
    compile_tree,
)

VOCAB = 16


def tree(candidates=(1, 2, 4), end=2):
    prefixes = {"15": list(candidates)} | {f"15_{token}": [end] for token in candidates if token != end}
    config = {"start_token_id": 15, "end_token_id": end, "prefix_dict": prefixes}
    return TreeLogitsProcessor(compile_tree(config, vocab_size=VOCAB))


def think(end=(4,), budget=0):
    return ThinkModeLogitsProcessor(end, max_tokens=budget, vocab_size=VOCAB)


def test_a_force_inside_the_tree():
    chain = Chain([think(), tree()])
    assert chain.allow(chain.init(2)).to_lists() == [[4], [4]]


def test_a_force_outside_the_tree_is_an_error_with_names():
    for members in itertools.permutations([think(end=(5,)), tree(), tree(candidates=(4, 5))]):
        chain = Chain(members)
        with pytest.raises(EmptyAllowedSet) as caught:
            chain.allow(chain.init(1))
        assert caught.value.row == 0
    chain = Chain([think(end=(5,)), tree()])
    with pytest.raises(EmptyAllowedSet) as caught:
        chain.allow(chain.init(1))
    assert caught.value.processors == ("think", "tree")
    assert "think, tree" in str(caught.value)


def test_order_and_repetition_do_not_matter():
    members = [think(budget=1), tree(), tree(candidates=(1, 4)), MultiSeqLogitsProcessor(0, vocab_size=VOCAB)]
    expected = None
    for order in itertools.permutations(members):
        chain = Chain([*order, think(budget=1)])
        state = chain.advance(chain.init(2), [1, 4])
        state = chain.finish(chain.reorder(state, [1, 0, 1]), [False, False, True])
        with pytest.raises(EmptyAllowedSet):
            chain.allow(state)
        sets = chain.allow(chain.init(2)).to_lists()
        expected = expected or sets
        assert sets == expected == [[1, 4], [1, 4]]


def test_finished_rows_take_eos_and_stand_still():
    chain = Chain([tree(end=2), MultiSeqLogitsProcessor(0, vocab_size=VOCAB)])
    state = chain.finish(chain.advance(chain.init(2), [1, 4]), [True, False])
    assert chain.allow(state).to_lists() == [[0], [2]]
    state = chain.advance(state, [99, 2])
    assert chain.processors[0].status(state[0]) == ["15_1", "15_4_2"]
    state = chain.finish(state, [False, False])
    assert chain.allow(state).to_lists() == [[2], [2]]


def test_reorder_carries_the_flags():
    multi = MultiSeqLogitsProcessor(0, vocab_size=VOCAB)
    state = multi.reorder(multi.finish(multi.init(2), [True, False]), [1, 0, 0])
    assert multi.allow(state).to_lists() == [None, [0], [0]]
    joined = multi.join([state, multi.init(1)])
    assert multi.allow(joined).to_lists() == [None, [0], [0], None]
    assert multi.allow(multi.advance(joined, [1, 2, 3, 4])).to_lists() == [None, [0], [0], None]


def test_only_multi_seq():
    chain = Chain([MultiSeqLogitsProcessor(0, vocab_size=VOCAB)])
    assert chain.allow(chain.finish(chain.init(2), [False, True])).to_lists() == [None, [0]]


def test_join():
    chain = Chain([think(budget=1), tree()])
    ahead = chain.advance(chain.init(1), [4])
    state = chain.join([chain.init(1), ahead])
    assert chain.allow(chain.reorder(state, [0])).to_lists() == [[1, 2, 4]]


def test_a_chain_of_nobody_allows_everything_and_still_reads_its_rows():
    nobody = Chain([], vocab_size=VOCAB)
    state = nobody.reorder(nobody.advance(nobody.init(2), [0, VOCAB - 1]), [1, 0, 1])
    assert nobody.allow(nobody.join([state, nobody.init(1)])).to_lists() == [None] * 4
    with pytest.raises(TokenOutOfRange):
        nobody.advance(nobody.init(1), [VOCAB])
    with pytest.raises(SourceRowOutOfRange):
        nobody.reorder(nobody.init(1), [1])


def test_rejected_chains():
    with pytest.raises(ConfigError, match="needs a vocab_size"):
        Chain([])
    with pytest.raises(VocabMismatch, match=r"\[8, 16\]"):
        Chain([tree()], vocab_size=8)
    with pytest.raises(VocabMismatch, match=r"\[8, 16\]"):
        Chain([tree(), ThinkModeLogitsProcessor([1], max_tokens=1, vocab_size=8)])
    with pytest.raises(ConfigError, match="/processors/1"):
        Chain([MultiSeqLogitsProcessor(0, vocab_size=VOCAB)] * 2)
    with pytest.raises(ConfigError, match="MultiSeq"):
        Chain([tree()]).finish(Chain([tree()]).init(1), [True])
    for eos in (-1, VOCAB, True):
        with pytest.raises(ConfigError, match="/eos_token_id"):
            MultiSeqLogitsProcessor(eos, vocab_size=VOCAB)
