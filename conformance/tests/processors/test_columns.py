"""A peer and a third party are judged on what they do, and only on that."""

from collections import Counter

import pytest

from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.processors.area import AREA
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run
from tokenspec.verdict import Verdict

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def cells():
    return select_cells(Selection(areas=(AREA.name,)))


def findings(column, cells):
    return [(result.case, finding) for result in Run([column], cells, 60.0) for finding in result.findings]


def test_transformers_gets_sets_right_and_bits_wrong(cells):
    pytest.importorskip("transformers")
    from tokenspec.columns.transformers import TransformersColumn

    found = findings(InProcess("transformers", TransformersColumn()), cells)
    failed = Counter(finding.level for _, finding in found if finding.verdict is Verdict.FAIL)
    passed = Counter(finding.level for _, finding in found if finding.verdict is Verdict.PASS)
    assert not any(finding.verdict is Verdict.ERROR for _, finding in found)
    assert failed["SETS"] == 0
    assert passed["SETS"] > 100
    wrong = {id_ for _, finding in found if finding.verdict is Verdict.FAIL for id_ in finding.requires}
    assert {"PRC-011", "PRC-013"} <= wrong, "an added mask changes -0.0, and dead rows are zeroed unasked"


def test_a_third_party_needs_forty_lines(cells, monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))
    found = findings(resolve("trie_adapter:TrieAdapter"), cells)
    verdicts = Counter(finding.verdict for _, finding in found)
    assert verdicts[Verdict.PASS] > 200
    assert verdicts[Verdict.ERROR] == 0
    # a trie without a loader accepts what must be refused, and does not check ids
    failed = {case for case, finding in found if finding.verdict is Verdict.FAIL}
    assert failed
    assert all(case.startswith(("processors/tree-strict-", "processors/token-")) for case in failed)
