"""Goldens against their oracle. Collects nothing unless ``tokenspec bless`` (or --tokenspec-bless) asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tokenspec.data import fixtures_dir
from tokenspec.oracle.transformers import OracleRefuses

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell


def test_oracle(tokenspec_blessed_cell: Cell, snapshot: Any) -> None:
    """What the oracle says today equals the committed golden."""
    from tokenspec.areas.selection import golden_path
    from tokenspec.curation.blessing import ask_oracle
    from tokenspec.models import AssetsMissing
    from tokenspec.suite.snapshot import GoldenSnapshot

    cell = tokenspec_blessed_cell
    try:
        golden = ask_oracle(cell)
    except AssetsMissing as missing:
        pytest.skip(str(missing))
    except OracleRefuses as refusal:
        pytest.fail(f"{cell.name}: the oracle refuses unexpectedly: {refusal}", pytrace=False)
    name = str(golden_path(cell.row, cell.case).relative_to(fixtures_dir() / "golden").with_suffix(""))
    assert golden == snapshot(name=name, extension_class=GoldenSnapshot)
