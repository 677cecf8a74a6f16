"""Bad input: typed errors that name the field, in both algorithms, before anything is computed where possible."""

import math

import pytest

from tokenspec_reference.engines import (
    InvalidParameter,
    NoChatTemplate,
    NonFiniteLogits,
    RTLLMEntropy,
    RTLLMForcedDecoderBased,
    RTLLMSurprisal,
    ScriptedModel,
    ScriptedTokenizer,
    SystemRoleRefused,
    TraceTooLong,
)
from tokenspec_reference.engines.sessions import CachePolicy

from .conftest import PIECES, TRACE, scripted

ENGINE = RTLLMForcedDecoderBased()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quantile", -0.1),
        ("quantile", 100.5),
        ("quantile", math.nan),
        ("quantile", "90"),
        ("quantile", True),
        ("alpha", math.inf),
        ("beta", math.nan),
        ("score_mode", "literal"),
        ("cache_policy", "window"),
        ("cache_policy", "window:0"),
        ("cache_policy", "none:3"),
        ("cache_policy", 5),
        ("max_kv_tokens", 0),
        ("max_kv_tokens", 2.5),
        ("algorithm", "quick"),
        ("chunk_size", 0),
        ("system_role", "user"),
        ("system_prompt", None),
    ],
)
def test_parameters_out_of_range(field, value):
    with pytest.raises(InvalidParameter) as caught:
        ENGINE.segment(TRACE, **(scripted(TRACE, [-1.0] * 16) | {field: value}))
    assert caught.value.field == field
    assert caught.value.rejection_code == "invalid-parameter"


def test_max_kv_tokens_is_the_seeds_name():
    assert CachePolicy.parse("none", max_kv_tokens=7) == CachePolicy("legacy_head", 7)
    assert CachePolicy.parse("legacy_head:7", max_kv_tokens=7) == CachePolicy("legacy_head", 7)
    with pytest.raises(InvalidParameter, match="max_kv_tokens"):
        CachePolicy.parse("window:7", max_kv_tokens=7)


@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_nan_logits(algorithm):
    options = scripted("A b c.", [-1.0, 0, 1, 2])
    rows = [dict(row) for row in options["model"].rows]
    rows[2][" c"] = None
    options["model"] = ScriptedModel(PIECES, tuple(rows))
    with pytest.raises(NonFiniteLogits, match="trace token 2"):
        ENGINE.segment("A b c.", algorithm=algorithm, **options)


@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_nan_logits_in_pass_two_only(algorithm):
    """A separator's effect may be the first NaN: infinity times zero cannot be hidden by pass 1."""
    options = scripted(TRACE, [-5.0, 9, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5], per_separator=math.inf)
    with pytest.raises(NonFiniteLogits):
        ENGINE.segment(TRACE, algorithm=algorithm, **options)


@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_positions(algorithm):
    options = scripted(TRACE, [9.0, *[-5.0] * 15])
    rows = options["model"].rows
    enough = ScriptedModel(PIECES, rows, position_limit=18)
    assert len(ENGINE.segment(TRACE, **(options | {"model": enough}), algorithm=algorithm).offsets) >= 1
    for limit in (10, 15):
        short = ScriptedModel(PIECES, rows, position_limit=limit)
        with pytest.raises(TraceTooLong, match=f"{limit} positions") as caught:
            ENGINE.segment(TRACE, **(options | {"model": short}), algorithm=algorithm)
        assert caught.value.field == "trace"


def test_positions_of_a_real_architecture(tiny):
    options = tiny(seed=1, positions=64)
    with pytest.raises(TraceTooLong):
        ENGINE.segment("word " * 60, **options)
    assert ENGINE.segment("ab", cache_policy="legacy_head:16", system_prompt="", **options).offsets


def test_no_chat_template():
    with pytest.raises(NoChatTemplate):
        ENGINE.segment("A b", **(scripted("A b", [0.0, 0]) | {"tokenizer": ScriptedTokenizer(PIECES, prompt=None)}))


def test_a_template_of_the_callers_helps(toy_tokenizer, tiny):
    options = tiny(seed=1)
    template = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
    assert ENGINE.segment("One. Two.", chat_template=template, **options).offsets


def test_refused_system_role():
    options = scripted("A b", [0.0, 0]) | {"tokenizer": ScriptedTokenizer(PIECES, refuses_system=True)}
    with pytest.raises(SystemRoleRefused, match="merge"):
        ENGINE.segment("A b", **options)
    assert ENGINE.segment("A b", system_role="merge", **options).offsets


def test_half_a_pair():
    options = scripted("A b", [0.0, 0])
    for missing in ("model", "tokenizer"):
        with pytest.raises(InvalidParameter) as caught:
            ENGINE.segment("A b", **{name: value for name, value in options.items() if name != missing})
        assert caught.value.field == missing
    with pytest.raises(InvalidParameter, match="model"):
        ENGINE.segment("A b")


def test_a_tokenizer_of_another_model(tiny, toy_tokenizer):
    with pytest.raises(InvalidParameter, match="sep_tok"):
        ENGINE.segment("A zzz", **scripted("A", [0.0]) | {"tokenizer": toy_tokenizer("toy-bpe")})
    with pytest.raises(InvalidParameter, match="tokenizer"):
        RTLLMSurprisal().segment("A zzz", **scripted("A", [0.0]) | {"tokenizer": toy_tokenizer("toy-bpe")})


def test_token_signal_parameters():
    options = scripted(TRACE, [0.0] * 16)
    for engine, bad in [
        (RTLLMSurprisal(), {"top_k": 3}),
        (RTLLMEntropy(), {"window": 0}),
        (RTLLMEntropy(), {"quantile": 101}),
    ]:
        with pytest.raises(InvalidParameter) as caught:
            engine.segment(TRACE, **options, **bad)
        assert caught.value.field == next(iter(bad))


def test_window_needs_full_attention(toy_tokenizer):
    from transformers import MistralConfig, MistralForCausalLM

    from tokenspec_reference.errors import UnsupportedByReference

    tokenizer = toy_tokenizer("toy-bpe")
    config = MistralConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, sliding_window=8,
    )  # fmt: skip
    for algorithm in ("fast", "sequential"):
        with pytest.raises(UnsupportedByReference, match="cache_policy"):
            ENGINE.segment(
                "a b",
                model=MistralForCausalLM(config),
                tokenizer=tokenizer,
                cache_policy="window:4",
                algorithm=algorithm,
            )
