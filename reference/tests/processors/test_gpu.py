"""On an accelerator: the same bits as on the CPU, and a step that never waits for the device."""

import random

import pytest
import torch

from tokenspec_reference.processors import (
    Chain,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    apply_allowed,
    compile_tree,
    pack,
)

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]
VOCAB, ROWS = 5000, 32
INTEGER = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}


def tree():
    rng = random.Random(0)
    prefixes = {"1": rng.sample(range(10, VOCAB), 40)}
    for token in prefixes["1"]:
        prefixes[f"1_{token}"] = rng.sample(range(10, VOCAB), rng.randint(1, 9))
    return compile_tree({"start_token_id": 1, "prefix_dict": prefixes}, vocab_size=VOCAB)


def processors(device):
    think = ThinkModeLogitsProcessor([8, 9], max_tokens=2, vocab_size=VOCAB, device=device)
    return {"tree": TreeLogitsProcessor(tree(), device=device), "think": think, "chain": Chain([think])}


@pytest.mark.parametrize("name", ["tree", "think", "chain"])
@pytest.mark.parametrize("dtype", list(INTEGER))
def test_cpu_and_cuda_are_bit_equal(name, dtype):
    here, there = processors("cpu")[name], processors("cuda")[name]
    left, right = here.init(ROWS), there.init(ROWS)
    rng = random.Random(1)
    for _ in range(5):
        logits = torch.randn(ROWS, VOCAB).to(dtype)
        ours = apply_allowed(logits.clone(), here.allow(left))
        theirs = apply_allowed(logits.cuda(), there.allow(right))
        assert torch.equal(ours.view(INTEGER[dtype]), theirs.cpu().view(INTEGER[dtype]))
        assert torch.equal(pack(here.allow(left)), pack(there.allow(right)).cpu())
        source = torch.tensor([rng.randrange(ROWS) for _ in range(ROWS)])
        tokens = ours.float().argmax(dim=1)[source]
        left = here.advance(here.reorder(left, source), tokens)
        right = there.advance(there.reorder(right, source.cuda()), tokens.cuda())


@pytest.mark.parametrize("name", ["tree", "think"])
def test_a_step_does_not_synchronise(name):
    processor = processors("cuda")[name]
    state = processor.init(ROWS)
    logits = torch.randn(ROWS, VOCAB, device="cuda")
    source = torch.arange(ROWS, device="cuda")
    apply_allowed(logits.clone(), processor.allow(state), on_dead="zero")
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(5):
            masked = apply_allowed(logits.clone(), processor.allow(state), on_dead="zero")
            state = processor.advance(processor.reorder(state, source), masked.argmax(dim=1))
    finally:
        torch.cuda.set_sync_debug_mode("default")
