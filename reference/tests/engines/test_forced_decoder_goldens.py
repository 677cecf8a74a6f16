"""The goldens of the facts page: produced by the upstream class (literal) and by an independent simulator (normalized)."""

import pytest

from tokenspec_reference.engines import RTLLMForcedDecoderBased

from .conftest import TRACE, scripted

PEAK = [-5.0] * 16
PEAK[4] = PEAK[11] = 4.0
LOW_PEAK = [gap - 5 for gap in PEAK]
VARIED = [-7.5, -3, -6, -2.5, -1, -8, -4, -0.5, -6.5, -3.5, -5, 1, -2, -7, -0.25, -9]
EVERY_START = [1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 17, 18, 20, 21, 23]

# name, trace, gaps, delta per separator, options, threshold, boundaries upstream_literal, boundaries normalized
GOLDENS = [
    ("peak", TRACE, PEAK, 0, {}, 3.133893, [6, 17], [6, 17]),
    ("shifted peak", TRACE, LOW_PEAK, 0, {}, 3.133893, [], [6, 17]),
    ("peak, insertions repel", TRACE, PEAK, -20, {}, 3.133893, [6], [6]),
    ("varied q90", TRACE, VARIED, 0, {}, 3.151563, [], [17, 21]),
    ("varied q75", TRACE, VARIED, 0, {"quantile": 75}, 1.807841, [17], [6, 17, 21]),
    ("varied q50", TRACE, VARIED, 0, {"quantile": 50}, 0.268172, [6, 17, 21], [1, 5, 6, 11, 16, 17, 18, 21]),
    ("varied, insertions repel", TRACE, VARIED, -20, {}, 3.151563, [], [17]),
    ("no prior", TRACE, VARIED, 0, {"quantile": 75, "beta": 0}, 0.772967, [17], [6, 11, 17, 21]),
    ("insertions attract", TRACE, VARIED, 3, {"quantile": 75}, 1.807841, [17, 21], [6, 11, 15, 16, 17, 18, 20, 21, 23]),
    ("varied q100", TRACE, VARIED, 0, {"quantile": 100}, 3.698424, [], []),
    (
        "varied q0",
        TRACE,
        VARIED,
        0,
        {"quantile": 0},
        -1.666874,
        [6, 11, 17, 21],
        [1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 17, 18, 20, 21],
    ),
    ("constant", TRACE, [-5.0] * 16, 0, {}, 2.0, [], []),
    ("constant positive q0", TRACE, [3.0] * 16, 0, {"quantile": 0}, 0.0, EVERY_START, [6, 11, 16, 17, 21]),
    ("Step in the trace", "A Step b. Step c", [9.0] * 6, 0, {"quantile": 10}, 0.0, [6, 8, 14], []),
    ("separator in the trace", "A<|seg|> b. c", [1.0, 1, 5, 1, 1], 0, {"quantile": 10}, -1.223796, [10, 11], [10, 11]),
    ("one token", "A", [2.0], 0, {}, 0.0, [], []),
    ("one unlikely token", "A", [-2.0], 0, {}, 0.0, [], []),
]


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden[0])
@pytest.mark.parametrize("algorithm", ["fast", "sequential"])
def test_golden(golden, algorithm):
    _, trace, gaps, delta, options, threshold, literal, normalized = golden
    for mode, expected in (("upstream_literal", literal), ("normalized", normalized)):
        result = RTLLMForcedDecoderBased().segment(
            trace, **scripted(trace, gaps, delta), score_mode=mode, algorithm=algorithm, **options
        )
        assert [start for start, _ in result.offsets[1:]] == expected
        assert result.curve.threshold == pytest.approx(threshold, abs=1e-6)


def test_empty_trace():
    result = RTLLMForcedDecoderBased().segment("", **scripted("", []))
    assert (result.offsets, result.labels, result.forwards) == ([], [], 0)
