"""Drafts, commits and rollbacks against plain replay of every row's tokens; constraints that wait for a tag."""

import random

import pytest

from tokenspec_reference.processors import (
    After,
    Chain,
    ConfigError,
    MultiSeqLogitsProcessor,
    RecommendationLogitsProcessor,
    Rewindable,
    RollbackOutOfRange,
    ShapeMismatch,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    compile_tree,
)

VOCAB = 6


def members(rng, grow):
    tree = TreeLogitsProcessor(compile_tree(grow(rng, vocab=VOCAB, orphans=True), mode="lenient", vocab_size=VOCAB))
    think = ThinkModeLogitsProcessor([3, 4], max_tokens=3, closing_ids=[5, 3, 4], vocab_size=VOCAB)
    combos = RecommendationLogitsProcessor(2, vocab_size=VOCAB, banned_combo_token_ids=[[0, 1]])
    return [rng.choice([After([3, 4], tree), After([0], combos), After([5], After([4], think)), think, combos])]


def replayed(processor, histories):
    """Every row alone, from its tokens."""
    states = [processor.advance(processor.init(1), [history]) for history in histories]
    return [processor.allow(state).ids(0) for state in states]


@pytest.mark.parametrize("seed", range(60))
def test_tracks_equal_replay(random_tree, seed):
    rng = random.Random(seed)
    chain = Chain(members(rng, random_tree))
    engine = Rewindable(chain)
    state, histories = engine.init(3), [[], [], []]
    for _ in range(8):
        tokens = [[rng.randrange(VOCAB) for _ in range(rng.randint(0, 3))] for _ in histories]
        match rng.choice(["commit", "advance", "rollback", "reorder", "masks", "forced", "join"]):
            case "commit":
                state = engine.commit(state, tokens)
                histories = [old + new for old, new in zip(histories, tokens, strict=True)]
            case "advance":
                active = [rng.random() < 0.7 for _ in histories]
                column = [rng.randrange(VOCAB) for _ in histories]
                state = engine.advance(state, column, active)
                histories = [old + [one] * on for old, one, on in zip(histories, column, active, strict=True)]
            case "rollback":
                counts = [rng.randint(0, len(old)) for old in histories]
                state = engine.rollback(state, counts)
                histories = [old[: len(old) - count] for old, count in zip(histories, counts, strict=True)]
            case "reorder":
                src = [rng.randrange(len(histories)) for _ in range(rng.randint(1, 4))]
                state, histories = engine.reorder(state, src), [histories[row] for row in src]
            case "join":
                parts = [engine.reorder(state, [row]) for row in range(len(histories))]
                state = engine.join(parts)
            case "masks":
                for row, (sets, drafts) in enumerate(zip(engine.masks(state, tokens).to_lists(), tokens, strict=True)):
                    history = list(histories[row])
                    for place, ids in enumerate(sets):
                        assert [ids] == replayed(chain, [history])
                        if place < len(sets) - 1:
                            assert ids is None or drafts[place] in ids
                            history.append(drafts[place])
                    refused = len(sets) <= len(drafts)
                    assert not refused or drafts[len(sets) - 1] not in (sets[-1] or range(VOCAB))
            case "forced":
                runs = engine.forced(state, 5)
                for history, run in zip(histories, runs, strict=True):
                    for place, token in enumerate(run):
                        assert replayed(chain, [history + run[:place]]) == [[token]]
                    last = replayed(chain, [history + run])[0]
                    assert len(run) == 5 or last is None or len(last) != 1
        assert engine.allow(state).to_lists() == replayed(chain, histories)


def test_a_window_forgets():
    engine = Rewindable(Chain([ThinkModeLogitsProcessor([3], max_tokens=4, vocab_size=VOCAB)]), window=2)
    state = engine.commit(engine.init(1), [[0, 1, 2]])
    assert engine.allow(engine.rollback(state, [2])).to_lists() == [None]
    with pytest.raises(RollbackOutOfRange, match=r"counts\[0\].*2 are remembered"):
        engine.rollback(state, [3])
    with pytest.raises(RollbackOutOfRange):
        engine.rollback(state, [-1])


def test_refusals_commit_nothing():
    engine = Rewindable(Chain([MultiSeqLogitsProcessor(0, vocab_size=VOCAB)]))
    state = engine.init(2)
    with pytest.raises(ShapeMismatch, match="2 rows"):
        engine.masks(state, [[1]])
    assert engine.rollback(engine.init(0), []).counts == ()
    crossing = RecommendationLogitsProcessor(2, vocab_size=VOCAB, cross_sequence_ban=True)
    with pytest.raises(ConfigError, match=r"/processors/0: .* cross-sequence ban"):
        Rewindable(Chain([After([1], crossing)])).forced(state, 1)


def test_what_cannot_wait():
    with pytest.raises(ConfigError, match="/tag_ids"):
        After([], MultiSeqLogitsProcessor(0, vocab_size=VOCAB))
    with pytest.raises(ConfigError, match="around each"):
        After([1], Chain([], vocab_size=VOCAB))
