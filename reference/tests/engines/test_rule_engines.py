"""Rules, base units, and the partition they must keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines import InvalidParameter, RTNewLine, RTNewLineVerbose, RTPlainSegmenter, RTRuleRegex
from tokenspec_reference.engines.base_units import base_units

TEXT = st.text(alphabet="ab .!?\n,;:$`wait ", max_size=80)


def pieces(trace, offsets):
    return [trace[start:end] for start, end in offsets]


@pytest.mark.parametrize(
    ("engine", "trace", "expected"),
    [
        (RTNewLine(), "a\n\nb\nc\n\n\nd", ["a\n\n", "b\nc\n\n\n", "d"]),
        (RTNewLineVerbose(), "a\n\nb\nc", ["a\n\n", "b\n", "c"]),
        (RTNewLine(), "\n\na\n\n", ["\n\na\n\n"]),
        (RTNewLine(), "a\n\n  \n\nb", ["a\n\n", "  \n\nb"]),
        (RTNewLine(), " \n\n ", [" \n\n "]),
        (RTNewLine(), "", []),
        (RTNewLine(), "no break", ["no break"]),
    ],
)
def test_new_lines(engine, trace, expected):
    assert pieces(trace, engine.segment(trace).offsets) == expected


def test_sentences():
    trace = "We add 2.5 and 3, e.g. by hand. Is it so? Yes! Dr. No agrees.\nNext line"
    assert pieces(trace, base_units(trace, "sent")) == [
        "We add 2.5 and 3, e.g. by hand. ",
        "Is it so? ",
        "Yes! ",
        "Dr. No agrees.\n",
        "Next line",
    ]


def test_clauses():
    trace = "The sum is five, so the answer holds; we checked it twice because it matters. Ok."
    assert pieces(trace, base_units(trace, "clause")) == [
        "The sum is five, ",
        "so the answer holds; ",
        "we checked it twice ",
        "because it matters. Ok.",
    ]


@pytest.mark.parametrize(
    "trace", ["Let $a. So b$ be. So c.", "Use `x. But y` now. Then z.", "A ```b. So\n\nc``` d. So e."]
)
def test_math_and_code_stay_whole(trace):
    from tokenspec_reference.engines.base_units import PROTECTED

    starts = {start for start, _ in base_units(trace, "clause")}
    for match in PROTECTED.finditer(trace):
        assert not starts & set(range(match.start() + 1, match.end()))


def test_markers_open_segments():
    trace = "We add two. That is five. But wait. It holds. SO we stop. Something soft follows."
    assert pieces(trace, RTRuleRegex().segment(trace, seg_base_unit="sent").offsets) == [
        "We add two. That is five. ",
        "But wait. It holds. ",
        "SO we stop. Something soft follows.",
    ]


def test_an_injected_base_segmenter():
    result = RTRuleRegex().segment("aa but cc", base_segmenter=lambda _trace, _unit: [3, 7, 0, 99])
    assert result.offsets == [(0, 3), (3, 9)]


def test_unknown_unit():
    with pytest.raises(InvalidParameter, match="seg_base_unit"):
        base_units("a", "word")


@pytest.mark.parametrize("engine", [RTNewLine, RTNewLineVerbose, RTPlainSegmenter, RTRuleRegex])
def test_text_only(engine):
    with pytest.raises(InvalidParameter, match="trace"):
        engine().segment(None)


@given(TEXT)
def test_always_a_partition(trace):
    for engine in (RTNewLine(), RTNewLineVerbose(), RTPlainSegmenter(), RTRuleRegex()):
        result = engine.segment(trace)
        assert "".join(pieces(trace, result.offsets)) == trace
        assert all(start < end for start, end in result.offsets)
        assert len(result.labels) == len(result.offsets)
