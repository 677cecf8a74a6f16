"""A step on an accelerator must not wait for it: on the ``meta`` device any read of a value raises, so none happens."""

import pytest
import torch

from tokenspec_reference.processors import (
    After,
    Chain,
    MultiSeqLogitsProcessor,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    apply_allowed,
    compile_tree,
    pack,
)

VOCAB, ROWS = 64, 4
TREE = {"start_token_id": 1, "prefix_dict": {"1": [3, 4], "1_3": [5], "1_4": [6, 7], "1_3_5": [2]}}


def processors(device):
    tree = TreeLogitsProcessor(compile_tree(TREE, vocab_size=VOCAB), device=device)
    think = ThinkModeLogitsProcessor([8, 9], max_tokens=2, vocab_size=VOCAB, device=device)
    masked = ThinkModeLogitsProcessor(
        [8, 9], max_tokens=2, vocab_size=VOCAB, begin_ids=[7], mask_boundaries="both", close="eager", device=device
    )
    words = ThinkModeLogitsProcessor(
        [8, 9], max_tokens=2, vocab_size=VOCAB, closing_ids=[4, 8, 9], min_tokens=1, device=device
    )
    finished = MultiSeqLogitsProcessor(0, vocab_size=VOCAB, device=device)
    return {
        "tree": tree,
        "think": think,
        "masked": masked,
        "words": words,
        "after": After([8, 9], tree, device=device),
        "finished": finished,
        "chain of one": Chain([think]),
    }


@pytest.mark.parametrize("name", list(processors("cpu")))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_step_reads_nothing_back(name, dtype):
    processor = processors("meta")[name]
    state = processor.init(ROWS)
    for _ in range(4):
        logits = torch.empty(ROWS, VOCAB, dtype=dtype, device="meta")
        allow = processor.allow(state)
        assert apply_allowed(logits, allow, on_dead="zero") is logits
        assert pack(allow).shape == (ROWS, 2)
        state = processor.reorder(state, torch.zeros(ROWS, dtype=torch.int64, device="meta"))
        state = processor.advance(state, torch.zeros(ROWS, 1, dtype=torch.int64, device="meta"))
        if name == "finished":
            state = processor.finish(state, torch.zeros(ROWS, dtype=torch.bool, device="meta"))


def test_the_device_would_notice():
    """The positive control: a rule that needs a flag on the host fails here."""
    tree = processors("meta")["tree"]
    with pytest.raises((RuntimeError, NotImplementedError), match="meta"):
        apply_allowed(torch.empty(ROWS, VOCAB, device="meta"), tree.allow(tree.init(ROWS)), on_dead="raise")
