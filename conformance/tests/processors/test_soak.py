"""The long run: string twin, table and stateless oracle on 30,000 trees and 50,000 think traces."""

import os
import random
from math import ceil

import pytest
import torch

from tokenspec.areas.processors.oracle.allowed_sets import think_allowed, tree_walk
from tokenspec_reference.processors import (
    ConfigError,
    ThinkConfig,
    ThinkModeLogitsProcessor,
    ThinkRow,
    TreeLogitsProcessor,
    TreeStringProcessor,
    compile_tree,
    read_tree,
)

pytestmark = pytest.mark.soak
VOCAB, ROWS, STEPS = 8, 3, 6
SHARE = float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1"))
TREES, TRACES = ceil(30_000 * SHARE), ceil(50_000 * SHARE)


def random_tree(rng, mode):
    """Empty lists, repeated candidates, leaves without a key; orphans and ambiguous separators unless strict."""
    separator = "_" if mode == "strict" else rng.choice(["_", "", "1", "-"])
    end = rng.choice([0, 2, 9] if mode == "upstream" else [0, 2])
    prefixes = {}

    def node(key, level):
        prefixes[key] = [rng.randrange(VOCAB) for _ in range(rng.randint(0 if level else 1, 3))]
        if level < 4:
            for token in set(prefixes[key]):
                if token != end and rng.random() < 0.7:
                    node(f"{key}{separator}{token}", level + 1)
            if mode != "strict" and rng.random() < 0.3:
                node(f"{key}{separator}{rng.randrange(VOCAB)}", level + 1)

    node(str(start := rng.choice([1, 7])), 0)
    return {"start_token_id": start, "end_token_id": end, "sep": separator, "prefix_dict": prefixes}


def compare_tree(seed):
    rng = random.Random(seed)
    mode = rng.choice(["strict", "strict", "lenient", "upstream"])
    config = random_tree(rng, mode)
    store = read_tree(config, mode=mode, vocab_size=VOCAB)
    table, strings = TreeLogitsProcessor(compile_tree(store)), TreeStringProcessor(store, vocab_size=VOCAB)
    left, right, histories = table.init(ROWS), strings.init(ROWS), [[] for _ in range(ROWS)]
    for _ in range(STEPS):
        oracle = [tree_walk({"kind": "tree", "config": config, "mode": mode}, row, VOCAB) for row in histories]
        wanted = [None if len(ids) == VOCAB else sorted(ids) for ids, _ in oracle]
        assert table.allow(left).to_lists() == strings.allow(right).to_lists() == wanted, (seed, config, histories)
        assert table.status(left) == strings.status(right) == [status for _, status in oracle]
        tokens = [rng.choice(ids) if ids and rng.random() < 0.8 else rng.randrange(VOCAB) for ids in wanted]
        source = [rng.randrange(ROWS) for _ in range(ROWS)] if rng.random() < 0.2 else range(ROWS)
        left, right = table.reorder(left, list(source)), strings.reorder(right, list(source))
        histories = [[*histories[row], token] for row, token in zip(source, tokens, strict=True)]
        left, right = table.advance(left, tokens), strings.advance(right, tokens)


def test_trees():
    for seed in range(TREES):
        compare_tree(seed)
    print(f"{TREES} trees, {ROWS} rows, {STEPS} steps: string twin, table and oracle agree")


def compare_traces(seed, rows):
    """One policy, many rows at once; every row is compared at every step."""
    rng = random.Random(seed)
    policy = {
        "end_ids": [rng.randrange(3) for _ in range(rng.randint(1, 4))],
        "max_tokens": rng.choice([None, *range(9)]),
        "begin_ids": [rng.randrange(2, 5) for _ in range(rng.randint(1, 2))],
        "counting": rng.choice(["generated", "after_begin"]),
        "close": rng.choice(["budget", "eager"]),
        "mask_boundaries": rng.choice(["none", "begin", "both"]),
    }
    vocab = 5
    try:
        processor = ThinkModeLogitsProcessor(**policy, vocab_size=vocab)
    except ConfigError:
        return 0
    config = ThinkConfig(
        **{**policy, "end_ids": tuple(policy["end_ids"]), "begin_ids": tuple(policy["begin_ids"])}, vocab_size=vocab
    )
    state, twins, histories = processor.init(rows), [ThinkRow.start(config)] * rows, [[] for _ in range(rows)]
    for _ in range(rng.randint(4, 14)):
        sets = processor.allow(state).to_lists()
        oracle = [think_allowed(policy, row, vocab) for row in histories]
        assert sets == [None if ids is None else sorted(ids) for ids, _ in oracle], (policy, histories)
        assert sets == [row.allowed() for row in twins]
        assert state.end.tolist() == [int(length) for _, length in oracle]
        tokens = [rng.choice(ids) if ids and rng.random() < 0.7 else rng.randrange(vocab) for ids in sets]
        state = processor.advance(state, torch.tensor(tokens))
        twins = [row.next(token) for row, token in zip(twins, tokens, strict=True)]
        histories = [[*row, token] for row, token in zip(histories, tokens, strict=True)]
    return rows


def test_think_traces():
    compared = seed = 0
    while compared < TRACES:
        compared += compare_traces(seed, 50)
        seed += 1
    print(f"{compared} think traces of {seed} policies: row twin, table and oracle agree")
