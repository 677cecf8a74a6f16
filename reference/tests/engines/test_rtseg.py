"""The orchestrator: routing of options, fusion, batches, progress."""

import sys

import pytest

from tokenspec_reference.engines import (
    InvalidParameter,
    MissingFusion,
    OffsetFusionMerge,
    OffsetFusionVoting,
    RTLLMForcedDecoderBased,
    RTLLMSurprisal,
    RTLLMTopKShift,
    RTNewLine,
    RTPlainSegmenter,
    RTRuleRegex,
    RTSeg,
    Segmentation,
)

from .conftest import TRACE, scripted

GAPS = [-7.5, -3, -6, -2.5, -1, -8, -4, -0.5, -6.5, -3.5, -5, 1, -2, -7, -0.25, -9]


def test_the_seeds_usage():
    segmentor = RTSeg(engines=RTLLMForcedDecoderBased, seg_base_unit="clause")
    offsets, labels = segmentor(
        TRACE,
        system_prompt="You are a helpful assistant that reads reasoning traces.",
        sep_tok="<|seg|>",
        alpha=1.0,
        beta=2.0,
        quantile=75.0,
        **scripted(TRACE, GAPS),
    )
    assert [TRACE[start:end] for start, end in offsets] == ["A b c.", " D e, b c.\n", "A b.", " D e"]
    assert labels == ["UNK"] * 4


def test_options_do_not_leak():
    segmentor = RTSeg(RTLLMForcedDecoderBased)
    options = scripted(TRACE, GAPS)
    first = segmentor(TRACE, **options)
    assert segmentor(TRACE, quantile=0, beta=0, score_mode="upstream_literal", **options) != first
    assert segmentor(TRACE, **options) == first


def test_unknown_options_are_refused_before_anything_runs():
    with pytest.raises(InvalidParameter) as caught:
        RTSeg(RTNewLine)("a", quantil=3)
    assert caught.value.field == "quantil"


def test_several_engines_need_a_fusion():
    with pytest.raises(MissingFusion, match="aligner"):
        RTSeg([RTNewLine, RTRuleRegex])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"engines": []}, "engines"),
        ({"engines": "RTNewLine"}, "engines"),
        ({"engines": RTNewLine, "label_fusion_type": "best"}, "label_fusion_type"),
        ({"engines": RTNewLine, "seg_base_unit": "word"}, "seg_base_unit"),
    ],
)
def test_bad_construction(arguments, field):
    with pytest.raises(InvalidParameter) as caught:
        RTSeg(**arguments)
    assert caught.value.field == field


def test_each_option_goes_to_whoever_knows_it():
    trace = "One two. But three four.\n\nFive six."
    fused = RTSeg([RTNewLine, RTRuleRegex, RTPlainSegmenter()], aligner=OffsetFusionVoting, seg_base_unit="sent")
    assert fused(trace)[0] == [(0, 9), (9, 26), (26, 35)]
    assert fused(trace, threshold=3)[0] == [(0, 35)]
    assert fused(trace, seg_base_unit="clause", threshold=1)[0] == fused(trace, threshold=1)[0]


def test_signal_engines_with_an_option_only_one_knows():
    options = scripted(TRACE, GAPS)
    both = RTSeg([RTLLMTopKShift, RTLLMForcedDecoderBased], aligner=OffsetFusionMerge)
    assert both(TRACE, top_k=3, window=2, **options)[0][-1][1] == len(TRACE)
    with pytest.raises(InvalidParameter, match="top_k"):
        RTSeg(RTLLMSurprisal)(TRACE, top_k=3, **options)


def test_labels_are_fused():
    class Named:
        name = "Named"

        def segment(self, trace, *, tag="X"):
            return Segmentation([(0, 4), (4, len(trace))], [tag, "Y"])

    segmenter = RTSeg([Named, RTNewLine], aligner=OffsetFusionMerge, label_fusion_type="concat")
    assert segmenter("ab c\n\nd", tag="Z") == ([(0, 4), (4, 6), (6, 7)], ["Z", "Y", "Y"])


def test_an_injected_base_segmenter():
    segmenter = RTSeg(RTPlainSegmenter, base_segmenter=lambda trace, unit: range(0, len(trace), 2))
    assert segmenter("abcde")[0] == [(0, 2), (2, 4), (4, 5)]


def test_progress_counts_both_passes():
    seen = []
    options = scripted(TRACE, GAPS)
    for algorithm in ("fast", "sequential"):
        seen.clear()
        RTSeg(RTLLMForcedDecoderBased).segment(
            TRACE, algorithm=algorithm, progress=lambda done, total: seen.append((done, total)), **options
        )
        assert seen[-1] == (32, 32)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_batches_and_the_bar(capsys):
    results = RTSeg(RTNewLine).segment_many(["a\n\nb", "", "c"], progress=True)
    assert [result.offsets for result in results] == [[(0, 3), (3, 4)], [], [(0, 1)]]
    assert capsys.readouterr().out == ""


def test_bar_of_one_trace(capsys):
    RTSeg(RTLLMForcedDecoderBased).segment(TRACE, progress=True, **scripted(TRACE, GAPS))
    assert capsys.readouterr().out == ""


def test_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    RTSeg(RTLLMForcedDecoderBased).segment(TRACE, progress=True, **scripted(TRACE, GAPS))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "segmenting" in captured.err
