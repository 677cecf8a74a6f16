"""The corpus: written by its generator, wide enough, and borrowed without a copy."""

import pytest

from tokenspec.areas import areas
from tokenspec.areas.selection import Selection, borrowed_cases, load_cases, select_cells
from tokenspec.areas.template_engine.cases import all_cases
from tokenspec.data import fixtures_dir
from tokenspec.requirements import requirements
from tokenspec.store.canonical import canonical_json

AREA = "template-engine"


@pytest.fixture(scope="module")
def cells():
    return select_cells(Selection(areas=(AREA,)))


def test_the_files_are_what_the_generator_writes():
    folder = fixtures_dir() / "cases" / AREA
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    assert written == {f"{case.slug}.json": canonical_json(case) for case in all_cases()}


def test_every_requirement_has_a_case():
    cited = {id_ for case in load_cases(areas()[AREA]) for id_ in case.requires}
    general = {"TPL-001", "TPL-002", "TPL-003"}
    assert {id_ for id_ in requirements() if id_.startswith("TPL-")} - cited <= general


def test_templates_are_micro():
    assert all(len(case.input["template"]) < 600 for case in load_cases(areas()[AREA]))


def test_borrowed_cells_read_the_goldens_of_the_lender(cells):
    borrowed = [cell for cell in cells if cell.borrowed]
    assert len(borrowed) > 5000
    assert {cell.case.id.split("/")[0] for cell in borrowed} == {AREA}
    golden = next(cell.golden for cell in borrowed if cell.golden is not None and cell.golden.outcome == "ok")
    assert set(golden.expect) == {"text"}
    assert not (fixtures_dir() / "golden" / "qwen3" / AREA).exists()


def test_no_borrowed_case_asks_for_what_lies_around_the_template():
    lent = [lender for lender, _ in borrowed_cases(areas()[AREA])]
    assert not any(case.input.get("options", {}).get("continue_final_message") for case in lent)
    assert all(case.input["messages"] for case in lent)


def test_blessing_leaves_borrowed_cells_to_their_lender():
    assert not any(cell.borrowed for cell in select_cells(Selection(areas=(AREA,)), with_goldens=False))


def test_a_borrowed_case_is_found_by_its_name(cells):
    name = next(cell.case.id for cell in cells if cell.borrowed)
    assert {cell.case.id for cell in select_cells(Selection(cases=(name,)))} == {name}
