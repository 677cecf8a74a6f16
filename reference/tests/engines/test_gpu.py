"""On a CUDA device: the same boundaries in float32 as on the CPU, and both paths at the size of a 0.5B Qwen2."""

import time

import pytest

from tokenspec_reference.engines import RTLLMForcedDecoderBased, RTLLMSurprisal
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.sessions import CachePolicy
from tokenspec_reference.engines.tiny_model import TinyModel

from .conftest import LONG_TRACE, require_same_but_close

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device; torch sees none"),
]
ENGINE = RTLLMForcedDecoderBased()


@pytest.fixture(autouse=True)
def exact_float32():
    """TF32 would round the products that the margin is made of."""
    before = (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


@pytest.mark.parametrize("policy", ["none", "window:16", "legacy_head:40"])
@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_same_boundaries_as_on_the_cpu(toy_tokenizer, policy, algorithm):
    tokenizer = toy_tokenizer("toy-bpe")
    size = max(tokenizer.get_vocab().values()) + 1
    for seed in range(3, 8):
        model = TinyModel(size, seed=seed).build()
        options = {"tokenizer": tokenizer, "cache_policy": policy, "algorithm": algorithm}
        on_cpu = ENGINE.segment(LONG_TRACE, model=model, **options)
        on_gpu = ENGINE.segment(LONG_TRACE, model=model.cuda(), **options)
        assert on_gpu.curve.scores == pytest.approx(on_cpu.curve.scores, abs=1e-3)
        require_same_but_close(on_gpu, on_cpu, share=0.02)


def test_token_signals_on_the_gpu(toy_tokenizer):
    tokenizer = toy_tokenizer("toy-bpe")
    model = TinyModel(max(tokenizer.get_vocab().values()) + 1, seed=2).build()
    options = {"tokenizer": tokenizer, "window": 4, "quantile": 50}
    on_cpu = RTLLMSurprisal().segment(LONG_TRACE * 2, model=model, **options)
    on_gpu = RTLLMSurprisal().segment(LONG_TRACE * 2, model=model.cuda(), **options)
    require_same_but_close(on_gpu, on_cpu, share=0.2, feedback=False)


@pytest.mark.parametrize("autocast", [False, True])
def test_own_token_and_candidates_have_one_precision(autocast):
    """A token that is its own candidate has the same logit twice, whatever the products beside it are rounded to."""
    source = CausalModel(TinyModel(80, seed=5, dtype="bfloat16").build(device="cuda"), separator_id=3)
    with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
        rows = source.open_rows(CachePolicy(), 1).read(list(range(20, 60)), 40)
        competing, own = rows.logits_of([7], [7] * 40)
    assert competing.dtype == own.dtype == torch.float32
    assert torch.allclose(competing[:, 0], own, rtol=1e-5, atol=1e-5)


def test_half_a_billion_parameters(toy_tokenizer, record_property):
    """The shape of Qwen2.5-0.5B with random weights; tokens per second of both paths are recorded, not asserted."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    tokenizer = toy_tokenizer("toy-bpe")
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=151_936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14,
        num_key_value_heads=2, max_position_embeddings=32_768, tie_word_embeddings=True,
    )  # fmt: skip
    with torch.device("cuda"):
        model = Qwen2ForCausalLM(config).float().eval()
    trace = LONG_TRACE * 12
    seconds = {}
    for algorithm in ("fast", "fast", "sequential"):  # the first run warms up
        torch.cuda.synchronize()
        start = time.perf_counter()
        result = ENGINE.segment(trace, model=model, tokenizer=tokenizer, algorithm=algorithm)
        torch.cuda.synchronize()
        seconds[algorithm] = (time.perf_counter() - start, result)
    tokens = len(tokenizer.encode(trace))
    fast, sequential = seconds["fast"], seconds["sequential"]
    for name, (elapsed, result) in seconds.items():
        record_property(name, f"{tokens / elapsed:.0f} tokens/s, {result.forwards} forwards")
        print(f"{name}: {tokens / elapsed:.0f} tokens/s, {result.forwards} forwards")
    print(f"ratio {sequential[0] / fast[0]:.1f}")
    assert fast[1].forwards < sequential[1].forwards
    require_same_but_close(fast[1], sequential[1], share=0.02)
