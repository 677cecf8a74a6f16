"""Tree decoding: upstream's vectors, and the table against its string twin."""

import random

import pytest
import torch

from tokenspec_reference.processors import (
    Checked,
    ConstraintViolation,
    PromptNotAtRoot,
    ShapeMismatch,
    SourceRowOutOfRange,
    TokenOutOfRange,
    TreeDFA,
    TreeLogitsProcessor,
    TreeStringProcessor,
    VocabMismatch,
    apply_allowed,
    compile_tree,
    read_tree,
    require_root,
)

TREE_A = {
    "start_token_id": 100,
    "end_token_id": 999,
    "prefix_dict": {"100": [10, 20], "100_10": [30, 40], "100_20": [50], "100_10_30": [999]},
}
ITEMS = {
    "prefix_dict": {
        "225": [64000, 64003, 64006, 64008, 64011],
        "225_64000": [64001],
        "225_64003": [64001],
        "225_64006": [64004],
        "225_64008": [64001],
        "225_64000_64001": [2],
        "225_64003_64001": [2],
        "225_64006_64004": [2],
        "225_64008_64001": [2],
    }
}


def both(config, vocab, mode="strict"):
    store = read_tree(config, mode=mode, vocab_size=vocab)
    return TreeLogitsProcessor(compile_tree(store)), TreeStringProcessor(store, vocab_size=vocab)


def test_a_lost_path_keeps_its_last_valid_status():
    for processor in both(TREE_A, 1000):
        state = processor.advance(processor.init(1), [[10, 99]])
        assert processor.status(state) == ["100_10"]
        assert processor.allow(state).to_lists() == [[999]]
        assert processor.status(processor.advance(state, [20])) == ["100_10"]


def test_finished_is_absorbing():
    for processor in both(TREE_A, 1000):
        state = processor.init(1)
        for token, allowed in ((10, [30, 40]), (30, [999]), (999, [999]), (10, [999])):
            state = processor.advance(state, [token])
            assert processor.allow(state).ids(0) == allowed
        assert processor.status(state) == ["100_10_30_999"]


def test_four_rows_of_items():
    for processor in both(ITEMS, 100_000):
        state = processor.init(4)
        for tokens in ([64000, 64003, 64006, 64008], [64001, 64001, 64004, 64001], [2, 2, 2, 2], [1, 1, 1, 1]):
            state = processor.advance(state, [[token] for token in tokens])
        assert processor.status(state) == [
            "225_64000_64001_2",
            "225_64003_64001_2",
            "225_64006_64004_2",
            "225_64008_64001_2",
        ]


def test_candidates_keep_their_logits():
    table, _ = both(ITEMS, 100_000)
    logits = torch.zeros(1, 100_000)
    logits[0, 64000] = 1
    apply_allowed(logits, table.allow(table.init(1)))
    assert logits[0, [64000, 64003, 64011, 64001]].tolist() == [1, 0, 0, float("-inf")]


def test_a_leaf_without_key_ends():
    for processor in both(ITEMS, 100_000):
        state = processor.advance(processor.init(1), [64011])
        assert processor.allow(state).to_lists() == [[2]]
        assert processor.status(state) == ["225"]


def test_phases():
    table, _ = both(TREE_A, 1000)
    state = table.advance(table.init(3), [10, 999, 5])
    assert table.phases(state) == ["live", "finished", "error"]
    assert table.status(state) == ["100_10", "100_999", "100"]


@pytest.mark.parametrize("mode", ["strict", "lenient", "upstream"])
def test_table_equals_strings(random_tree, mode):
    for seed in range(400):
        rng = random.Random(seed)
        separator = "_" if mode == "strict" else rng.choice(["_", "", "1", "-", "ab"])
        end = rng.choice({"strict": [0, 2], "lenient": [0, 3], "upstream": [0, 2, 9]}[mode])
        config = random_tree(rng, separator=separator, start=rng.choice([1, 7]), end=end, orphans=mode != "strict")
        table, strings = both(config, 8, mode)
        left, right = table.init(3), strings.init(3)
        for _ in range(7):
            allowed = strings.allow(right).to_lists()
            assert table.allow(left).to_lists() == allowed, (seed, config)
            assert table.status(left) == strings.status(right)
            bounded = table.tree.allow(left.nodes, table.tree.bound(left.depths), 8)  # as on an accelerator
            assert bounded.to_lists() == allowed
            source = [rng.randrange(3) for _ in range(3)]
            left, right = table.reorder(left, source), strings.reorder(right, source)
            tokens = [rng.choice(ids) if ids and rng.random() < 0.8 else rng.randrange(8) for ids in allowed]
            active = None if rng.random() < 0.7 else [rng.random() < 0.5 for _ in range(3)]
            left, right = table.advance(left, tokens, active), strings.advance(right, tokens, active)


