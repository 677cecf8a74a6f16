"""Columns that give less than the reference are judged on what they give: pairs alone, chunk ids alone."""

from collections.abc import Mapping
from typing import Any

import pytest

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run
from tokenspec.verdict import Verdict
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.aligners.adapter_losses import LOSS_TASKS

pytestmark = pytest.mark.tools
PAIR = "toy-metaspace+toy-bpe"


class Only(ReferenceAdapter):
    """The reference, with some fields of alignments left out, which it does not claim."""

    capabilities: Mapping[str, Any] = {}
    kept = ()

    def align(self, request):
        result = super().align(request)
        if "student_chunk_id" not in result or request["profile"] != "boundary":
            return result
        return {name: result[name] for name in self.kept}


class PairsOnly(Only):
    kept = ("pairs",)


class ChunksOnly(Only):
    kept = ("student_chunk_id", "teacher_chunk_id")


@pytest.mark.parametrize("column", [PairsOnly, ChunksOnly])
def test_a_thinner_answer_is_judged_and_passes(column):
    cells = select_cells(Selection(areas=("aligners",), rows=(PAIR, "-")))
    findings = [finding for result in Run([InProcess("thin", column())], cells) for finding in result.findings]
    failed = [finding for finding in findings if finding.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}]
    assert not failed, failed[0]
    judged = {finding.check for finding in findings if finding.verdict is Verdict.PASS}
    assert {"aligners.bytes", "aligners.finest", "aligners.coverage", "aligners.walk", "aligners.symmetry"} <= judged


def test_the_reference_leaves_no_number_of_a_loss_out():
    cells = [
        cell
        for cell in select_cells(Selection(areas=("aligners",), rows=("-",)))
        if cell.case.input["task"] in LOSS_TASKS and "ALN-058" not in cell.case.requires
    ]
    findings = [
        finding for result in Run([InProcess("reference", ReferenceAdapter())], cells) for finding in result.findings
    ]
    assert {finding.verdict for finding in findings} == {Verdict.PASS}
