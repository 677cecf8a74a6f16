"""The four signal engines against arithmetic written out with ``math``."""

import math

import pytest
import torch

from tokenspec_reference.engines import (
    NonFiniteLogits,
    RTLLMEntropy,
    RTLLMFlatnessBreak,
    RTLLMSurprisal,
    RTLLMTopKShift,
    ScriptedModel,
)
from tokenspec_reference.engines.token_signals import entropy, top_k_distance

from .conftest import LONG_TRACE, PIECES, require_same_but_close, scripted

TRACE = "A b. D e. b c.\nA b c. D e, b. D b. e D. b c."
GAPS = [math.sin(3 * index) * 4 for index in range(40)]
ENGINES = [RTLLMSurprisal(), RTLLMEntropy(), RTLLMFlatnessBreak(), RTLLMTopKShift()]


def naive(engine, trace, options, window, quantile):
    """Everything again in plain Python, from the table alone."""
    model, tokenizer = options["model"], options["tokenizer"]
    ids = tokenizer.encode(trace)
    starts = [start for start, _ in tokenizer(trace)["offset_mapping"]]
    separators = 0
    distributions = []
    for index in range(len(ids)):
        logits = model.logits(index - separators, separators)
        peak = max(logits)
        total = sum(math.exp(value - peak) for value in logits)
        distributions.append([math.exp(value - peak) / total for value in logits])
        separators += ids[index] == PIECES.index("<|seg|>")
    surprisal = [-math.log(row[token]) for row, token in zip(distributions, ids, strict=True)]
    entropy = [-sum(p * math.log(p) for p in row) for row in distributions]
    anchors = [i for i in range(window, len(ids) - window) if trace[starts[i] - 1] in ".!?\n"]
    changes = []
    for i in anchors:
        signal = entropy if type(engine).__name__ == "RTLLMEntropy" else surprisal
        change = sum(signal[i : i + window]) / window - sum(signal[i - window : i]) / window
        if type(engine).__name__ == "RTLLMFlatnessBreak":
            before = signal[i - window : i]
            mean = sum(before) / window
            change /= math.sqrt(sum((value - mean) ** 2 for value in before) / window + 1e-6)
        if type(engine).__name__ == "RTLLMTopKShift":
            tops = []
            for row in (distributions[i - 1], distributions[i]):
                best = sorted(range(len(row)), key=lambda token: -row[token])[:3]
                tops.append({token: row[token] / sum(row[token] for token in best) for token in best})
            change = 0.0
            for token in set(tops[0]) | set(tops[1]):
                p, q = tops[0].get(token, 0), tops[1].get(token, 0)
                change += sum(value * math.log(2 * value / (p + q)) / 2 for value in (p, q) if value)
            change = math.sqrt(change)
        changes.append(change)
    mean = sum(changes) / len(changes)
    deviation = math.sqrt(sum((change - mean) ** 2 for change in changes) / len(changes))
    scores = [(change - mean) / (deviation + 1e-6) for change in changes]
    at = (len(scores) - 1) * quantile / 100
    low = math.floor(at)
    ordered = [*sorted(scores), max(scores)]
    tau = ordered[low] + (ordered[low + 1] - ordered[low]) * (at - low)
    high = type(engine).__name__ == "RTLLMTopKShift"
    return [starts[i] for i, score in zip(anchors, scores, strict=True) if (score > tau if high else score < tau)]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: type(engine).__name__)
@pytest.mark.parametrize("quantile", [35, 50, 65])
def test_against_plain_arithmetic(engine, quantile):
    options = scripted(TRACE, GAPS[: len(scripted_ids(TRACE))], default=-2.0)
    extra = {"top_k": 3} if type(engine).__name__ == "RTLLMTopKShift" else {}
    expected = naive(engine, TRACE, options, 3, quantile)
    assert expected
    for algorithm in ("fast", "sequential"):
        result = engine.segment(TRACE, window=3, quantile=quantile, algorithm=algorithm, **options, **extra)
        assert [start for start, _ in result.offsets[1:]] == expected


def scripted_ids(trace):
    from tokenspec_reference.engines import ScriptedTokenizer

    return ScriptedTokenizer(PIECES).encode(trace)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: type(engine).__name__)
def test_fast_equals_sequential_on_a_model(tiny, engine):
    options = {**tiny(seed=2), "window": 4, "quantile": 50}
    twin = engine.segment(LONG_TRACE * 3, algorithm="sequential", **options)
    fast = engine.segment(LONG_TRACE * 3, algorithm="fast", **options)
    assert len(fast.offsets) > 1
    require_same_but_close(fast, twin, share=0.0, feedback=False)
    assert (fast.forwards, fast.forwards < twin.forwards) == (1, True)
    assert fast.curve.scores == pytest.approx(twin.curve.scores, abs=1e-3)


@pytest.mark.parametrize("policy", ["window:12", "legacy_head:30"])
def test_cache_policies(tiny, policy):
    options = {**tiny(seed=2), "window": 4, "quantile": 50, "cache_policy": policy}
    twin = RTLLMSurprisal().segment(LONG_TRACE * 3, algorithm="sequential", **options)
    fast = RTLLMSurprisal().segment(LONG_TRACE * 3, **options)
    # Under a window three copies of a text score alike to seven digits, and the middle of 14 scores falls on one of
    # the triples: three anchors of 14 are close.
    require_same_but_close(fast, twin, share=0.25, feedback=False)
    assert bool(fast.close) == bool(twin.close) == policy.startswith("window")


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: type(engine).__name__)
def test_degenerate_traces(engine):
    assert engine.segment("", **scripted("", [])).offsets == []
    assert engine.segment("A", **scripted("A", [0.0])).offsets == [(0, 1)]
    short = engine.segment("A b. D", **scripted("A b. D", [0.0] * 4))
    assert (short.offsets, short.curve) == ([(0, 6)], None)


def test_nan_is_refused():
    options = scripted(TRACE, GAPS[: len(scripted_ids(TRACE))])
    rows = [dict(row) for row in options["model"].rows]
    rows[5] = dict.fromkeys(PIECES)
    for engine in ENGINES:
        with pytest.raises(NonFiniteLogits, match="token 5"):
            engine.segment(TRACE, **(options | {"model": ScriptedModel(PIECES, tuple(rows))}))


def test_distance_is_a_metric_on_distributions():
    assert top_k_distance({1: 1.0}, {1: 1.0}) == 0
    assert top_k_distance({1: 1.0}, {2: 1.0}) == pytest.approx(math.sqrt(math.log(2)))


def test_what_cannot_come_adds_no_entropy():
    rows = torch.tensor([[0.0, 0.0, -torch.inf], [1.0, -torch.inf, -torch.inf]])
    assert entropy(rows, torch.zeros(2, dtype=torch.long)).tolist() == pytest.approx([math.log(2), 0.0])
