"""The fast path against its twin, and both against a context list without any cache."""

import random

import pytest

from tokenspec_reference.engines import RTLLMForcedDecoderBased, ScriptedModel, ScriptedTokenizer
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.plain_sessions import ReplaySession

from .conftest import LONG_TRACE, PIECES, TRACE, require_same_but_close

ENGINE = RTLLMForcedDecoderBased()
MARGIN = 1e-3


def random_script(rng):
    pieces = list(PIECES[2:])
    trace = "".join(rng.choice(pieces if rng.random() < 0.9 else ["<|seg|>"]) for _ in range(rng.randint(1, 60)))
    tokenizer = ScriptedTokenizer(PIECES)
    rows = []
    for token in tokenizer.encode(trace):
        row = {piece: rng.uniform(-8, 2) for piece in rng.sample(PIECES, 6)}
        rows.append(row | {PIECES[token]: rng.uniform(-2, 2)})
    per_separator = {piece: rng.choice([0.0, rng.uniform(-3, 3)]) for piece in rng.sample(PIECES, 3)}
    model = ScriptedModel(PIECES, tuple(rows), per_separator=per_separator)
    options = {
        "alpha": rng.choice([1.0, 0.5, 0.0, -1.0]),
        "beta": rng.choice([2.0, 0.0, 1.5]),
        "quantile": rng.choice([0, 10, 50, 75, 90, 97.5, 100]),
        "score_mode": rng.choice(["normalized", "upstream_literal"]),
    }
    return trace, {"model": model, "tokenizer": tokenizer, **options}


@pytest.mark.parametrize("block", range(10))
def test_500_random_scripted_models(block):
    for seed in range(block * 50, block * 50 + 50):
        rng = random.Random(seed)
        trace, options = random_script(rng)
        twin = ENGINE.segment(trace, algorithm="sequential", **options)
        for chunk_size in (1, 2, rng.randint(3, 20), 1000):
            fast = ENGINE.segment(trace, algorithm="fast", chunk_size=chunk_size, **options)
            assert fast.offsets == twin.offsets, (seed, chunk_size)
            assert fast.margin == twin.margin, (seed, chunk_size)
            assert fast.forwards <= 1 + len(twin.offsets) + len(trace) // chunk_size + 1
        assert "".join(trace[start:end] for start, end in twin.offsets) == trace


@pytest.mark.parametrize("policy", ["none", "window:16", "legacy_head:40", "legacy_head:7"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("padding", "tied"), [(0, True), (0, False), (5, True)])
def test_tiny_models(tiny, policy, dtype, padding, tied):
    for seed in range(3, 6):  # a seed whose decisions are close to the threshold would prove nothing
        options = {**tiny(padding=padding, tied=tied, dtype=dtype, seed=seed), "cache_policy": policy}
        twin = ENGINE.segment(LONG_TRACE, algorithm="sequential", **options)
        if twin.margin > MARGIN:
            break
    assert twin.margin > MARGIN
    for chunk_size in (1, 5, 32, 1000):
        fast = ENGINE.segment(LONG_TRACE, algorithm="fast", chunk_size=chunk_size, **options)
        assert fast.offsets == twin.offsets
        assert fast.margin == pytest.approx(twin.margin, abs=1e-4)
        assert fast.forwards < twin.forwards


@pytest.mark.parametrize("policy", ["none", "legacy_head:40", "legacy_head:7"])
def test_twin_equals_a_context_list_without_cache(tiny, policy, monkeypatch):
    options = {**tiny(seed=4, dtype="float64"), "cache_policy": policy, "algorithm": "sequential"}
    twin = ENGINE.segment(TRACE * 3, **options)
    monkeypatch.setattr(CausalModel, "open_steps", lambda self, chosen, _: ReplaySession(self.resized, chosen))
    replayed = ENGINE.segment(TRACE * 3, **options)
    assert replayed.offsets == twin.offsets
    assert replayed.margin == pytest.approx(twin.margin, abs=1e-9)
    assert replayed.curve.scores == pytest.approx(twin.curve.scores, abs=1e-9)


def test_window_as_long_as_everything_is_none(tiny):
    options = tiny(seed=3)
    whole = ENGINE.segment(LONG_TRACE, **options)
    for policy in ("window:4000", "legacy_head:4000"):
        require_same_but_close(ENGINE.segment(LONG_TRACE, cache_policy=policy, **options), whole, share=0.0)


def test_long_pass_one_is_read_in_blocks(tiny, monkeypatch):
    whole = ENGINE.segment(LONG_TRACE, **tiny(seed=3))
    monkeypatch.setattr("tokenspec_reference.engines.forced_decode.PASS_ONE_BLOCK", 16)
    blocks = ENGINE.segment(LONG_TRACE, **tiny(seed=3))
    assert blocks.offsets == whole.offsets
    assert blocks.forwards > whole.forwards


def test_half_precision_runs_and_partitions(tiny):
    options = tiny(seed=3, dtype="bfloat16")
    for algorithm in ("fast", "sequential"):
        result = ENGINE.segment(LONG_TRACE, algorithm=algorithm, **options)
        assert "".join(LONG_TRACE[start:end] for start, end in result.offsets) == LONG_TRACE


def test_gap_is_a_difference_of_log_probabilities(tiny):
    """H3 of the facts: the softmax denominator cancels."""
    import torch

    from tokenspec_reference.engines.sessions import CachePolicy

    model = tiny(seed=5)["model"]
    source = CausalModel(model, separator_id=3)
    ids = list(range(20, 60))
    rows = source.open_rows(CachePolicy(), 1).read(ids[:-1], len(ids) - 1)
    competing, own = rows.logits_of([3, 4], ids[1:])
    logged = model(input_ids=torch.tensor([ids[:-1]])).logits[0].log_softmax(-1)
    expected = logged[:, [3, 4]].amax(1) - logged.gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
    assert torch.allclose(competing.amax(1) - own, expected, atol=1e-5)


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_own_token_and_candidates_have_one_precision(tiny, dtype, autocast):
    import torch

    from tokenspec_reference.engines.sessions import CachePolicy

    source = CausalModel(tiny(seed=5, dtype=dtype)["model"], separator_id=3)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        rows = source.open_rows(CachePolicy(), 1).read(list(range(20, 60)), 40)
        competing, own = rows.logits_of([7], [7] * 40)
    assert competing.dtype == own.dtype == torch.float32
    assert torch.allclose(competing[:, 0], own, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_autocast_changes_nothing(tiny, algorithm):
    import torch

    found = []
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            found.append(ENGINE.segment(LONG_TRACE, algorithm=algorithm, **tiny(seed=3)))
    assert found[0] == found[1]
