"""The corpus: answered by its oracle, wide enough."""

from collections import Counter

import pytest

from tokenspec.areas.oracle_version import same_answer
from tokenspec.areas.processors.area import AREA
from tokenspec.areas.selection import Selection, load_cases, select_cells
from tokenspec.curation.blessing import ask_oracle
from tokenspec.requirements import requirements

CASES = load_cases(AREA)


def test_there_are_enough_cases_of_every_kind():
    kinds = Counter(processor["kind"] for case in CASES for processor in case.input["processors"])
    assert len(CASES) >= 120
    assert all(kinds[kind] >= 10 for kind in ("tree", "think", "multi_seq", "recommendation", "after"))
    operations = {step["op"] for case in CASES for step in case.input["steps"]}
    asking = {"allow", "status", "bitmask", "apply", "select", "masks", "forced"}
    assert operations == {*asking, "advance", "reorder", "finish", "commit", "rollback"}


def test_every_must_of_the_chapter_has_a_case():
    cited = {id_ for case in CASES for id_ in case.requires}
    missing = [
        id_
        for id_, block in requirements().items()
        if id_.startswith("PRC") and block.level.startswith("MUST") and id_ not in cited
    ]
    # relations are checked on every case and need none of their own
    assert missing == ["PRC-016"]


@pytest.mark.parametrize("cell", select_cells(Selection(areas=("processors",))), ids=lambda cell: cell.case.slug)
def test_expectations_are_the_oracle_s(cell):
    assert same_answer(cell.golden, ask_oracle(cell))
