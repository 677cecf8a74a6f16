"""Traces side by side are traces one by one; what is remembered is what would be found again."""

import random

import torch

from tokenspec_reference.engines import RTLLMForcedDecoderBased, RTLLMSurprisal, RTSeg
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.separators import resolve_separators

from .conftest import LONG_TRACE

ENGINE = RTLLMForcedDecoderBased()


def test_a_batch_gives_what_each_trace_gives(tiny, monkeypatch):
    rng = random.Random(19)
    traces = [LONG_TRACE[(start := rng.randrange(200)) : start + rng.randint(0, 260)] for _ in range(14)] + [
        "",
        "A",
        "A",
    ]
    options = {**tiny(seed=3, dtype="float64"), "quantile": 80}
    alone = [ENGINE.segment(trace, **options) for trace in traces]
    for short, batch_tokens in ((512, 16384), (512, 900), (1, 16384)):
        monkeypatch.setattr("tokenspec_reference.engines.forced_decoder.SHORT", short)
        together = ENGINE.segment_many(traces, batch_tokens=batch_tokens, **options)
        assert [each.offsets for each in together] == [each.offsets for each in alone]
        assert [each.token_spans for each in together] == [each.token_spans for each in alone]
    assert sum(len(each.offsets) for each in alone) > 40


def test_what_cannot_share_forwards_is_read_alone(tiny):
    options = {**tiny(seed=3), "cache_policy": "window:16"}
    (together,) = ENGINE.segment_many([LONG_TRACE], **options)
    assert together == ENGINE.segment(LONG_TRACE, **options)


def test_rt_seg_hands_batches_on(tiny):
    seen = []
    segmenter = RTSeg(RTLLMForcedDecoderBased)
    found = segmenter.segment_many([LONG_TRACE, "A b."], **tiny(seed=3))
    assert [each.offsets for each in found] == [segmenter(each, **tiny(seed=3))[0] for each in (LONG_TRACE, "A b.")]
    ENGINE.segment_many(["A", "B"], progress=lambda done, total: seen.append((done, total)), **tiny(seed=3))
    assert seen[-1] == (2, 2)


def test_segments_in_tokens(tiny):
    options = tiny(seed=3)
    for engine in (ENGINE, RTLLMSurprisal()):
        found = engine.segment(LONG_TRACE, quantile=60, **({} if engine is ENGINE else {"window": 3}), **options)
        ids = options["tokenizer"].encode(LONG_TRACE, add_special_tokens=False)
        pieces = [options["tokenizer"].decode(ids[start:end]) for start, end in found.token_spans]
        assert pieces == [LONG_TRACE[start:end] for start, end in found.offsets]
        assert len(pieces) > 1


def test_a_vocabulary_and_a_head_are_looked_at_once_until_they_change(tiny, monkeypatch):
    options = tiny(seed=4)
    tokenizer, model = options["tokenizer"], options["model"]
    first = resolve_separators(tokenizer, "<|seg|>", texts=())
    monkeypatch.setattr(type(tokenizer), "get_vocab", None)
    assert resolve_separators(tokenizer, "<|seg|>", texts=()) == first
    monkeypatch.undo()
    row = CausalModel(model, separator_id=first.inserted).head.added_weight
    assert CausalModel(model, separator_id=first.inserted).head.added_weight is row
    with torch.no_grad():
        model.get_input_embeddings().weight.mul_(2.0)
    assert torch.allclose(CausalModel(model, separator_id=first.inserted).head.added_weight, 2 * row)
    with torch.no_grad():
        model.get_input_embeddings().weight.mul_(0.5)
