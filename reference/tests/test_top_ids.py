"""The best tokens of a row: ties, NaN and infinities."""

import math

import pytest

torch = pytest.importorskip("torch")

from tokenspec_reference.top_ids import top_ids  # noqa: E402


@pytest.mark.parametrize("size", [5, 50, 5000])
def test_of_equal_values_the_smaller_ids(size):
    assert top_ids(torch.zeros(2, size), 3).tolist() == [[0, 1, 2]] * 2
    row = torch.zeros(1, size)
    row[0, [1, size - 1]] = 1.0
    assert top_ids(row, 3).tolist() == [[0, 1, size - 1]]


def test_against_a_stable_sort():
    rows = torch.randint(0, 9, (20, 200), generator=torch.Generator().manual_seed(0)).float()
    for count in (1, 7, 199, 200, 300):
        expected = rows.sort(dim=1, descending=True, stable=True).indices[:, :count].sort(dim=1).values
        assert torch.equal(top_ids(rows, count), expected)


def test_nan_and_infinities():
    row = torch.tensor([[-math.inf, math.nan, 1.0, math.inf, -math.inf]])
    assert [top_ids(row, count).tolist()[0] for count in (1, 2, 3, 4)] == [[1], [1, 3], [1, 2, 3], [0, 1, 2, 3]]
    row = torch.tensor([[math.inf, math.nan, math.inf, math.nan]])
    assert [top_ids(row, count).tolist()[0] for count in (1, 2, 3)] == [[1], [1, 3], [0, 1, 3]]
