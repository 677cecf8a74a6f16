"""The committed corpus is what its generator writes, is large enough, and asks every requirement something."""

import re

import pytest

from tokenspec.areas import areas
from tokenspec.areas.aligners.cases import all_cases
from tokenspec.areas.aligners.oracle.upstream import VARIABLE, UpstreamMissing, upstream
from tokenspec.areas.selection import load_cases
from tokenspec.curation.case_writing import write_cases
from tokenspec.data import fixtures_dir, spec_dir


def test_committed_cases_are_generated(tmp_path):
    written = write_cases(all_cases(), tmp_path)
    committed = fixtures_dir() / "cases" / "aligners"
    assert [path.name for path in written] == sorted(path.name for path in committed.glob("*.json"))
    for path in written:
        assert path.read_text(encoding="utf-8") == (committed / path.name).read_text(encoding="utf-8"), path.name


def test_every_testable_requirement_has_a_case():
    text = (spec_dir() / "50-aligners.md").read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^### ", text)[1:]
    wanted = {block[:7] for block in blocks if "Untestable:" not in block}
    cases = load_cases(areas()["aligners"])
    assert len(cases) >= 100
    assert wanted == {requirement for case in cases for requirement in case.requires}


def test_the_upstream_oracle_says_what_it_needs(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    upstream.cache_clear()
    with pytest.raises(UpstreamMissing, match=VARIABLE):
        upstream()
    upstream.cache_clear()
