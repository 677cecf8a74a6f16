"""Edits that mypy refuses are told from those it lets in."""

from __future__ import annotations

import pytest

from tokenspec.power.edits import Edit, read_package
from tokenspec.power.type_checker import TypeChecker

PROGRAM = '''"""What the module says."""

from typing import Literal


def order(is_first: bool, limit: int | None) -> Literal["first", "last"]:
    """Where to put it."""
    if limit is not None and limit + 1 > 3:
        return "last"
    return "first" if is_first else "last"
'''


@pytest.fixture(scope="module")
def edits(tmp_path_factory: pytest.TempPathFactory) -> list[Edit]:
    folder = tmp_path_factory.mktemp("package")
    for name in ("orders.py", "more/orders.py"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM)
    return [edit for source in read_package(folder) for edit in source.edits]


def test_an_edit_is_refused_for_the_types_it_breaks(edits: list[Edit]) -> None:
    pytest.importorskip("mypy")
    refused = set(TypeChecker(list(dict.fromkeys(edit.source for edit in edits))).refused(edits))
    shown = {edit.shown for edit in refused}
    assert ("return 'last'", "pass") not in shown  # another answer of the right type
    assert any(after.endswith("else ''") for _, after in shown), "no text that an order can be"
    assert ("limit is not None and limit + 1 > 3", "limit + 1 > 3") in shown
    assert ("limit is not None and limit + 1 > 3", "limit is not None and limit - 1 > 3") not in shown
    assert not any(edit.operator == "decided" for edit in refused), "what nothing reaches is left to the cells"
    assert {edit.file for edit in refused} == {"orders.py", "more/orders.py"}
    assert sum(edit.file == "orders.py" for edit in refused) * 2 == len(refused)
