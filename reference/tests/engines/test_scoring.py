"""Threshold arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.scoring import calibrate, percentile, punctuation_prior

FLOATS = st.floats(-1e3, 1e3, allow_nan=False)
OPTIONS = {"alpha": 1.0, "beta": 2.0, "quantile": 90.0, "mode": "normalized"}


@given(st.lists(FLOATS, min_size=1, max_size=40), st.floats(0, 100))
def test_percentile_is_numpys_linear(values, quantile):
    assert percentile(values, quantile) == pytest.approx(float(np.percentile(values, quantile)), abs=1e-9)


@pytest.mark.parametrize(("count", "quantile"), [(101, 29), (201, 14.5), (11, 90), (101, 57), (1001, 90)])
def test_a_whole_index_hits_its_value_exactly(count, quantile):
    values = [math.sin(index) for index in range(count)]
    assert percentile(values, quantile) == sorted(values)[round((count - 1) * quantile / 100)]


@given(st.lists(FLOATS, min_size=1, max_size=30), st.floats(0, 100), st.floats(0, 100))
def test_percentile_grows_with_the_quantile(values, one, other):
    assert percentile(values, min(one, other)) <= percentile(values, max(one, other)) + 1e-9


def test_population_deviation_and_epsilon():
    calibration = calibrate([0.0, 2.0], [0.0, 0.0], **OPTIONS)
    assert calibration.scores == (-1 / (1 + 1e-6), 1 / (1 + 1e-6))


@given(st.lists(FLOATS, min_size=2, max_size=20), st.floats(-50, 50))
def test_normalized_ignores_a_constant(gaps, shift):
    priors = [0.0] * len(gaps)
    plain = calibrate(gaps, priors, **OPTIONS)
    moved = calibrate([gap + shift for gap in gaps], priors, **OPTIONS)
    for gap in gaps:
        assert moved.score(gap + shift, 0.0) == pytest.approx(plain.score(gap, 0.0), abs=1e-4)


def test_constant_gaps():
    noisy = [-5.3 + 1e-13 * index for index in range(7)]
    calibration = calibrate(noisy, [0, 1, 0, 0, 0, 0, 0], **OPTIONS)
    assert calibration.scores == (0, 2, 0, 0, 0, 0, 0)
    assert calibration.score(123.0, 0.2) == pytest.approx(0.4)
    literal = calibrate([3.0] * 4, [0.0] * 4, **(OPTIONS | {"mode": "upstream_literal"}))
    assert literal.score(3.0, 0.0) == math.inf
    assert literal.score(-3.0, 0.0) == -math.inf
    assert not literal.exceeds(literal.score(0.0, 0.0))


def test_prior():
    assert [punctuation_prior(character, 0.2) for character in ".!?;:\n"] == [1.0] * 6
    assert [punctuation_prior(character, 0.2) for character in (",", "\t", "", "a", " ", "\r")] == [
        0.2,
        0.2,
        0,
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_gaps_are_finite(bad):
    with pytest.raises(NonFiniteLogits, match="trace token 1"):
        calibrate([0.0, bad], [0.0, 0.0], **OPTIONS)
