"""Agreement measures: the facts page's goldens (computed there with the upstream code), and their laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines import InvalidSegmentation, metrics
from tokenspec_reference.engines.offsets import partition

GOLD = [(0, 31), (31, 59), (59, 84)]
FEWER = [(0, 31), (31, 84)]
FINER = [(0, 16), (16, 31), (31, 46), (46, 59), (59, 84)]
OFF = [(0, 34), (34, 56), (56, 84)]


@pytest.mark.parametrize(
    ("predicted", "pk", "window_diff", "f1", "soft", "iou", "dice", "displacement", "bias", "divergence", "similarity"),
    [
        (FEWER, 0.2, 0.2, 2 / 3, 0.668308, 2 / 3, 0.777461, 14, -1 / 3, 0.051372, 2 / 3),
        (FINER, 0.385714, 0.4, 2 / 3, 0.693677, 0.683948, 0.792842, 0, 2 / 3, 0.051372, 2 / 3),
        (OFF, 0.171429, 0.171429, 0, 0.548812, 0.863445, 0.925747, 3, 0, 0.165035, 1),
    ],
)
def test_goldens(predicted, pk, window_diff, f1, soft, iou, dice, displacement, bias, divergence, similarity):
    found = metrics.agreement(GOLD, predicted)
    expected = (similarity, f1, soft, pk, window_diff, iou, dice, bias)
    got = (found.boundary_similarity, found.boundary_f1, found.soft_boundary_f1, found.pk, found.window_diff)
    assert (*got, found.segment_iou, found.segment_dice, found.count_bias) == pytest.approx(expected, abs=1e-6)
    assert metrics.boundary_displacement(GOLD, predicted) == displacement
    # Upstream sums densities per character instead of shares per bin, which scales the divergence by 20 / 84.
    assert metrics.density_divergence(GOLD, predicted) * 20 / 84 == pytest.approx(divergence, abs=1e-6)


def test_window():
    assert metrics.boundary_similarity(GOLD, OFF, window=2) == 0
    assert metrics.boundary_similarity(GOLD, OFF, window=3) == 1


PARTITIONS = st.lists(st.integers(1, 39), max_size=8).map(lambda cuts: partition(cuts, 40))


@given(PARTITIONS, PARTITIONS)
def test_laws(gold, predicted):
    for measure in (metrics.boundary_similarity, metrics.boundary_f1, metrics.soft_boundary_f1):
        assert measure(gold, gold) == pytest.approx(1)
        assert measure(gold, predicted) == pytest.approx(measure(predicted, gold))
        assert 0 <= measure(gold, predicted) <= 1 + 1e-12
    for loss in (metrics.pk, metrics.window_diff):
        assert loss(gold, gold) == 0
        assert 0 <= loss(gold, predicted) <= 1
    assert metrics.pk(gold, predicted) <= metrics.window_diff(gold, predicted) + 1e-12
    assert 0 <= metrics.density_divergence(gold, predicted) <= math.log(2) + 1e-12
    assert metrics.segment_iou(gold, gold) == pytest.approx(1)
    assert metrics.segment_iou(gold, predicted) <= metrics.segment_dice(gold, predicted) + 1e-12


def test_degenerate():
    assert metrics.pk([(0, 1)], [(0, 1)]) == 0
    assert metrics.window_diff([(0, 1), (1, 2)], [(0, 2)]) == 1
    assert metrics.boundary_f1([], []) == 1
    assert metrics.boundary_f1([(0, 4)], [(0, 2), (2, 4)]) == 0
    assert metrics.boundary_displacement([(0, 2), (2, 4)], [(0, 4)]) == math.inf
    assert metrics.pk([], []) == 0
    assert metrics.segment_iou([], []) == 1


@pytest.mark.parametrize(
    ("gold", "predicted", "field"),
    [([(1, 4)], [(0, 4)], "gold"), ([(0, 4)], [(0, 2), (3, 4)], "predicted"), ([(0, 4)], [(0, 5)], "predicted")],
)
def test_partitions_of_one_text(gold, predicted, field):
    with pytest.raises(InvalidSegmentation) as caught:
        metrics.pk(gold, predicted)
    assert caught.value.field == field
