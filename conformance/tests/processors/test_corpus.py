"""The corpus: written by its generator, answered by its oracle, wide enough."""

from collections import Counter

import pytest

from tokenspec.areas.processors.area import AREA
from tokenspec.areas.processors.cases import all_cases
from tokenspec.areas.processors.oracle.scripts import expected_answers
from tokenspec.areas.selection import load_cases
from tokenspec.data import fixtures_dir
from tokenspec.requirements import requirements
from tokenspec.store.canonical import canonical_json

CASES = load_cases(AREA)


def test_files_are_what_the_generator_writes():
    folder = fixtures_dir() / "cases" / "processors"
    written = {f"{case.slug}.json": canonical_json(case) for case in all_cases()}
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")} == written


def test_there_are_enough_cases_of_every_kind():
    kinds = Counter(processor["kind"] for case in CASES for processor in case.input["processors"])
    assert len(CASES) >= 120
    assert all(kinds[kind] >= 10 for kind in ("tree", "think", "multi_seq", "recommendation"))
    operations = {step["op"] for case in CASES for step in case.input["steps"]}
    assert operations == {"allow", "advance", "reorder", "finish", "status", "bitmask", "apply", "select"}


def test_every_must_of_the_chapter_has_a_case():
    cited = {id_ for case in CASES for id_ in case.requires}
    missing = [
        id_
        for id_, block in requirements().items()
        if id_.startswith("PRC") and block.level.startswith("MUST") and id_ not in cited
    ]
    # relations are checked on every case and need none of their own
    assert missing == ["PRC-016"]


@pytest.mark.parametrize("case", [case for case in CASES if case.outcome == "ok"], ids=lambda case: case.slug)
def test_expectations_are_the_oracle_s(case):
    assert case.expect == {"steps": expected_answers(case.input)}
