"""Hand-written renderers and the provenance of their templates agree, but for the listed differences: both ways."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest

from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.data import fixtures_dir
from tokenspec.models import available, load, specs
from tokenspec.models.assets import assets_of
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.families import FAMILIES

FIELDS = ("message_indices", "is_content", "sampled_mask")
LISTED = tomllib.loads((fixtures_dir() / "attribution_differences.toml").read_text(encoding="utf-8"))["difference"]
ROWS = [id_ for id_, spec in specs().items() if spec.family in FAMILIES and spec.has_template]
"""Rows with an encoder have no provenance: they are in no entry."""


def listed(row: str) -> set[tuple[str, str]]:
    """(case, field) of every listed difference of a row."""
    return {
        (case, field)
        for entry in LISTED
        if row in entry["rows"]
        for case in entry["cases"]
        for field in entry["fields"]
    }


def outcome(adapter: ReferenceAdapter, request: dict[str, Any]) -> dict[str, Any] | None:
    """The render, or None for a refusal."""
    try:
        return adapter.render(copy.deepcopy(request))
    except TokenSpecError:
        return None


def test_every_entry_says_what_and_why() -> None:
    for entry in LISTED:
        assert set(entry) == {"rows", "cases", "fields", "what", "why"}
        assert set(entry["rows"]) <= set(ROWS)
        assert set(entry["fields"]) <= set(FIELDS)
    triples = [(row, case, field) for e in LISTED for row in e["rows"] for case in e["cases"] for field in e["fields"]]
    assert len(triples) == len(set(triples))


@pytest.mark.real
@pytest.mark.parametrize("row", [row for row in ROWS if specs()[row].oracle != "encoder"])
def test_the_list_of_differences_is_exact(row: str) -> None:
    if (missing := available(row)) is not None:
        pytest.skip(missing)
    by_hand, by_provenance = ReferenceAdapter(), ReferenceAdapter()
    assets = assets_of(load(row))
    by_hand.load(row, assets)
    by_provenance.load(row, {**assets, "family": "template"})
    found: set[tuple[str, str]] = set()
    for cell in select_cells(Selection(areas=("render",), rows=(row,))):
        left, right = outcome(by_hand, cell.request()), outcome(by_provenance, cell.request())
        assert (left is None) == (right is None), cell.name
        if left is not None and right is not None:
            assert (left["text"], left["token_ids"]) == (right["text"], right["token_ids"]), cell.name
            found |= {(cell.case.slug, field) for field in FIELDS if left[field] != right[field]}
            assert undecided(cell) or not trained(left, right), cell.name
    assert found == listed(row)


def undecided(cell: Cell) -> bool:
    """Whether the oracle cannot attribute this text."""
    return cell.golden is not None and "unattributed" in cell.golden.expect


def trained(left: dict[str, Any], right: dict[str, Any]) -> list[int]:
    """Tokens that one of two renders marks and that they attribute differently: such a difference is not harmless."""
    tokens = zip(*(render[field] for render in (left, right) for field in FIELDS), strict=True)
    marked = enumerate((one[:3] != one[3:] and any((*one[1:3], *one[4:]))) for one in tokens)
    return [place for place, is_trained in marked if is_trained]