def test_masked_rollouts_stay_on_key_paths(random_tree):
    for seed in range(200):
        rng = random.Random(seed)
        config = random_tree(rng)
        table, _ = both(config, 8)
        state, path = table.init(1), "1"
        for step in range(table.tree.levels + 2):
            if table.phases(state) != ["live"]:
                break
            assert step <= table.tree.levels
            token = rng.choice(table.allow(state).ids(0))
            assert token in (config["prefix_dict"].get(path) or [2])
            path, state = f"{path}_{token}", table.advance(state, [token])


def test_states_of_any_depth_mix():
    table, strings = both(TREE_A, 1000)
    left = table.join([table.init(1), table.advance(table.init(2), [[10, 30], [20, 50]])])
    right = strings.join([strings.init(1), strings.advance(strings.init(2), [[10, 30], [20, 50]])])
    assert table.allow(left).to_lists() == strings.allow(right).to_lists() == [[10, 20], [999], [999]]


def test_upstream_differs_where_the_list_says():
    end_zero = {"start_token_id": 1, "end_token_id": 0, "prefix_dict": {"1": [3], "1_3": [0]}}
    assert both(end_zero, 8)[0].allow(both(end_zero, 8)[0].advance(both(end_zero, 8)[0].init(1), [3])).to_lists() == [
        [0]
    ]
    for processor in both(end_zero, 8, "upstream"):
        assert processor.allow(processor.advance(processor.init(1), [3])).to_lists() == [[3]]
    orphan = {"start_token_id": 1, "prefix_dict": {"1": [3], "1_4": [5], "1_3_2": [6]}}
    for processor in both(orphan, 8, "upstream"):
        assert processor.allow(processor.advance(processor.init(1), [4])).to_lists() == [[5]]
        assert processor.allow(processor.advance(processor.init(1), [[3, 2]])).to_lists() == [[2]]
    for processor in both(orphan, 8, "lenient"):
        assert processor.allow(processor.advance(processor.init(1), [4])).to_lists() == [[2]]
    beyond_end = {"start_token_id": 1, "prefix_dict": {"1": [2], "1_2": [5]}}
    for processor in both(beyond_end, 8, "upstream"):
        state = processor.advance(processor.init(1), [2])
        assert processor.allow(state).to_lists() == processor.allow(processor.advance(state, [5])).to_lists() == [[5]]


def test_binding():
    tree = compile_tree(ITEMS)
    with pytest.raises(VocabMismatch, match="64011"):
        TreeLogitsProcessor(tree, vocab_size=64_000)
    with pytest.raises(VocabMismatch):
        TreeLogitsProcessor(compile_tree(ITEMS, vocab_size=70_000), vocab_size=80_000)
    with pytest.raises(ValueError, match="vocab_size"):
        TreeLogitsProcessor(tree)
    assert TreeLogitsProcessor(tree, vocab_size=64_012).vocab_size == 64_012


def test_arguments_are_checked():
    for processor in both(TREE_A, 1000):
        state = processor.init(2)
        with pytest.raises(TokenOutOfRange, match=r"tokens\[1\]: id 1000"):
            processor.advance(state, [10, 1000])
        with pytest.raises(TokenOutOfRange, match="id -1"):
            processor.advance(state, torch.tensor([[10], [-1]]))
        processor.advance(state, [10, 1000], [True, False])
        with pytest.raises(ShapeMismatch):
            processor.advance(state, [10])
        with pytest.raises(ShapeMismatch):
            processor.advance(state, [[10], [20, 30]])
        with pytest.raises(ShapeMismatch):
            processor.advance(state, [1.0, 2.0])
        with pytest.raises(ShapeMismatch):
            processor.advance(state, [10, 10], [True])
        with pytest.raises(IndexError, match=r"src\[1\]: row 2"):
            processor.reorder(state, [0, 2])
        with pytest.raises(SourceRowOutOfRange):
            processor.reorder(state, [-1])
        assert processor.status(processor.reorder(state, [])) == []
        assert processor.status(processor.reorder(state, [0, 0, 1])) == ["100"] * 3
        assert processor.status(processor.advance(state, [[], []])) == ["100"] * 2


def test_checked_refuses_what_was_not_allowed():
    table, _ = both(TREE_A, 1000)
    checked = Checked(table)
    state = checked.advance(checked.init(2), [[10, 30], [20, 50]])
    with pytest.raises(ConstraintViolation, match="token 10"):
        checked.advance(state, [999, 10])
    checked.advance(state, [999, 10], [True, False])
    with pytest.raises(ConstraintViolation):
        checked.advance(checked.init(1), [[10, 50]])


def test_require_root():
    tree = compile_tree(ITEMS)
    require_root(tree, [5, 225])
    for prompt in ([], [225, 5]):
        with pytest.raises(PromptNotAtRoot):
            require_root(tree, prompt)


def test_values_are_not_shared():
    config = {"prefix_dict": {"225": [7], "225_7": [2]}}
    dfa = TreeDFA.start(read_tree(config))
    assert dfa.next(7) is not dfa
    config["prefix_dict"]["225"].append(9)
    assert dfa.candidates() == (7,)
