"""What goldens say of witnesses holds: whoever is installed here is asked again about a part of what it confirmed."""

from __future__ import annotations

import pytest

from tokenspec.areas.selection import Selection, select_cells
from tokenspec.curation.witness_list import Witness, read_witnesses
from tokenspec.curation.witnesses import hear, present

ASKED = 25
"""Goldens of each witness, spread over all that it confirmed without a model and on toy rows; real ones: tox -e witnesses."""

LISTED = read_witnesses()


def told(witness: Witness) -> str:
    return f"{witness.name}-{witness.area}"


@pytest.mark.parametrize("witness", LISTED.witness, ids=told)
def test_a_witness_confirms_goldens(witness: Witness) -> None:
    """One that confirms nothing is no witness, whether it is installed or not."""
    cells = select_cells(Selection(areas=(witness.area,)))
    named = [cell for cell in cells if cell.golden is not None and witness.title in cell.golden.witnesses]
    assert named
    levels = {level for cell in named if cell.golden for level in cell.golden.witnesses[witness.title]}
    assert levels == set(witness.levels)


@pytest.mark.parametrize("witness", LISTED.witness, ids=told)
def test_a_witness_that_is_here_says_what_is_committed(witness: Witness) -> None:
    why: list[str] = []
    here = list(present([witness], {}, lambda _, reason: why.append(reason)))
    if not here:
        pytest.skip(why[0])
    cells = [
        cell
        for cell in select_cells(Selection(areas=(witness.area,), statuses=("toy",)))
        if cell.golden is not None and witness.title in cell.golden.witnesses
    ]
    if not cells:
        pytest.skip(f"{witness.name} confirms goldens of models alone: tox -e columns asks it")
    asked = cells[:: max(1, len(cells) // ASKED)]
    hearing = hear(asked, here, LISTED)
    assert [str(each) for each in hearing.contradicted] == []
    assert {cell.name: hearing.said[cell.name] for cell in asked} == {
        cell.name: cell.golden.witnesses for cell in asked if cell.golden is not None
    }
