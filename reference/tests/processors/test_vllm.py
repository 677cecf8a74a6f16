"""The persistent batch: rows come, go, move and swap, and every request keeps its own state."""

import random
from dataclasses import dataclass, field
from enum import Enum, auto

import pytest
import torch

from tokenspec_reference.processors import (
    Chain,
    EmptyAllowedSet,
    ShapeMismatch,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    compile_tree,
)
from tokenspec_reference.processors.vllm import request_callable, vllm_processor

VOCAB = 16
TREE = TreeLogitsProcessor(
    compile_tree(
        {"start_token_id": 1, "prefix_dict": {"1": [3, 4], "1_3": [5], "1_4": [6, 7], "1_3_5": [2]}}, vocab_size=VOCAB
    )
)


class Direction(Enum):
    UNIDIRECTIONAL = auto()
    SWAP = auto()


@dataclass
class Update:
    batch_size: int
    removed: list = field(default_factory=list)
    added: list = field(default_factory=list)
    moved: list = field(default_factory=list)


def make(params):
    if params is None:
        return None
    if params == "tree":
        return TREE
    return ThinkModeLogitsProcessor([8], max_tokens=params, vocab_size=VOCAB)


def batch():
    return vllm_processor(make)(None, "cpu", False)


def allowed(processor, rows):
    logits = processor.apply(torch.zeros(rows, VOCAB))
    return [None if bool(row.isfinite().all()) else row.isfinite().nonzero().flatten().tolist() for row in logits]


def test_add_apply_remove():
    processor, outputs = batch(), [[], [], []]
    processor.update_state(
        Update(3, added=[(0, "tree", [1], outputs[0]), (1, None, [1], outputs[1]), (2, 0, None, outputs[2])])
    )
    assert allowed(processor, 3) == [[3, 4], None, [8]]
    for output, token in zip(outputs, (4, 9, 8), strict=True):
        output.append(token)
    processor.update_state(None)
    assert allowed(processor, 3) == [[6, 7], None, None]
    processor.update_state(Update(2, removed=[0]))
    assert allowed(processor, 3) == [None, None, None]


def test_added_replaces_and_plain_requests_clear():
    processor = batch()
    processor.update_state(Update(1, added=[(0, "tree", [1], [3])]))
    assert allowed(processor, 1) == [[5]]
    processor.update_state(Update(1, removed=[0], added=[(0, "tree", [1], [])]))
    assert allowed(processor, 1) == [[3, 4]]
    processor.update_state(Update(1, added=[(0, None, [1], [])]))
    assert allowed(processor, 1) == [None]


def test_moves_and_swaps():
    processor = batch()
    outputs = [[3], [4], []]
    processor.update_state(Update(3, added=[(row, "tree", [1], output) for row, output in enumerate(outputs)]))
    assert allowed(processor, 3) == [[5], [6, 7], [3, 4]]
    processor.update_state(Update(3, moved=[(0, 2, Direction.SWAP)]))
    assert allowed(processor, 3) == [[3, 4], [6, 7], [5]]
    processor.update_state(Update(2, removed=[0], moved=[(2, 0, Direction.UNIDIRECTIONAL)]))
    assert allowed(processor, 2) == [[5], [6, 7]]
    processor.update_state(Update(2, moved=[(0, 1, Direction.UNIDIRECTIONAL)]))
    assert allowed(processor, 2) == [None, [5]]
    processor.update_state(Update(2, moved=[(0, 1, Direction.SWAP)]))
    assert allowed(processor, 2) == [[5], None]


def test_several_and_withdrawn_tokens():
    processor, output = batch(), []
    processor.update_state(Update(1, added=[(0, "tree", [1], output)]))
    output.extend([3, 5])
    assert allowed(processor, 1) == [[2]]
    del output[1:]
    assert allowed(processor, 1) == [[5]]


def test_random_batches_equal_a_replay_of_every_request():
    rng = random.Random(0)
    processor, rows = batch(), {}
    for _ in range(300):
        update = Update(8)
        for row in [row for row in rows if rng.random() < 0.1]:
            del rows[row]
            update.removed.append(row)
        for row in range(8):
            if row not in rows and rng.random() < 0.2:
                rows[row] = (rng.choice(["tree", "tree", None, 2]), [])
                update.added.append((row, rows[row][0], [1], rows[row][1]))
        for _ in range(rng.randint(0, 2)):
            origin, target = rng.sample(range(8), 2)
            swap = rng.random() < 0.5
            update.moved.append((origin, target, Direction.SWAP if swap else Direction.UNIDIRECTIONAL))
            leaving, displaced = rows.pop(origin, None), rows.pop(target, None)
            if leaving is not None:
                rows[target] = leaving
            if displaced is not None and swap:
                rows[origin] = displaced
        processor.update_state(update if update.removed or update.added or update.moved else None)
        got = allowed(processor, 8)
        for row in range(8):
            params, output = rows.get(row, (None, []))
            alone = make(params)
            expected = None if alone is None else alone.allow(alone.advance(alone.init(1), [output])).ids(0)
            assert got[row] == expected
        for _, output in rows.values():
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                output.append(rng.randrange(VOCAB))
            if rng.random() < 0.05 and output:
                output.pop()


def test_errors_come_before_writing():
    def conflicting(params):
        return Chain([TREE, ThinkModeLogitsProcessor([9], max_tokens=0, vocab_size=VOCAB)]) if params else TREE

    processor = vllm_processor(conflicting)(None, "cpu", False)
    processor.update_state(Update(2, added=[(0, False, [1], []), (1, True, [1], [])]))
    logits = torch.zeros(2, VOCAB)
    with pytest.raises(EmptyAllowedSet, match=r"allow\[1\]"):
        processor.apply(logits)
    assert torch.equal(logits, torch.zeros(2, VOCAB))
    with pytest.raises(ShapeMismatch, match="1 rows"):
        processor.apply(logits[:1])


def test_interface():
    cls = vllm_processor(lambda params: ThinkModeLogitsProcessor(params, max_tokens=1, vocab_size=VOCAB))
    assert not cls().is_argmax_invariant()
    cls.validate_params([8])
    with pytest.raises(ValueError, match="/end_ids"):
        cls.validate_params([])


def test_per_request_callable():
    mask, output = request_callable(TREE), []
    for token, expected in ((3, [3, 4]), (5, [5]), (2, [2])):
        assert mask(output, torch.zeros(VOCAB)).isfinite().nonzero().flatten().tolist() == expected
        output = [*output, token]
