"""Any ``transformers`` causal LM: heads with bias, caps and scales, sliding windows, recurrence, an unknown head.

Randomly initialised under a fixed seed; only fast == sequential is asserted, but for decisions named close.
"""

import pytest

from .conftest import LONG_TRACE, require_same_but_close

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tokenspec_reference.engines import RTLLMForcedDecoderBased, RTLLMTopKShift  # noqa: E402
from tokenspec_reference.engines.causal_model import CausalModel  # noqa: E402

ENGINE = RTLLMForcedDecoderBased()
SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "initializer_range": 0.1,
    "pad_token_id": None,
    "bos_token_id": None,
    "eos_token_id": None,
}
ARCHITECTURES = {
    "LlamaConfig": {},
    "MistralConfig": {"sliding_window": 24},
    "Gemma2Config": {"head_dim": 8, "sliding_window": 24, "final_logit_softcapping": 3.0},
    "Gemma3TextConfig": {"head_dim": 8, "sliding_window": 24},
    "GraniteConfig": {"logits_scaling": 4.0, "embedding_multiplier": 3.0},
    "CohereConfig": {"logit_scale": 0.25},
    "PhiConfig": {},
    "GPTNeoXConfig": {},
    "BloomConfig": {"n_layer": 2, "n_head": 4},
    "MambaConfig": {},
    "Olmo3Config": {"sliding_window": 24},
}
WITH_STATES = {
    "Mamba2Config": {"num_heads": 8, "head_dim": 8, "state_size": 8, "n_groups": 2},
    "Lfm2Config": {"layer_types": ["conv", "full_attention"]},
    "FalconH1Config": {"mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 8, "head_dim": 8},
    "RecurrentGemmaConfig": {"attention_window_size": 24, "block_types": ["recurrent", "attention"], "head_dim": 8},
    "Gemma4TextConfig": {"head_dim": 8, "global_head_dim": 8, "hidden_size_per_layer_input": 8},
}
"""Models with states beside keys and values, or with inputs by token id besides their embeddings."""


def build(name, size):
    torch.manual_seed(0)
    own = {**ARCHITECTURES, **WITH_STATES}[name]
    config = getattr(transformers, name)(vocab_size=size, **SHAPE, **own)
    return transformers.AutoModelForCausalLM.from_config(config)


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("policy", ["none", "legacy_head:40"])
def test_fast_equals_sequential(toy_tokenizer, name, policy):
    tokenizer = toy_tokenizer("toy-bpe")
    options = {"model": build(name, len(tokenizer)), "tokenizer": tokenizer, "cache_policy": policy}
    twin = ENGINE.segment(LONG_TRACE, algorithm="sequential", **options)
    fast = ENGINE.segment(LONG_TRACE, algorithm="fast", chunk_size=9, **options)
    assert fast.curve.scores == pytest.approx(twin.curve.scores, abs=2e-4)
    assert len(twin.offsets) > 1
    require_same_but_close(fast, twin, share=0.02)
    assert CausalModel(options["model"]).head is not None


def test_an_unknown_head_falls_back_to_full_logits(toy_tokenizer):
    """A head that ends in something no configuration declares: the probe notices, the result is still right."""

    class Strange(transformers.LlamaForCausalLM):
        def forward(self, *arguments, **options):
            output = super().forward(*arguments, **options)
            output.logits = output.logits + output.logits**3
            return output

    tokenizer = toy_tokenizer("toy-bpe")
    torch.manual_seed(0)
    model = Strange(transformers.LlamaConfig(vocab_size=len(tokenizer), **SHAPE))
    assert CausalModel(model).head is None
    options = {"model": model, "tokenizer": tokenizer}
    twin = ENGINE.segment(LONG_TRACE, algorithm="sequential", **options)
    fast = ENGINE.segment(LONG_TRACE, algorithm="fast", **options)
    require_same_but_close(fast, twin, share=0.02)
    assert RTLLMTopKShift().segment(LONG_TRACE, window=4, **options).forwards == 1


def test_a_model_whose_first_tokens_are_no_numbers_is_still_read(toy_tokenizer):
    """The head is tried on four tokens, which a trace need not hold: then all logits are asked for."""
    tokenizer = toy_tokenizer("toy-bpe")
    model = build("LlamaConfig", len(tokenizer))
    whole = ENGINE.segment(LONG_TRACE, model=model, tokenizer=tokenizer)
    model.get_input_embeddings().weight.data[:4] = float("nan")
    found = ENGINE.segment(LONG_TRACE, model=model, tokenizer=tokenizer)
    assert CausalModel(model).head is None
    require_same_but_close(found, whole, share=0.02)


def test_recurrent_models_read_their_context_again(toy_tokenizer):
    from tokenspec_reference.engines.plain_sessions import ReplaySession
    from tokenspec_reference.engines.sessions import CachePolicy

    source = CausalModel(build("MambaConfig", len(toy_tokenizer("toy-bpe"))))
    assert isinstance(source.open_rows(CachePolicy(), 1), ReplaySession)


def test_an_added_row_is_scaled_as_the_embedding_scales(toy_tokenizer):
    new = len(toy_tokenizer("toy-bpe"))
    model = build("Gemma3TextConfig", new)
    with torch.no_grad():
        model.get_input_embeddings().weight.add_(1.0)
    source = CausalModel(model, separator_id=new)
    with torch.no_grad():
        embedded = source.resized.get_input_embeddings()(torch.tensor([new]))[0]
    torch.testing.assert_close(source.added_input, embedded)


def test_dropout_is_off_while_a_model_is_read(toy_tokenizer):
    tokenizer = toy_tokenizer("toy-bpe")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(vocab_size=len(tokenizer), attention_dropout=0.5, **SHAPE)
    model = transformers.LlamaForCausalLM(config)
    for algorithm in ("fast", "sequential"):
        options = {"tokenizer": tokenizer, "algorithm": algorithm}
        evaluated = ENGINE.segment("One. Two, three.", model=model.eval(), **options)
        trained = ENGINE.segment("One. Two, three.", model=model.train(), **options)
        assert trained.curve.scores == evaluated.curve.scores


@pytest.mark.parametrize("name", WITH_STATES)
def test_what_cannot_be_taken_back_is_read_anew(toy_tokenizer, name):
    tokenizer = toy_tokenizer("toy-bpe")
    trace = "One. Two, so three."
    options = {"model": build(name, len(tokenizer)), "tokenizer": tokenizer}
    twin = ENGINE.segment(trace, algorithm="sequential", **options)
    fast = ENGINE.segment(trace, algorithm="fast", chunk_size=9, **options)
    assert fast.curve.scores == pytest.approx(twin.curve.scores, abs=2e-4)
    require_same_but_close(fast, twin, share=0.02)


@pytest.mark.parametrize(("name", "chunks"), [("LlamaConfig", True), ("Gemma3TextConfig", True), ("Lfm2Config", False)])
def test_what_can_be_taken_back_is_tried(toy_tokenizer, name, chunks):
    assert CausalModel(build(name, len(toy_tokenizer("toy-bpe")))).is_read_in_chunks is chunks
