"""The conditions of ``tox -e shaken`` cover what they say they cover, and its shares leave nothing out."""

from __future__ import annotations

from itertools import combinations, pairwise
from types import SimpleNamespace

import pytest

from shaken import __main__ as program
from shaken.conditions import CONDITIONS
from shaken.order import pytest_collection_modifyitems

FIGURES = ("instructions", "seed", "threads", "load")
SURROUNDINGS = ("locale", "odd_path", "home", "read_only")


@pytest.mark.parametrize("names", [*combinations(FIGURES, 2), *combinations(SURROUNDINGS, 2)], ids=" and ".join)
def test_every_pair_of_values_occurs(names: tuple[str, str]) -> None:
    seen = {tuple(getattr(condition, name) for name in names) for condition in CONDITIONS}
    values = [{getattr(condition, name) for condition in CONDITIONS} for name in names]
    assert len(seen) == len(values[0]) * len(values[1])
    assert min(map(len, values)) > 1


def test_every_instruction_set_meets_every_surrounding() -> None:
    for name in SURROUNDINGS:
        assert len({(one.instructions, getattr(one, name)) for one in CONDITIONS}) == 6


def test_shares_in_a_row_run_every_file_once() -> None:
    files = program.test_files()
    shares = [name for number in range(1, 7) for name in program.part(files, number, 6)]
    assert sorted(shares) == sorted(files)
    assert program.part(files, 4, 1) == files
    assert "conformance/tests/test_shaken.py" in files


def test_one_seed_gives_one_order_and_keeps_files_together(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [SimpleNamespace(path=path, name=f"{path}{number}") for path in "abcdef" for number in range(5)]
    orders = []
    for seed in ("1", "1", "2"):
        monkeypatch.setenv("SHAKEN_SEED", seed)
        mine = list(items)
        pytest_collection_modifyitems(mine)
        orders.append([item.name for item in mine])
        assert sorted(orders[-1]) == sorted(item.name for item in items)
        paths = [item.path for item in mine]
        assert sum(one != other for one, other in pairwise(paths)) == 5
    assert orders[0] == orders[1] != orders[2]
