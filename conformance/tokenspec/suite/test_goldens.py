"""Goldens against their oracle, as snapshots. Collects nothing unless --tokenspec-bless or --snapshot-update asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tokenspec.data import fixtures_dir
from tokenspec.oracle.transformers import OracleRefuses

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell


def test_oracle(tokenspec_blessed_cell: Cell, snapshot: Any) -> None:
    """What the oracle says today equals the committed golden."""
    from tokenspec.areas.selection import goldens_path
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
    file = goldens_path(cell.row, cell.area.name).relative_to(fixtures_dir() / "golden")
    name = f"{file.as_posix()}#{cell.case.slug}"
    assert golden == snapshot(name=name, extension_class=GoldenSnapshot)
